"""What a training script writes, read as metric points: one module per kind of source.

Every source follows one file (`tail`), reads its format and gives points (`base`). `ledger` decides from which source a
metric is taken, and `finder` which files are followed.
"""
