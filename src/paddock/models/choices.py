"""Words of which a person chooses one. Like `states`, they need no pydantic: the command line's help has them."""

from enum import StrEnum


class Convention(StrEnum):
    """How the parameters reach the script."""

    AUTO = "auto"
    FLAGS = "flags"
    POSITIONAL = "positional"
    STFMANAGER = "stfmanager"
    OVERRIDES = "overrides"  # name=value
    CONFIG = "config"  # in a copy of a configuration file
    CONSTANTS = "constants"  # in a copy of the script
    ENV = "env"


class Giving(StrEnum):
    """When the allocations of a job make room for others who wait."""

    NEVER = "never"
    BETWEEN = "between"  # after the tasks that run in them
    NOW = "now"  # in the middle of a task, where it has a checkpoint


class JobOrder(StrEnum):
    """Which job goes first."""

    FAIR = "fair"  # of the owner who has least, and there the one that has least
    SHORT = "short"  # with the least work left
    FIRST = "first"  # the oldest


class Launcher(StrEnum):
    """How the processes of a task find each other, where a task has several."""

    TORCHRUN = "torchrun"
    TENSORFLOW = "tensorflow"
    SRUN = "srun"


class Method(StrEnum):
    """The methods by which configurations are chosen."""

    AUTO = "auto"  # a grid where only values are listed, tpe where there are ranges
    GRID = "grid"
    RANDOM = "random"
    SOBOL = "sobol"
    TPE = "tpe"
    GP = "gp"
    CMAES = "cmaes"
    EVOLUTION = "evolution"
    NSGA2 = "nsga2"
    PBT = "pbt"
