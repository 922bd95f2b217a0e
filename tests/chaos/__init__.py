"""The kill campaign (`make chaos`): a sweep on a real Slurm, faults by a seed, independent witnesses, a judge."""
