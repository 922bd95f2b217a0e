"""Slurm's reasons for waiting, in plain words. Pure."""

from paddock.backends.slurm.parse import QueueRow

# Slurm's word -> what it means. {partition} is where it waits.
_WORDS = {
    "Resources": "waits for a free place in partition {partition}",
    "Priority": "waits for a free place in partition {partition}; others come first",
    "Dependency": "waits for another allocation to end",
    "DependencyNeverSatisfied": "waits for an allocation that did not end well",
    "JobHeldUser": "held: release it to let it start",
    "JobHeldAdmin": "held by an administrator of the cluster",
    "BeginTime": "waits for the time at which it may begin",
    "Reservation": "waits for its reservation to begin",
    "ReservationDeleted": "its reservation was deleted",
    "Licenses": "waits for a licence",
    "NodeDown": "a node that it needs is down",
    "ReqNodeNotAvail": "a node that it needs is down, drained or reserved",
    "PartitionDown": "partition {partition} is down",
    "PartitionInactive": "partition {partition} starts no jobs at the moment",
    "InactiveLimit": "the allocation was inactive for too long",
    "QOSUsageThreshold": "the quality of service (QOS) is used up at the moment",
    "JobLaunchFailure": "could not be launched on its node: ask the cluster's administrators",
    "launch_failed_requeued_held": "could not be launched on its node, and is held: ask the cluster's administrators",
    "JobHoldMaxRequeue": "was requeued too often, and is held",
    "Cleaning": "its last start is being cleaned up",
    "Prolog": "its node is being prepared",
    "FrontEndDown": "the front end of the cluster is down",
    "SystemFailure": "Slurm itself has failed: ask the cluster's administrators",
    "InvalidAccount": "its account is not valid on this cluster",
    "InvalidQOS": "its quality of service (QOS) is not valid on this cluster",
    "AccountNotAllowed": "its account may not use partition {partition}",
    "QOSNotAllowed": "its quality of service (QOS) may not use partition {partition}",
    "BadConstraints": "no node can ever give what it asks for",
    "PartitionConfig": "no node of partition {partition} can ever give what it asks for",
    "PartitionNodeLimit": "asks for more nodes than partition {partition} gives",
    "PartitionTimeLimit": "asks for more time than partition {partition} gives",
    "TimeLimit": "has reached its time limit",
    "": "was just submitted",
}
_NEVER = {
    *("DependencyNeverSatisfied", "JobHeldUser", "JobHeldAdmin", "ReservationDeleted", "launch_failed_requeued_held"),
    *("JobHoldMaxRequeue", "InvalidAccount", "InvalidQOS", "AccountNotAllowed", "QOSNotAllowed", "BadConstraints"),
    *("PartitionConfig", "PartitionNodeLimit", "PartitionTimeLimit"),
}
_SCOPES = {"QOS": "of its quality of service (QOS)", "Assoc": "of its user or account"}
_WHATS = {
    "CpuLimit": "cores",
    "CPU": "cores",
    "Cpu": "cores",
    "GRES": "GPUs",
    "Gres": "GPUs",
    "Mem": "memory",
    "Node": "nodes",
    "JobsLimit": "running jobs",
    "MaxJobs": "running jobs",
    "Jobs": "running jobs",
    "SubmitJob": "submitted jobs",
    "WallDuration": "time",
    "Wall": "time",
    "Minutes": "used-up time",
    "Billing": "billing",
}


def waiting(row: QueueRow, gpus: bool, ahead: int | None) -> str:
    """Return why it waits, as one line: `waits for a free GPU in partition volta: 3 jobs ahead`."""
    text = _words(row.reason).replace("{partition}", row.partition)
    if gpus:
        text = text.replace("a free place", "a free GPU")
    if ahead and row.reason in ("Resources", "Priority"):
        several = f"{ahead} jobs" if ahead > 1 else "1 job"
        text = text.partition(";")[0] + f": {several} ahead"
    if never(row.reason) and "release" not in text:
        text += ": it will not start by itself"
    return text


def never(reason: str) -> bool:
    return reason.partition(",")[0].strip() in _NEVER


def _words(reason: str) -> str:
    word = reason.partition(",")[0].strip().strip("()")
    if word in _WORDS:
        return _WORDS[word]
    for scope, whose in _SCOPES.items():
        if word.startswith(scope):
            what = next((name for part, name in _WHATS.items() if part in word), None)
            limit = f"the limit of {what}" if what else "a limit"
            return f"{limit} {whose} is reached ({word})"
    return f"waits: {reason}"
