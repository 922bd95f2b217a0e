"""Machines that are reached by ssh, without a scheduler."""
