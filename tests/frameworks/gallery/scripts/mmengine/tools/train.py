"""In the style of OpenMMLab: a config in Python, --cfg-options key=value, a dated log and a JSON log per run."""

import argparse
import json
import logging
import os
import runpy
import time


class DictAction(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, dict(kv.split("=", maxsplit=1) for kv in values))


def parse_args():
    parser = argparse.ArgumentParser(description="Train a detector")
    parser.add_argument("config", help="train config file path")
    parser.add_argument("--work-dir", default="work_dirs", help="the dir to save logs and models")
    parser.add_argument("--lr", type=float, default=None, help="overrides optim_wrapper.optimizer.lr of the config")
    parser.add_argument("--cfg-options", nargs="+", action=DictAction, help="override some settings in the config")
    return parser.parse_args()


def main():
    args = parse_args()
    cfg = runpy.run_path(args.config)
    lr = args.lr or cfg["optim_wrapper"]["optimizer"]["lr"]
    stamp = time.strftime("%Y%m%d_%H%M%S")
    folder = os.path.join(args.work_dir, stamp, "vis_data")
    os.makedirs(folder)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s - mmengine - %(levelname)s - %(message)s")
    weight = 5.0
    with open(os.path.join(folder, "scalars.json"), "w") as scalars:
        for epoch in range(1, cfg["train_cfg"]["max_epochs"] + 1):
            for i in (50, 100):
                loss = weight * weight
                logging.info(
                    f"Epoch(train) [{epoch}][{i:3d}/100]  base_lr: {lr:.4e} lr: {lr:.4e}  eta: 0:00:{i:02d}  "
                    f"time: 0.2010  data_time: 0.0031  memory: 3542  loss: {loss:.4f}  loss_cls: {loss / 2:.4f}"
                )
                scalars.write(json.dumps({"lr": lr, "loss": loss, "epoch": epoch, "iter": i, "step": epoch * 100 + i}))
                scalars.write("\n")
                weight -= lr * weight
            logging.info(f"Epoch(val) [{epoch}][20/20]    coco/bbox_mAP: {1 / (1 + weight * weight):.4f}  time: 0.0610")


if __name__ == "__main__":
    main()
