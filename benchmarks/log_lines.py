"""Measure the processor time for a million lines of standard output, of several kinds."""

import tempfile
import time
from pathlib import Path

from paddock.runner.sources.base import STDOUT
from paddock.runner.sources.stdout import StdoutSource
from paddock.runner.sources.tail import Tail

LINES = 1_000_000
STAMP = "2024-01-02 12:30:01,123 - trainer - INFO - "
KINDS = {
    "chat": "INFO some line of a chatty library, the 12th: all is well = fine\n",
    "prose": "the quick brown fox jumps over the lazy dog and goes on for a while\n",
    "stamped chat": STAMP + "loading shard 12 of 40 from /data/shards/0012.tar\n",
    "settings": "    hidden_size = 1024\n",
    "metrics": "step 12 loss: 0.123456 acc: 0.5\n",
    "stamped metrics": STAMP + "epoch 3/20 step 12/400 loss: 0.123456 acc: 0.5 lr: 0.001\n",
}


def main() -> None:
    for name, line in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "out.log"
            log.write_text(line * LINES)
            source = StdoutSource(Tail(str(log)), "out.log", STDOUT)
            began, points, more = time.process_time(), 0, True
            while more:
                batch = source.poll(True)
                points, more = points + len(batch.points), batch.more
            print(f"{name}: {time.process_time() - began:.2f} s of the processor, {points} points", flush=True)


if __name__ == "__main__":
    main()
