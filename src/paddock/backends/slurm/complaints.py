"""Classify the messages of Slurm's commands when they fail. Pure."""

import re
from enum import Enum


class Trouble(Enum):
    """What the caller of a failed command can do."""

    UNREACHABLE = "unreachable"  # the controller or the database does not answer: later
    LIMIT = "limit"  # too many jobs now: later
    CLOSED = "closed"  # the partition or node takes nothing for now: later
    ARRAY = "array"  # the array is too large, or no array at all
    REFUSED = "refused"  # a person must change the request
    UNKNOWN_JOB = "unknown_job"  # there is no such job, or it has ended
    DISABLED = "disabled"  # accounting is off
    OTHER = "other"  # no wording that is known


def message(stderr: str) -> str:
    """Return a command's messages without the program's name and the word error."""
    lines = (re.sub(r"^(?:\w+: )?(?:error: |fatal: )?", "", line.strip()) for line in stderr.splitlines())
    return "\n".join(dict.fromkeys(line for line in lines if line))


# Wordings of Slurm 22.05 to 26.05; the first one found counts. "Job violates accounting/QOS policy" is printed for
# limits on the number of jobs and on the size of one; the line before it names the limit.
_WORDINGS = [
    (Trouble.DISABLED, r"accounting storage is disabled"),
    (Trouble.LIMIT, r"\b(Assoc|QOS|Max)\w*Submit"),
    (Trouble.REFUSED, r"\b((Assoc|QOS)(Max|Min|Grp|Job|Usage|Time)|Max[A-Z]\w*Per(Account|User))"),
    (Trouble.LIMIT, r"job submit limit|job queue full|unable to accept job|unable to create job record, try again"),
    # An administrator has closed it, for example for maintenance; it will be opened again.
    (Trouble.CLOSED, r"required (partition|node) not available|(inactive or|down or|down,) drain"),
    (Trouble.ARRAY, r"invalid job array specification"),
    (
        Trouble.UNREACHABLE,
        r"unable to (contact slurm controller|connect to database|establish controller|load job state)|timed out"
        r"|zero bytes|connection (refused|reset|failure)|message (send|receive) failure|communication shutdown"
        r"|persist_?(conn|init)|talking to (the )?database|standby mode|munge|authentication|temporarily|try again"
        r"|can't find an address|no route to host|unreachable|unknown host|configuration (source|file)|retrying in"
        r"|submissions disabled",
    ),
    # Also for a job that has ended: there is nothing left to change or cancel.
    (Trouble.UNKNOWN_JOB, r"invalid job id|already completing or completed|has already finished|no longer pending"),
    (
        Trouble.REFUSED,
        r"submission failed|allocation failure|invalid|denied|not permitted|not available|can not be satisfied"
        r"|unrecognized option|unable to open file|exceeds|specification",
    ),
]


def diagnose(stderr: str) -> Trouble:
    """Return the class of a command's messages."""
    for trouble, wording in _WORDINGS:
        if re.search(wording, stderr, re.IGNORECASE):
            return trouble
    return Trouble.OTHER
