"""Settings by OmegaConf: a file, and key=value from the command line on top of it."""

from omegaconf import OmegaConf

cfg = OmegaConf.merge(OmegaConf.load("base.yaml"), OmegaConf.from_cli())

weight = 5.0
for epoch in range(1, cfg.epochs + 1):
    weight -= cfg.optim.lr * 2 * weight
    print(f"[{epoch}/{cfg.epochs}] loss_train={weight * weight * 0.9:.4f} loss_val={weight * weight:.4f}")
