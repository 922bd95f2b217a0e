"""In the style of Hugging Face's examples: dataclasses for the arguments, a printed dict per evaluation."""

import logging
from dataclasses import dataclass, field
from typing import Optional

from transformers import HfArgumentParser

logger = logging.getLogger(__name__)


@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="tiny", metadata={"help": "Path to pretrained model or its name"})
    cache_dir: Optional[str] = field(default=None, metadata={"help": "Where to store the pretrained models"})


@dataclass
class TrainingArguments:
    output_dir: str = field(default="out", metadata={"help": "Where the checkpoints will be written"})
    learning_rate: float = field(default=5e-5, metadata={"help": "The initial learning rate for AdamW."})
    num_train_epochs: float = field(default=4.0, metadata={"help": "Total number of training epochs to perform."})
    do_eval: bool = field(default=True, metadata={"help": "Whether to run eval on the dev set."})


def main():
    model_args, training_args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    weight = 5.0
    for epoch in range(1, int(training_args.num_train_epochs) + 1):
        print({"loss": round(weight * weight, 4), "grad_norm": 1.5, "learning_rate": 1e-5, "epoch": float(epoch)})
        weight -= training_args.learning_rate * 2 * weight
        print(
            {
                "eval_loss": round(weight * weight, 4),
                "eval_accuracy": round(1 / (1 + weight * weight), 4),
                "eval_runtime": 1.2,
                "eval_samples_per_second": 680.1,
                "epoch": float(epoch),
            }
        )
    print({"train_runtime": 12.3, "train_samples_per_second": 12.0, "train_loss": 0.5, "epoch": float(epoch)})


if __name__ == "__main__":
    main()
