"""In the style of a Hydra application: a folder of config files, key=value on the command line."""

import logging

import hydra
from omegaconf import DictConfig

log = logging.getLogger(__name__)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    weight = 5.0
    for epoch in range(cfg.trainer.max_epochs):
        weight -= cfg.optimizer.lr * 2 * weight
        log.info(f"epoch={epoch} train/loss={weight * weight * 0.9:.4f} val/loss={weight * weight:.4f}")


if __name__ == "__main__":
    main()
