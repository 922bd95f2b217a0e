"""The kill campaign (`make chaos`): a sweep on a real Slurm, faults chosen by a seed, a witness of its own, a judge."""
