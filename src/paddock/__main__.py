"""The program `paddock`, also as `python -m paddock`."""

import gc

gc.disable()  # modules are no garbage: to look for it takes a tenth of a quick command

from paddock.cli import main  # noqa: E402

gc.freeze()
gc.enable()

if __name__ == "__main__":
    main()
