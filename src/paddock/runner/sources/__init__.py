"""What a training script writes, read as metric points: one module a kind of source.

Every source follows one file (`tail`), reads it by the rules of its format and gives points (`base`). Which source a
metric is taken from is decided in one place (`ledger`); which files are followed, in another (`finder`).
"""
