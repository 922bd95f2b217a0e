"""One argument: the path of a YAML file with all settings."""

import argparse

import yaml


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.yaml", help="path of the settings")
    with open(parser.parse_args().config) as file:
        config = yaml.safe_load(file)
    weight = 5.0
    for epoch in range(config["train"]["epochs"]):
        weight -= config["optimizer"]["lr"] * 2 * weight
        print(f"Epoch {epoch}: train_loss={weight * weight * 0.9:.4f}, valid_loss={weight * weight:.4f}")


if __name__ == "__main__":
    main()
