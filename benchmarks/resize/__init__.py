"""Trainings that change their size while they run: Paddock's own share of what that costs."""
