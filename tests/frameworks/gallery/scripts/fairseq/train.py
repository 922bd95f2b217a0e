"""In the style of fairseq: options in another module, everything in lines with bars."""

import logging
import sys

from options import get_parser

logging.basicConfig(
    format="%(asctime)s | %(levelname)s | %(name)s | %(message)s",
    datefmt="%Y-%m-%d %H:%M:%S",
    level="INFO",
    stream=sys.stdout,
)
logger = logging.getLogger("fairseq_cli.train")


def main():
    args = get_parser().parse_args()
    logger.info(f"num. shared model params: 54,528,000 (num. trained: 54,528,000), seed {args.seed}")
    weight, best = 5.0, None
    for epoch in range(1, args.max_epoch + 1):
        loss = weight * weight
        weight -= args.lr * 2 * weight
        logging.getLogger("train").info(
            f"epoch {epoch:03d} | loss {loss:.3f} | ppl {2**loss:.2f} | wps 23001.4 | ups 5.5 | wpb 3500 | num_updates "
            f"{epoch * 10} | lr {args.lr} | gnorm 1.2 | train_wall 12 | wall 15"
        )
        loss = weight * weight
        best = min(loss, best or loss)
        logging.getLogger("valid").info(
            f"epoch {epoch:03d} | valid on 'valid' subset | loss {loss:.3f} | ppl {2**loss:.2f} | wps 53001.4 | "
            f"num_updates {epoch * 10} | best_loss {best:.3f}"
        )


if __name__ == "__main__":
    main()
