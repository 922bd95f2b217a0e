"""Test the Kubernetes backend with a stand-in for kubectl, which prints and refuses what real clusters did.

tests/kubernetes has the contract of every backend, on a real control plane.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from paddock.backends.kubernetes import commands
from paddock.backends.kubernetes.backend import KubernetesBackend
from paddock.backends.kubernetes.commands import Kubectl, complaint
from paddock.errors import BackendBusy, BackendError, BackendUnavailable
from paddock.models import AllocationBatch, AllocationChange, Cause, Container, Resources
from paddock.settings import KubernetesSettings
from tests.backends.rig import ENDED, PENDING, RUNNING

FORBIDDEN = 'Error from server (Forbidden): pods is forbidden: User "ml" cannot list resource "pods" in API group ""'
QUOTA = 'Error from server (Forbidden): error when creating "STDIN": pods "x" is forbidden: exceeded quota: q, '

# A cluster in one file: its pods, and what it says to the next `create`.
STAND_IN = """
import json, sys
from pathlib import Path
state = Path(sys.argv[1])
argv = [one for one in sys.argv[2:] if not one.startswith(("--request-timeout", "--namespace"))]
with state.with_suffix(".calls").open("a") as file:
    file.write(json.dumps(argv) + chr(10))
cluster = json.loads(state.read_text())
pods = cluster["pods"]
def save():
    state.write_text(json.dumps(cluster))
def fail(text):
    print(text, file=sys.stderr)
    save()
    sys.exit(1)
if cluster.get("down"):
    fail("The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?")
if argv[:2] == ["get", "pods"]:
    print(json.dumps({"items": list(pods.values())}))
elif argv[0] == "create":
    room = cluster.get("room")
    for one in json.load(sys.stdin)["items"]:
        name = one["metadata"]["name"]
        if name in pods:
            fail('Error from server (AlreadyExists): error when creating "STDIN": pods "%s" already exists' % name)
        if room is not None and len(pods) >= room:
            fail(cluster["refusal"])
        one["metadata"].update(uid="u-" + name, resourceVersion="1")
        pods[name] = {**one, "status": {"phase": "Pending"}}
        print("pod/" + name)
elif argv[:2] == ["delete", "--raw"]:
    wanted, name = json.load(sys.stdin)["preconditions"], argv[2].rpartition("/")[2]
    if pods[name]["metadata"]["resourceVersion"] != wanted["resourceVersion"]:
        fail("Error from server (Conflict): the ResourceVersion in the precondition does not match")
    del pods[name]
elif argv[0] == "delete":
    for name in argv[4:]:
        pods.pop(name, None)
elif argv[:2] == ["get", "nodes"]:
    fail('Error from server (Forbidden): nodes is forbidden: User "ml" cannot list resource "nodes"')
elif argv[:2] == ["get", "resourcequotas"]:
    print(json.dumps({"items": cluster.get("quotas", [])}))
elif argv[0] == "patch":
    fail("The Pod is invalid: spec: Forbidden: may not be updated" if cluster.get("fixed") else "Error from server: no")
save()
"""


class StandIn:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "cluster.json"
        self.program = folder / "kubectl.py"
        self.program.write_text(STAND_IN)
        self.set(pods={})

    def set(self, **values: object) -> None:
        known = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.state.write_text(json.dumps({**known, **values}))

    @property
    def pods(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.state.read_text())["pods"]
        return found

    def change(self, name: str, status: Mapping[str, object], node: str | None = "alpha") -> None:
        pods = self.pods
        pods[name]["status"] = status
        pods[name]["metadata"]["resourceVersion"] = "2"
        if node:
            pods[name]["spec"]["nodeName"] = node
        self.set(pods=pods)

    def calls(self, first: str) -> list[list[str]]:
        lines = self.state.with_suffix(".calls").read_text().splitlines()
        return [argv for argv in map(json.loads, lines) if argv[0] == first]

    def open(self, **settings: object) -> KubernetesBackend:
        given = KubernetesSettings.model_validate(
            {"kubectl": sys.executable, "prefix": ["env", "X=1"], "namespace": "ml", **settings}
        )
        made = KubernetesBackend("pods", self.folder / "notes", given, self.folder)
        whole = made.kubectl._whole
        made.kubectl._whole = lambda argv: [  # type: ignore[method-assign]
            sys.executable, str(self.program), str(self.state), *whole(argv)[3:]
        ]  # fmt: skip
        return made


@pytest.fixture
def cluster(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


def batch(tmp_path: Path, count: int = 1, key: str = "k7-a1", **more: object) -> AllocationBatch:
    asked = {"container": Container(image="lab/torch", engine="pod"), **more}
    return AllocationBatch(
        key=key,
        count=count,
        name=f"paddock-{key}",
        folder=str(tmp_path / key),
        runner=["true"],
        resources=Resources.model_validate(asked),
    )


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (f"{QUOTA}requested: cpu=2, used: cpu=4, limited: cpu=4", BackendBusy),
        (f"{QUOTA}requested: cpu=8, used: cpu=0, limited: cpu=4", BackendError),
        (FORBIDDEN, BackendUnavailable),
        ("error: You must be logged in to the server (Unauthorized)", BackendUnavailable),
        ("Unable to connect to the server: dial tcp: lookup k8s.example: no such host", BackendUnavailable),
        ("Error from server (InternalError): etcdserver: request timed out", BackendUnavailable),
        ("Error from server (ServiceUnavailable): the server is currently unable to handle it", BackendUnavailable),
        ('Error from server (NotFound): namespaces "ml" not found', BackendUnavailable),
        (
            'Error from server (Forbidden): pods "x" is forbidden: no PriorityClass with name low was found',
            BackendError,
        ),
        ('Error from server (Invalid): Pod "x" is invalid: spec.tolerations: bad', BackendError),
        ("", BackendUnavailable),
    ],
)
def test_what_kubectl_complains_about(said: str, kind: type[BackendError]) -> None:
    found = complaint(f"Warning: a field is deprecated\n{said}\n")
    assert type(found) is kind
    assert "deprecated" not in found.message
    assert len(complaint("Error from server: " + "x\x1b" * 10_000).message) <= 500


class TestCommands:
    def kubectl(self, tmp_path: Path, lines: str, **settings: object) -> Kubectl:
        program = tmp_path / "kubectl"
        program.write_text(f"#!/bin/bash\n{lines}\n")
        program.chmod(0o755)
        return Kubectl(KubernetesSettings.model_validate({"kubectl": str(program), **settings}))

    def test_one_that_does_not_end_is_ended(self, tmp_path: Path) -> None:
        kubectl = self.kubectl(tmp_path, f"echo $$ > {tmp_path}/pid; sleep 600 & wait", command_seconds=1)
        with pytest.raises(BackendUnavailable, match="did not answer within 1 s"):
            kubectl.run("get", "pods")
        assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()

    def test_one_that_leaves_a_process_with_its_output_open(self, tmp_path: Path) -> None:
        assert self.kubectl(tmp_path, "sleep 600 & echo hello").run("get", "pods") == "hello\n"

    def test_one_that_prints_too_much(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(commands, "MOST_OUTPUT", 2 * 1024**2)
        with pytest.raises(BackendUnavailable, match="more than 2 MiB"):
            self.kubectl(tmp_path, "head -c 9000000 /dev/zero").run("get", "pods")

    @pytest.mark.parametrize("printed", ["", "Welcome", "[" * 100_000, '{"items": '])
    def test_one_that_prints_no_json(self, tmp_path: Path, printed: str) -> None:
        (tmp_path / "printed").write_text(printed)
        with pytest.raises(BackendUnavailable, match="not JSON"):
            self.kubectl(tmp_path, f"cat {tmp_path}/printed").read("get", "pods")

    def test_one_that_is_not_there(self) -> None:
        with pytest.raises(BackendUnavailable, match="is it installed"):
            Kubectl(KubernetesSettings(kubectl="/no/such/kubectl")).run("get", "pods")

    def test_its_command_line(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PADDOCK_DATABASE", "secret")
        shown = self.kubectl(
            tmp_path, 'printf "%s|" "$@"; env | grep PADDOCK_', namespace="ml", context="lab", kubeconfig="/x/config"
        ).try_run("get", "pods", "-l", "a=b c")
        assert (
            shown.out == "--request-timeout=20s|--kubeconfig=/x/config|--context=lab|--namespace=ml|get|pods|-l|a=b c|"
        )
        far = Kubectl(KubernetesSettings(prefix=["ssh", "login1"]))
        assert far._whole(["-l", "a=b c"])[:2] == ["ssh", "login1"]
        assert far._whole(["-l", "a=b c"])[2].endswith("-l 'a=b c'")


def test_a_pod_is_asked_for_once(cluster: StandIn, tmp_path: Path) -> None:
    first = cluster.open()
    ids = first.submit(batch(tmp_path, 2))
    assert ids == ["paddock-k7-a1.0", "paddock-k7-a1.1"] == list(cluster.pods)
    assert cluster.open().submit(batch(tmp_path, 2)) == ids
    assert len(cluster.calls("create")) == 1
    assert {one.state for one in first.poll(ids).values()} == {PENDING}
    assert first.queue_length == 2


def test_a_server_that_was_killed_while_it_asked(cluster: StandIn, tmp_path: Path) -> None:
    first = cluster.open()
    [one] = first.submit(batch(tmp_path))
    note = tmp_path / "notes" / f"{one}.json"
    note.write_text(note.read_text().replace('"made"', '"asked"'))
    assert cluster.open().submit(batch(tmp_path)) == [one], "it exists, and is ours"
    stranger = cluster.pods
    stranger[one]["metadata"]["annotations"] = {"paddock/folder": "/elsewhere"}
    cluster.set(pods=stranger)
    note.write_text(note.read_text().replace('"made"', '"asked"'))
    with pytest.raises(BackendError, match="another pod"):
        cluster.open().submit(batch(tmp_path))


def test_a_quota_takes_some_of_a_batch(cluster: StandIn, tmp_path: Path) -> None:
    cluster.set(room=2, refusal=f"{QUOTA}requested: cpu=1, used: cpu=2, limited: cpu=2")
    backend = cluster.open()
    ids = backend.submit(batch(tmp_path, 3))
    assert ids == ["paddock-k7-a1.0", "paddock-k7-a1.1"]
    with pytest.raises(BackendBusy, match="exceeded quota"):
        backend.submit(batch(tmp_path, 1, "k7-a2"))
    assert len(list((tmp_path / "notes").iterdir())) == 2, "nothing is kept of what will never be"


def test_a_cluster_that_does_not_answer_forgets_nothing(cluster: StandIn, tmp_path: Path) -> None:
    backend = cluster.open()
    [one] = backend.submit(batch(tmp_path))
    cluster.set(down=True)
    for ask in (lambda: backend.poll([one]), lambda: backend.submit(batch(tmp_path, 1, "k7-a2")), backend.nodes):
        with pytest.raises(BackendUnavailable, match="was refused"):
            ask()
    cluster.set(down=False)
    assert backend.poll([one])[one].state is PENDING
    assert backend.submit(batch(tmp_path, 1, "k7-a2")) == ["paddock-k7-a2.0"]


def test_a_pod_that_somebody_deletes_is_asked_for_again(cluster: StandIn, tmp_path: Path) -> None:
    backend = cluster.open()
    [one] = backend.submit(batch(tmp_path))
    cluster.set(pods={})
    found = backend.poll([one])[one]
    assert (found.state, found.cause, found.by_hand) == (ENDED, Cause.PREEMPTED, False)
    assert cluster.open().poll([one]) == {one: found}, "also after a restart"


def test_what_is_told_is_deleted_in_the_cluster(cluster: StandIn, tmp_path: Path) -> None:
    backend = cluster.open()
    [one] = backend.submit(batch(tmp_path))
    cluster.change(one, {"phase": "Succeeded"})
    assert backend.poll([one])[one].state is ENDED
    assert list(cluster.pods) == [one]
    assert cluster.open().poll([]) == {}
    assert not cluster.pods
    assert not list((tmp_path / "notes").iterdir())


def test_a_hold_spares_what_has_begun_meanwhile(cluster: StandIn, tmp_path: Path) -> None:
    backend = cluster.open()
    waits, begins = backend.submit(batch(tmp_path, 2))
    look = backend._look

    def and_then() -> Any:
        found = look()
        if cluster.pods[begins]["status"]["phase"] == "Pending":
            cluster.change(begins, {"phase": "Running"})
        return found

    backend._look = and_then  # type: ignore[method-assign]
    backend.change([waits, begins], AllocationChange(held=True))
    assert list(cluster.pods) == [begins]
    found = backend.poll([waits, begins])
    assert (found[waits].state, found[waits].held, found[begins].state) == (PENDING, True, RUNNING)
    backend.change([waits], AllocationChange(held=False))
    backend.poll([waits, begins])
    assert set(cluster.pods) == {waits, begins}


def test_a_hold_that_did_not_reach_the_cluster_is_no_hold(cluster: StandIn, tmp_path: Path) -> None:
    backend = cluster.open()
    [one] = backend.submit(batch(tmp_path))
    raw: Callable[..., Any] = backend.kubectl.try_run

    def fails(*argv: str, given: object = None) -> Any:
        if argv[:2] == ("delete", "--raw"):
            raise BackendUnavailable("no answer")
        return raw(*argv, given=given)

    backend.kubectl.try_run = fails  # type: ignore[method-assign]
    with pytest.raises(BackendUnavailable):
        backend.change([one], AllocationChange(held=True))
    found = backend.poll([one])[one]
    assert (found.state, found.held) == (PENDING, False)


def test_a_time_limit_can_only_be_shortened(cluster: StandIn, tmp_path: Path) -> None:
    backend = cluster.open()
    [one] = backend.submit(batch(tmp_path, time_limit=3600))
    with pytest.raises(BackendError, match="only shortens"):
        backend.change([one], AllocationChange(time_limit=7200))
    backend.change([one], AllocationChange(time_limit=7200))
    assert len(cluster.calls("patch")) == 1, "one that is refused is not asked for again"


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"resources": Resources(nodes=2, container=Container(image="x", engine="pod"))}, "several nodes"),
        ({"resources": Resources()}, "needs the name of an image"),
        ({"resources": Resources(container=Container(image="/x.sif", engine="pod"))}, "needs the name of an image"),
        ({"user": "anna"}, "other Unix accounts"),
    ],
)
def test_what_no_pod_can_be(cluster: StandIn, tmp_path: Path, asked: dict[str, Any], why: str) -> None:
    backend, wanted = cluster.open(), batch(tmp_path).model_copy(update=asked)
    with pytest.raises(BackendError, match=why):
        backend.submit(wanted)
    check = backend.check(wanted)
    assert not check.accepted and why in check.message


def test_without_the_right_to_list_nodes_the_quota_is_one(cluster: StandIn, tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable, match="set `cpus`"):
        cluster.open().nodes()
    cluster.set(quotas=[{"spec": {"hard": {"requests.cpu": "8", "requests.nvidia.com/gpu": "2"}}}])
    [node] = cluster.open().nodes()
    assert (node.name, node.cpu_slots, node.slots) == ("pods", 8, 2)
    [node] = cluster.open(cpus=4, gpus=0, memory="8G").nodes()
    assert (node.cpu_slots, node.slots, node.memory) == (4, 4, 8 * 1024**3)


@pytest.mark.parametrize("broken", ["", "{}", '{"id": "x", "pod": {}, "state": "odd"}', "[]", "\0"])
def test_a_damaged_note_is_left_out(cluster: StandIn, tmp_path: Path, broken: str) -> None:
    cluster.open()
    (tmp_path / "notes" / "x.json").write_text(broken)
    assert cluster.open().poll(["x"]) == {}
    assert os.listdir(tmp_path / "notes") == ["x.json"]
