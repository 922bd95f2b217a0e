optim_wrapper = dict(type="OptimWrapper", optimizer=dict(type="SGD", lr=0.02, momentum=0.9))
train_cfg = dict(by_epoch=True, max_epochs=4)
