"""Run allocations on a Kubernetes cluster: a bare pod each, and one `kubectl get pods` for all of them.

A pod is never restarted by the cluster (restartPolicy Never): Paddock asks for another allocation, and knows why.
"""

import json
import logging
import os
import pwd
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from paddock.backends.base import Enforcement, PollPace, WantedReservation
from paddock.backends.kubernetes import pods, reading
from paddock.backends.kubernetes.commands import Kubectl, complaint
from paddock.backends.kubernetes.notes import Note, Notes, NoteState
from paddock.backends.kubernetes.pods import MANAGED, PodPlan, PodUser
from paddock.backends.kubernetes.reading import PodView
from paddock.errors import BackendBusy, BackendError, BackendUnavailable
from paddock.models import (
    AllocationBatch,
    AllocationChange,
    AllocationState,
    AllocationStatus,
    Cause,
    Check,
    HostInfo,
    Node,
    Traits,
)
from paddock.rules.giving_way import Others
from paddock.settings import KubernetesSettings

log = logging.getLogger("paddock.kubernetes")

NODES_SECONDS = 30.0
CHUNK = 100  # pods in one command
AT_ONCE = 8  # commands, where each is about one pod
_OURS = ",".join(f"{name}={value}" for name, value in MANAGED.items())


class KubernetesBackend:
    traits = Traits(queued=True, counts_memory=True, counts_cores_of_gpu_tasks=True)
    sure = False
    hides_others = False

    def __init__(
        self, name: str, folder: Path, settings: KubernetesSettings, home: Path, clock: Callable[[], float] = time.time
    ) -> None:
        """`folder` contains one small file per allocation. `home` is Paddock's."""
        self.name = name
        self.pace = PollPace(settings.poll_seconds, max(settings.rest_seconds, settings.poll_seconds), NODES_SECONDS)
        self.queue_length: int | None = None
        self.kubectl = Kubectl(settings)
        self._settings = settings
        self._notes = Notes(folder)
        self._plan = PodPlan(settings, account(home))
        self._clock = clock
        self._seen: dict[str, PodView] = {}

    # --- submissions --------------------------------------------------------------------------------------------------

    def submit(self, batch: AllocationBatch) -> Sequence[str]:
        """Create the pods. Those that exist are ours: a name is used once."""
        self._refuse(batch)
        ids = [pods.name_of(batch, number) for number in range(batch.count)]
        for number, one in enumerate(ids):
            if self._notes.get(one) is None:
                self._notes.keep(Note(one, pods.pod(batch, number, self._plan)))
        asked = [note for note in self._notes.those(ids) if note.state == "asked"]
        error = self._create(asked)
        if isinstance(error, BackendUnavailable):
            raise error  # it is asked again: then those that exist are known
        made = [note.id for note in self._notes.those(ids) if note.state != "asked"]
        for one in set(ids) - set(made):  # the cluster takes no more of them: they will never be
            self._notes.drop(one)
        if error is not None and not made:
            raise error
        return made

    def _refuse(self, batch: AllocationBatch) -> None:
        """Raise BackendError for what no pod can be."""
        if (batch.resources.nodes or 1) > 1:
            raise BackendError("tasks of several nodes are not possible on Kubernetes: a pod is on one node")
        if batch.user is not None:
            raise BackendError("tasks of other Unix accounts (team.run_as = user) are not possible on Kubernetes")
        image = pods.image_of(batch)
        if not image or image.startswith("/"):
            named = "give `container`, or `image` in the settings of the backend"
            raise BackendError(f"a pod needs the name of an image in a registry: {named}")

    def _create(self, notes: Sequence[Note]) -> BackendError | None:
        """Create pods, in their order. Return the cluster's complaint if it does not take all of them."""
        for begin in range(0, len(notes), CHUNK):
            some = notes[begin : begin + CHUNK]
            listed = {"apiVersion": "v1", "kind": "List", "items": [note.pod for note in some]}
            result = self.kubectl.try_run("create", "--validate=false", "-o", "name", "-f", "-", given=listed)
            there = {line.partition("/")[2].partition(" ")[0] for line in result.out.splitlines()}
            if result.code:
                there |= self._known(some)
            for note in some:
                if note.id in there:
                    self._notes.keep(replace(note, state="made"))
            if any(note.id not in there for note in some):
                return complaint(result.err)
        return None

    def _known(self, notes: Sequence[Note]) -> set[str]:
        """Return which of these pods exist, after an error: some may have been created, now or by an earlier call."""
        views = self._look()
        wanted = {note.id: note.pod["metadata"]["annotations"][pods.FOLDER_NOTE] for note in notes}
        found = {name: view for name, view in views.items() if name in wanted}
        strangers = [name for name, view in found.items() if view.folder != wanted[name]]
        if strangers:
            raise BackendError(f"the namespace has another pod {strangers[0]}, which this server has not made")
        # One that is being deleted makes room for its successor.
        return {name for name, view in found.items() if view.ending is None}

    # --- reading ------------------------------------------------------------------------------------------------------

    def poll(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        over = [note for note in self._notes.all() if note.told and note.id not in set(ids)]
        if over:
            self._forget(over)
        notes = self._notes.those(ids)
        open_notes = [note for note in notes if note.state != "ended"]
        if open_notes:
            views = self._look()
            again = [note for note in open_notes if note.state == "released" and note.id not in views]
            if again:
                self._make_again(again)
                views = self._look()
            for note in self._notes.those([note.id for note in open_notes]):
                self._follow(note, views.get(note.id))
        found = {}
        for note in self._notes.those(ids):
            status = self._status(note)
            if status is not None:
                found[note.id] = status
            if status is not None and status.state is AllocationState.ENDED:
                self._notes.keep(replace(note, told=True))
        return found

    def _make_again(self, notes: Sequence[Note]) -> None:
        """Create the pods of what was held. What the cluster refuses for good has ended."""
        error = self._create(notes)
        if isinstance(error, BackendUnavailable):
            raise error
        if error is None or isinstance(error, BackendBusy):
            return  # those that are not there are tried again in the next poll
        status = AllocationStatus(state=AllocationState.ENDED, cause=Cause.LAUNCH_FAILED, reason=error.message)
        for note in self._notes.those([note.id for note in notes]):
            if note.state == "released":
                self._end(note, status)

    def _look(self) -> dict[str, PodView]:
        """Read all pods of servers of Paddock in the namespace."""
        self._seen = reading.pod_views(self.kubectl.read("get", "pods", "-l", _OURS), self._clock())
        own = [view for name, view in self._seen.items() if self._notes.get(name) is not None]
        self.queue_length = sum(view.status.state is not AllocationState.ENDED for view in own)
        return self._seen

    def _follow(self, note: Note, view: PodView | None) -> None:
        """Note what has become of a pod."""
        if view is None:
            self._vanished(note)
            return
        if note.state in ("asked", "held", "released") and view.ending is None:
            # Its creation has succeeded after all; or its deletion, for a hold, has not: then that is asked for again.
            note = replace(note, state="made")
            self._notes.keep(note)
        if view.status.state is AllocationState.ENDED and note.state in ("made", "cancelled"):
            # After a cancel it does not matter how its container took it.
            cancelled = AllocationStatus(state=AllocationState.ENDED, node=view.node)
            self._end(note, cancelled if note.state == "cancelled" else view.status)

    def _vanished(self, note: Note) -> None:
        if note.state == "cancelled":
            self._end(note, AllocationStatus(state=AllocationState.ENDED))
        elif note.state == "made":
            reason = "its pod was deleted in the cluster: to make room, as its node is emptied, or by hand"
            self._end(note, AllocationStatus(state=AllocationState.ENDED, cause=Cause.PREEMPTED, reason=reason))

    def _end(self, note: Note, status: AllocationStatus) -> None:
        self._notes.keep(replace(note, state="ended", status=status.model_dump(mode="json")))

    def _status(self, note: Note) -> AllocationStatus | None:
        view = self._seen.get(note.id)
        if note.state == "ended":
            return note.end
        if note.state == "held":
            return AllocationStatus(state=AllocationState.PENDING, reason="held", held=True)
        if note.state == "released":
            return AllocationStatus(state=AllocationState.PENDING, reason="waits to be requested again")
        return view.status if view is not None else None

    def _forget(self, over: Sequence[Note]) -> None:
        """Delete pods that have ended, once the caller knows it. In a later poll if the cluster does not answer."""
        self._delete([note.id for note in over])
        for note in over:
            self._notes.drop(note.id)

    def trace(self, ids: Sequence[str]) -> Mapping[str, AllocationStatus]:
        return {}  # poll lists everything that is known

    # --- orders -------------------------------------------------------------------------------------------------------

    def cancel(self, ids: Sequence[str], *, waiting_only: bool = False) -> None:
        notes = [note for note in self._notes.those(ids) if note.state != "ended"]
        for note in notes:
            if note.state in ("held", "released") or not waiting_only:
                self._notes.keep(replace(note, state="cancelled"))
        if waiting_only:  # also those of an earlier call that failed
            self._take_back(self._notes.those([note.id for note in notes]), "cancelled")
        else:
            self._delete([note.id for note in notes])

    def change(self, ids: Sequence[str], change: AllocationChange) -> None:
        """Hold or release what waits, and shorten time limits. Kubernetes knows no other change, and no niceness."""
        notes = self._notes.those(ids)
        if change.held:
            self._take_back([note for note in notes if note.state == "made"], "held")
        if change.held is False:
            for note in notes:
                if note.state == "held":
                    self._notes.keep(replace(note, state="released"))
        if change.time_limit is not None:
            self._limit(ids, change.time_limit)

    def _limit(self, ids: Sequence[str], seconds: int) -> None:
        """Set the time limit of pods. The cluster lets it be shortened only; what is held gets any."""
        wanted = seconds + pods.PULL_SECONDS
        there = []
        for note in self._notes.those(ids):
            spec = {**note.pod["spec"], "activeDeadlineSeconds": wanted}
            before = note.pod["spec"].get("activeDeadlineSeconds")
            if note.state in ("ended", "cancelled") or before == wanted:
                continue
            self._notes.keep(replace(note, pod={**note.pod, "spec": spec}))
            if note.state in ("asked", "made"):
                there.append(note.id)
        patch = json.dumps({"spec": {"activeDeadlineSeconds": wanted}})
        refused = self._each(there, lambda one: ("patch", "pod", one, "-p", patch))
        if refused:
            why = next(iter(refused.values()))
            raise BackendError(f"Kubernetes only shortens the time limit of a pod that there is: {why}")

    def _take_back(self, notes: Sequence[Note], state: NoteState) -> None:
        """Delete pods that wait, unless they have been started by now: exactly those that were looked at."""
        views = self._look() if notes else {}
        waiting = {note.id: note for note in notes if note.id in views and views[note.id].waiting}
        for note in waiting.values():
            self._notes.keep(replace(note, state=state))
        path = self._path() if waiting else ""

        def precisely(one: str) -> dict[str, Any]:
            same = {"uid": views[one].uid, "resourceVersion": views[one].version}
            return {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": same}

        refused = self._each(list(waiting), lambda one: ("delete", "--raw", f"{path}/{one}", "-f", "-"), precisely)
        for one, text in refused.items():
            if "NotFound" not in text:  # it is about to run: it stays as it was
                self._notes.keep(waiting[one])

    def _path(self) -> str:
        """Return the path of pods in the API."""
        namespace = self._settings.namespace
        if namespace is None:
            found = self.kubectl.run("config", "view", "--minify", "-o", "jsonpath={..namespace}").strip()
            namespace = found or "default"
        return f"/api/v1/namespaces/{namespace}/pods"

    def _each(
        self,
        names: Sequence[str],
        argv: Callable[[str], Sequence[str]],
        given: Callable[[str], object] = lambda one: None,
    ) -> dict[str, str]:
        """Run one command per pod, several at a time. Return what was refused, by pod."""

        def run(one: str) -> str:
            result = self.kubectl.try_run(*argv(one), given=given(one))
            if not result.code:
                return ""
            error = complaint(result.err)
            if isinstance(error, BackendUnavailable):
                raise error
            return error.message

        if not names:
            return {}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return {one: text for one, text in zip(names, pool.map(run, names), strict=True) if text}

    def _delete(self, names: Sequence[str]) -> None:
        for begin in range(0, len(names), CHUNK):
            some = names[begin : begin + CHUNK]
            self.kubectl.run("delete", "pod", "--wait=false", "--ignore-not-found", *some)

    def reserve(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> Mapping[str, Enforcement]:
        """Do nothing: Kubernetes has no reservations."""
        return {}

    def others(self) -> Others | None:
        return None  # an ordinary account does not see the pods of other namespaces; the cluster's priorities decide

    def hosts(self) -> Sequence[HostInfo]:
        return ()

    def close(self) -> None:
        """Do nothing: nothing is open."""

    # --- before -------------------------------------------------------------------------------------------------------

    def script(self, batch: AllocationBatch) -> str | None:
        """Return the first pod as text."""
        return json.dumps(pods.pod(batch, 0, self._plan), indent=1)

    def check(self, batch: AllocationBatch) -> Check:
        """Return the answer of a server-side dry run for one pod."""
        try:
            self._refuse(batch)
            one = pods.pod(batch, 0, self._plan)
            self.kubectl.run("create", "--dry-run=server", "--validate=false", "-o", "name", "-f", "-", given=one)
        except BackendUnavailable:
            raise
        except BackendError as error:
            return Check(accepted=False, message=error.message)
        return Check(accepted=True, message="the cluster accepts its pod; when it runs is up to its scheduler")

    def nodes(self) -> Sequence[Node]:
        """Return the nodes; if they may not be listed, one node that has what the quota or the settings allow."""
        views = [view for name, view in self._look().items() if self._notes.get(name) is not None]
        result = self.kubectl.try_run("get", "nodes", "-o", "json")
        if result.code and "forbidden" not in result.err.lower():
            raise complaint(result.err)
        if result.code:
            return [self._pretended(views)]
        try:
            found = reading.nodes(json.loads(result.out), views, self.name, self._settings)
        except (ValueError, RecursionError):
            raise BackendUnavailable("kubectl printed something that is not JSON") from None
        self._plan = replace(self._plan, gpu_types=reading.gpu_types(found))
        return found

    def _pretended(self, views: Sequence[PodView]) -> Node:
        settings = self._settings
        result = self.kubectl.try_run("get", "resourcequotas", "-o", "json")
        quotas: dict[str, float] = {}
        if not result.code:
            try:
                quotas = reading.of_quotas(json.loads(result.out), settings)
            except (ValueError, RecursionError):
                log.warning("the quotas of %s cannot be read", self.name)
        given = {"cpu": settings.cpus, "memory": settings.memory, settings.gpu: settings.gpus}
        there = {kind: number for kind, number in given.items() if number is not None}
        limits = {kind: int(number) for kind, number in quotas.items()} | there
        if not limits.get("cpu"):
            raise BackendUnavailable(
                "nodes may not be listed, and the namespace has no quota of cores: set `cpus`, `memory` and `gpus`"
            )
        return reading.pretended(limits, [view for view in views if view.node], self.name, self.name, settings)


def account(home: Path) -> PodUser:
    """Return the account of this process, as pods have it."""
    uid, gid = os.getuid(), os.getgid()
    try:
        about = pwd.getpwuid(uid)
        name, place = about.pw_name, about.pw_dir
    except KeyError:
        name, place = str(uid), str(home)
    return PodUser(uid, gid, tuple(sorted(os.getgroups())), name, place, str(home))
