"""Every file name in the job folder. See docs/job-folder.md."""

import os

JOB = "job.json"
CODE = "code"
LIB = "lib"
TASKS = "tasks.jsonl"
CONTROL = "control.jsonl"
CLAIMS = "claims"
ALLOCATIONS = "allocations"
RESULTS = "results"
WITHDRAWN = "withdrawn"


def claim(job_dir: str, task: str, attempt: int) -> str:
    return os.path.join(job_dir, CLAIMS, claim_name(task, attempt))


def claim_name(task: str, attempt: int) -> str:
    return "%s.%d" % (task, attempt)


def allocation(job_dir: str, key: str) -> str:
    return os.path.join(job_dir, ALLOCATIONS, key)


def queue(job_dir: str, key: str, dealt: bool) -> str:
    """Return the folder with the tasks and the claims of an allocation: its own one if tasks are dealt to it."""
    return allocation(job_dir, key) if dealt else job_dir


def manifest(allocation_dir: str) -> str:
    """Return the manifest of a batch. Its allocations have its name, followed by a dot and a number."""
    return "%s.manifest.json" % allocation_dir.rstrip(os.sep).rpartition(".")[0]


def journal(allocation_dir: str, number: int) -> str:
    return os.path.join(allocation_dir, "journal.%d.jsonl" % number)


def task(job_dir: str, job: str, task: str) -> str:
    """Return the results folder of a task."""
    return os.path.join(job_dir, RESULTS, job, task)


def work(task_dir: str) -> str:
    return os.path.join(task_dir, "work")


def checkpoint(task_dir: str) -> str:
    return os.path.join(task_dir, "checkpoint")


def attempt(task_dir: str, number: int) -> str:
    return os.path.join(task_dir, "attempts", str(number))


def log(attempt_dir: str) -> str:
    return os.path.join(attempt_dir, "out.log")


def params(attempt_dir: str) -> str:
    return os.path.join(attempt_dir, "params.json")


def report(attempt_dir: str) -> str:
    return os.path.join(attempt_dir, "report.jsonl")


def members(attempt_dir: str) -> str:
    """Return the folder in which the processes of a task on several nodes find each other."""
    return os.path.join(attempt_dir, "members")


def member(members_dir: str, rank: int) -> str:
    return os.path.join(members_dir, "%d.json" % rank)


def member_usage(members_dir: str, rank: int) -> str:
    """Return the file in which a member reports what it uses."""
    return os.path.join(members_dir, "%d.usage" % rank)


def member_end(members_dir: str, rank: int) -> str:
    """Return the file in which a member reports how it ended."""
    return os.path.join(members_dir, "%d.end" % rank)


def over(members_dir: str) -> str:
    """Return the file that exists once the attempt is over: a member that starts later must not begin."""
    return os.path.join(members_dir, "over")


def kept(attempt_dir: str) -> str:
    return os.path.join(attempt_dir, "kept")
