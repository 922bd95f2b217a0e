"""Who may do what: one table of all operations, and the only place where it is enforced.

`permit` is a dependency of every route. It judges by the role of the caller and by what its token is good for. Routes
that name a job or a task take it as `JobId` or `TaskId`: a job that the caller may not see does not exist for it (404);
one that it sees, but may not treat like this, is refused (403). What is named in the body of a request is judged by
`find` and `require`.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from fastapi import Depends, Path, Request

from paddock.errors import NotAllowed, NotAuthorised
from paddock.models import Role, TokenScope
from paddock.server.api.caller import CALLER, By, Caller
from paddock.server.api.server import At, Server
from paddock.server.store import jobs, tasks
from paddock.server.store.jobs import FoundJob


class Right(Enum):
    """What somebody may do to a job."""

    SEE = "see"  # the team, or only its owner: the visibility of the job decides
    READ = "read"  # its logs, files, code, commands and environment: as the setting team.logs says
    CONTROL = "control"  # stop, hold, limit or remove it: its owner, and admins
    CHANGE = "change"  # change it, or run it again: only its owner, since it runs as its owner


@dataclass(frozen=True)
class Permission:
    """Who may use an operation."""

    role: Role | None  # this one or a higher one; None: everybody, also who has not signed in
    right: Right | None = None  # that is needed to the job that the operation names
    reads: bool = False  # it changes nothing: a token that may only read is enough
    feeds: bool = False  # and so is one that is only for the calendar's address


EVERYBODY = Permission(None)
LOOK = Permission(Role.GUEST, reads=True)
FEED = Permission(Role.GUEST, reads=True, feeds=True)
SEE_JOB = Permission(Role.GUEST, Right.SEE, reads=True)
READ_JOB = Permission(Role.USER, Right.READ, reads=True)
PREFER = Permission(Role.GUEST)  # changes nothing but the caller's own account
LOOK_AROUND = Permission(Role.USER, reads=True)
SUBMIT = Permission(Role.USER)
CONTROL_JOB = Permission(Role.USER, Right.CONTROL)
CHANGE_JOB = Permission(Role.USER, Right.CHANGE)
MANAGE = Permission(Role.ADMIN)
REVIEW = Permission(Role.ADMIN, reads=True)

# The name of the function that answers -> who may use it. What is missing here is refused, and a test is red.
PERMISSIONS = {
    "list_jobs": LOOK,
    "job_facets": LOOK,
    "act_on_jobs": SUBMIT,  # each job by the right of `BULK_RIGHTS`
    "show_queue": LOOK,
    "plan_jobs": SUBMIT,
    "list_views": LOOK,
    "save_view": PREFER,
    "delete_view": PREFER,
    "submit_job": SUBMIT,
    "preview_job": SUBMIT,
    "preflight_job": SUBMIT,
    "preview_files": SUBMIT,
    "show_job": SEE_JOB,  # without what `Right.READ` is needed for, for those who do not have it
    "edit_job": CHANGE_JOB,
    "remove_job": CONTROL_JOB,
    "stop_job": CONTROL_JOB,
    "restart_job": CHANGE_JOB,
    "resize_job": CONTROL_JOB,
    "hold_job": CONTROL_JOB,
    "release_job": CONTROL_JOB,
    "limit_job": CONTROL_JOB,
    "job_files": READ_JOB,
    "job_parts": READ_JOB,
    "list_tasks": SEE_JOB,
    "task_columns": SEE_JOB,
    "job_gpus": SEE_JOB,
    "job_curves": SEE_JOB,
    "job_metric_names": SEE_JOB,
    "export_job": SEE_JOB,
    "show_search": SEE_JOB,
    "show_objective": SEE_JOB,
    "change_objective": CHANGE_JOB,
    "extend_job": CHANGE_JOB,
    "list_code": READ_JOB,
    "preview_code": READ_JOB,
    "download_code": READ_JOB,
    "diff_jobs": READ_JOB,
    "mark_metric": CHANGE_JOB,
    "show_task": SEE_JOB,  # without what `Right.READ` is needed for, for those who do not have it
    "edit_task": CHANGE_JOB,
    "list_attempts": SEE_JOB,
    "task_curves": SEE_JOB,
    "where_to_attach": CHANGE_JOB,  # only its owner: who attaches can do whatever the task can
    "stop_task": CONTROL_JOB,
    "restart_task": CHANGE_JOB,
    "resize_task": CONTROL_JOB,
    "read_log": READ_JOB,
    "follow_log": READ_JOB,
    "list_files": READ_JOB,
    "preview_file": READ_JOB,
    "list_images": READ_JOB,
    "show_image": READ_JOB,
    "download_file": READ_JOB,
    "follow_events": LOOK,
    "list_nodes": LOOK,
    "load": LOOK,
    "load_history": LOOK,
    "scrape": LOOK,
    "inspect_script": SUBMIT,
    "list_hosts": LOOK,
    "list_devices": LOOK,
    "report_usage": LOOK_AROUND,  # of others only as `team.ranking` says
    "export_usage": LOOK_AROUND,
    "list_use": LOOK_AROUND,
    "show_use": LOOK_AROUND,
    "overview": LOOK,
    "list_reservations": LOOK,
    "show_reservation": LOOK,
    "first_free": LOOK,
    "make_reservation": SUBMIT,
    "change_reservation": SUBMIT,  # one's own; admins: all
    "cancel_reservation": SUBMIT,
    "release_reservation": SUBMIT,
    "list_wanted": LOOK_AROUND,
    "forget_wanted": SUBMIT,
    "calendar_feed": FEED,
    "scan_keys": MANAGE,
    "add_hosts": MANAGE,
    "lose_host": MANAGE,
    "forget_host": MANAGE,
    "list_backends": LOOK,
    "list_environments": LOOK_AROUND,
    "list_profiles": LOOK,
    "list_samples": LOOK,
    "health": LOOK,
    "prune": MANAGE,
    "version": LOOK,
    "sign_in_methods": EVERYBODY,
    "sign_in_browser": EVERYBODY,
    "sign_out_browser": EVERYBODY,
    "begin_oidc": EVERYBODY,
    "finish_oidc": EVERYBODY,
    "open_setup": EVERYBODY,
    "set_up_account": EVERYBODY,
    "show_team": LOOK,
    "switch_team": MANAGE,
    "check_team": MANAGE,
    "show_me": LOOK,
    "change_me": PREFER,
    "change_password": PREFER,
    "list_tokens": LOOK,
    "make_token": PREFER,
    "revoke_token": PREFER,
    "list_sessions": LOOK,
    "end_session": PREFER,
    "show_layout": LOOK,
    "save_layout": PREFER,
    "list_notices": LOOK,
    "read_notices": PREFER,
    "show_choices": LOOK,
    "choose_notices": SUBMIT,  # guests have no jobs, and need no messages from this server
    "try_notices": SUBMIT,
    "list_accounts": LOOK_AROUND,
    "add_account": MANAGE,
    "change_account": MANAGE,
    "list_groups": LOOK_AROUND,
    "add_group": MANAGE,
    "change_group": MANAGE,
    "remove_group": MANAGE,
    "list_invites": REVIEW,
    "make_invite": MANAGE,
    "withdraw_invite": MANAGE,
    "list_rules": LOOK_AROUND,  # who is no admin sees those that are about them
    "add_rule": MANAGE,
    "change_rule": MANAGE,
    "remove_rule": MANAGE,
    "try_rules": LOOK_AROUND,  # of others, only admins
    "allowed_hours": LOOK,
    "list_quotas": LOOK_AROUND,  # who is no admin sees those that are about them
    "set_quota": MANAGE,
    "remove_quota": MANAGE,
    "my_quota": LOOK_AROUND,
    "list_violations": LOOK_AROUND,  # of others, only admins
    "ask_intruder": SUBMIT,  # the owner of the reservation, and admins
    "end_intruder": MANAGE,
    "exempt_violation": MANAGE,
    "list_exemptions": REVIEW,
    "add_exemption": MANAGE,
    "remove_exemption": MANAGE,
    "list_audit": LOOK,  # of others, only admins
}
BULK_RIGHTS = dict.fromkeys(("stop", "remove", "hold", "release"), Right.CONTROL) | dict.fromkeys(
    ("pin", "unpin", "tag", "untag"), Right.CHANGE
)

_RANKS = {Role.GUEST: 0, Role.USER: 1, Role.ADMIN: 2}
_SCOPES = {
    TokenScope.READ: "This token may only read: make one with the scope `all` for this.",
    TokenScope.FEED: "This token is only good for the calendar: make one with another scope.",
}
_ROLES = {
    Role.USER: "Guests may look at jobs, not run them or read their files: ask an admin for the role `user`.",
    Role.ADMIN: "Only admins of this server may do this.",
}


async def permit(request: Request) -> None:  # async: needs no worker thread
    """Refuse an operation that the caller's role or token does not allow."""
    check(_permission(request), request.scope.get(CALLER))


def check(permission: Permission, caller: Caller | None) -> None:
    """Raise NotAuthorised or NotAllowed unless the caller may use an operation with this permission."""
    if permission.role is None:
        return
    if caller is None:
        raise NotAuthorised
    feeds = caller.scope is TokenScope.FEED
    if (feeds and not permission.feeds) or (caller.scope is TokenScope.READ and not permission.reads):
        raise NotAllowed(_SCOPES[caller.scope])
    if _RANKS[caller.role] < _RANKS[permission.role]:
        raise NotAllowed(_ROLES[permission.role])


def _permission(request: Request) -> Permission:
    found = PERMISSIONS.get(request.scope["route"].name)
    if found is None:  # better closed than open
        raise NotAllowed("This route is not in the table of permissions: nobody may use it.")
    return found


def may(at: Server, by: Caller, right: Right, owner: str) -> bool:
    """Return True if the caller has this right to a job, of this owner, that it sees."""
    if right is Right.SEE or not by.team or by.name == owner:
        return True
    if right is Right.READ:
        return by.role is Role.ADMIN or (by.role is Role.USER and at.settings.team.logs == "team")
    return right is Right.CONTROL and by.role is Role.ADMIN


def require(at: Server, by: Caller, right: Right, job: FoundJob) -> None:
    """Raise NotAllowed unless the caller has this right to a job that it sees."""
    if may(at, by, right, job.owner):
        return
    if right is Right.READ:
        raise NotAllowed(f"Job {job.id} is of {job.owner}: here, only they read its logs, files, code and commands.")
    who = "they or an admin" if right is Right.CONTROL else "they"
    raise NotAllowed(f"Job {job.id} is of {job.owner}: only {who} may do this.")


def find(at: Server, by: Caller, text: str, right: Right) -> str:
    """Return the id of a job that a request names.

    Raise NotFound if the caller may not see it, and NotAllowed without this right to it. Outside of any transaction:
    what admins read of others is written down.
    """
    with at.db.read() as c:
        found = jobs.find(c, text, by.sight)
    require(at, by, right, found)
    if right is Right.READ:
        at.reads.record(by, found.id, found.owner)
    return found.id


JobText = Annotated[str, Path(description="the id of a job, or the beginning of its id", max_length=64)]
TaskText = Annotated[str, Path(description="the id of a task; its job part may be shortened", max_length=64)]


def _job(request: Request, at: At, by: By, job: JobText) -> str:
    return find(at, by, job, _right(request))


def _other(request: Request, at: At, by: By, other: JobText) -> str:
    return find(at, by, other, _right(request))


def _task(request: Request, at: At, by: By, task: TaskText) -> str:
    right = _right(request)
    with at.db.read() as c:
        found, job = tasks.find(c, task, by.sight)
    require(at, by, right, job)
    if right is Right.READ:
        at.reads.record(by, job.id, job.owner)
    return found


def _right(request: Request) -> Right:
    found = _permission(request).right
    if found is None:
        raise NotAllowed("The table of permissions does not say which right to a job this needs: nobody may use it.")
    return found


JobId = Annotated[str, Depends(_job)]
OtherJobId = Annotated[str, Depends(_other)]
TaskId = Annotated[str, Depends(_task)]
