"""In the contract of S-TFManager: six arguments by position, a CSV file in results/<job>/ with the task's id."""

import os
import sys

job_id, task_id = sys.argv[1], sys.argv[2]
batch_size = int(sys.argv[3])
learning_rate = float(sys.argv[4])
epochs = int(sys.argv[5])
early_stopping = int(sys.argv[6])

weight = 5.0
folder = os.path.join("results", job_id)
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, task_id + ".csv"), "w") as log:
    log.write("epoch,loss,val_loss\n")
    for epoch in range(epochs):
        weight -= learning_rate * 2 * weight
        log.write("%d,%f,%f\n" % (epoch, weight * weight, weight * weight * 1.1))
        log.flush()
