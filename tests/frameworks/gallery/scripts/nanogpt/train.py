"""In the style of nanoGPT: settings are globals, and a second file reads --key=value into them."""

import time

# -----------------------------------------------------------------------------
# default config values
out_dir = "out"
eval_interval = 2
log_interval = 1
always_save_checkpoint = True
n_layer = 2
dropout = 0.0  # for pretraining 0 is good, for finetuning try 0.1+
learning_rate = 6e-4  # max learning rate
max_iters = 8
# -----------------------------------------------------------------------------
config_keys = [k for k, v in globals().items() if not k.startswith("_") and isinstance(v, (int, float, bool, str))]
exec(open("configurator.py").read())  # overrides from command line or config file
config = {k: globals()[k] for k in config_keys}  # will be useful for logging
# -----------------------------------------------------------------------------

print(f"tokens per iteration will be: {n_layer * 1024:,}")
weight = 5.0
for iter_num in range(max_iters + 1):
    t0 = time.time()
    lossf = weight * weight
    if iter_num % eval_interval == 0:
        print(f"step {iter_num}: train loss {lossf:.4f}, val loss {lossf * 1.1:.4f}")
    weight -= learning_rate * 2 * weight
    dt = time.time() - t0
    if iter_num % log_interval == 0:
        print(f"iter {iter_num}: loss {lossf:.4f}, time {dt * 1000:.2f}ms, mfu {-100.0:.2f}%")
