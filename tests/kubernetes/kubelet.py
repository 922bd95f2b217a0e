"""A kubelet that runs the containers of pods as processes of this machine, for tests of the control plane's clients.

    python -I kubelet.py SERVER TOKEN NODE FOLDER CPUS MEMORY GPUS

What it does as the real one does: it registers its node and reports that it lives, starts pods that are bound to it,
ends them with a grace period, enforces activeDeadlineSeconds, reports states and reasons, and finds its containers
again after it was killed. What it does not do: images, volumes, limits, users, namespaces of the kernel. An image that
begins with `missing/` cannot be pulled. Standard library only.
"""

import http.client
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

MARK = "PADDOCK_TEST_POD"
LOOK_SECONDS, BEAT_SECONDS = 0.15, 1.0

# As containerd's shim does, it outlives the kubelet, and keeps how its container ended. All processes end with it.
SHIM = """
import os, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from kubelet import end_all
exit_file, uid, cwd, argv = sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
problem = ""
try:
    child = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, start_new_session=True)
    with open(exit_file + ".pid.new", "w") as file:
        file.write(str(child.pid))
    os.replace(exit_file + ".pid.new", exit_file + ".pid")
    code = child.wait()
except OSError as error:
    code, problem = 128, str(error)
end_all(uid)
with open(exit_file + ".new", "w") as file:
    file.write("%d %s" % (code if code >= 0 else 128 - code, problem))
os.replace(exit_file + ".new", exit_file)
"""


def marked(uid: str) -> list[int]:
    """Return the live processes of a pod."""
    wanted, found = f"{MARK}={uid}".encode(), []
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdigit() and wanted in Path("/proc", name, "environ").read_bytes().split(b"\0"):
                state = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()[0]
                found += [int(name)] if state not in (b"Z", b"X") else []
    return found


def end_all(uid: str) -> None:
    """Kill all processes of a pod but this one, as the end of its namespace does."""
    while left := [pid for pid in marked(uid) if pid != os.getpid()]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


class Api:
    """The server's API, as JSON."""

    def __init__(self, server: str, token: str) -> None:
        self._host, self._token = urlsplit(server).netloc, token
        self._context = ssl._create_unverified_context()
        self._connection: http.client.HTTPSConnection | None = None

    def __call__(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Any:
        if self._connection is None:
            self._connection = http.client.HTTPSConnection(self._host, timeout=10, context=self._context)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": kind}
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._connection = None
            raise
        if answer.status >= 400 and answer.status not in (404, 409):
            raise OSError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if answer.status < 400 else None


class Kubelet:
    def __init__(self, api: Api, node: str, folder: Path, cpus: str, memory: str, gpus: str) -> None:
        self._api, self._node, self._folder = api, node, folder
        self._room = {"cpu": cpus, "memory": memory, "pods": "110", "nvidia.com/gpu": gpus}
        self._beat_at = 0.0
        self._ending: dict[str, float] = {}  # uid -> when it is killed
        self._told: dict[str, Any] = {}  # uid -> the status that was last reported
        for shim in folder.glob("*.shim"):  # of an earlier kubelet, which was killed before it had started it
            if not shim.with_suffix("").exists() and not marked(shim.stem):
                shim.with_suffix("").write_text("137 ")

    def run(self) -> None:
        while True:
            try:
                self._beat()
                for pod in self._api("GET", f"/api/v1/pods?fieldSelector={quote('spec.nodeName=' + self._node)}")[
                    "items"
                ]:
                    self._follow(pod)
            except OSError as error:
                print(f"kubelet {self._node}: {error}", file=sys.stderr, flush=True)
                time.sleep(0.5)
            time.sleep(LOOK_SECONDS)

    def _beat(self) -> None:
        if time.monotonic() < self._beat_at:
            return
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": _now()}
        status = {"capacity": self._room, "allocatable": self._room, "conditions": [ready]}
        path = f"/api/v1/nodes/{self._node}"
        if self._patch(f"{path}/status", {"status": status}) is None:
            labels = {"kubernetes.io/hostname": self._node}
            about = {"name": self._node, "labels": labels}
            self._api("POST", "/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": about})
            self._patch(f"{path}/status", {"status": status})
        self._beat_at = time.monotonic() + BEAT_SECONDS

    def _follow(self, pod: Any) -> None:
        about, spec = pod["metadata"], pod["spec"]
        uid, exit_file = about["uid"], self._folder / about["uid"]
        ended = exit_file.read_text() if exit_file.exists() else None
        shim = self._folder / f"{uid}.shim"
        if ended is None and not shim.exists():
            if "deletionTimestamp" in about:
                self._gone(pod)
            elif spec["containers"][0]["image"].startswith("missing/"):
                self._report(pod, "Pending", {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}})
            elif pod["status"].get("phase") == "Pending":
                self._start(pod, shim)
            return
        if ended is None:
            began = shim.stat().st_mtime
            limit = spec.get("activeDeadlineSeconds")
            grace = float(spec.get("terminationGracePeriodSeconds", 30))
            if "deletionTimestamp" in about:
                self._end(uid, float(about.get("deletionGracePeriodSeconds") or 0))
            elif limit is not None and time.time() - began > limit:
                (self._folder / f"{uid}.late").touch()
                self._end(uid, grace)
            self._report(pod, "Running", {"running": {"startedAt": _now(began)}}, began)
            return
        code, _, problem = ended.partition(" ")
        why = (
            {"reason": "StartError", "message": problem}
            if problem
            else {"reason": "Error" if int(code) else "Completed"}
        )
        late = (self._folder / f"{uid}.late").exists()
        more = {"reason": "DeadlineExceeded", "message": "Pod was active too long"} if late else {}
        phase = "Failed" if late or int(code) else "Succeeded"
        self._report(pod, phase, {"terminated": {"exitCode": int(code), **why}}, more=more)
        if "deletionTimestamp" in about:
            self._gone(pod)

    def _start(self, pod: Any, shim: Path) -> None:
        container, uid = pod["spec"]["containers"][0], pod["metadata"]["uid"]
        env = {"PATH": os.environ["PATH"], MARK: uid}
        for one in container.get("env", []):
            env[one["name"]] = one.get("value", "").replace("$$", "$") if "valueFrom" not in one else self._node
        argv = [part.replace("$$", "$") for part in container["command"]]
        os.makedirs(container["workingDir"], exist_ok=True)
        shim.write_text("")
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                SHIM,
                str(Path(__file__).parent),
                str(self._folder / uid),
                uid,
                container["workingDir"],
                *argv,
            ],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _end(self, uid: str, grace: float) -> None:
        if uid not in self._ending:
            with suppress(OSError, ValueError):
                os.kill(int((self._folder / f"{uid}.pid").read_text()), signal.SIGTERM)
                self._ending[uid] = time.monotonic() + grace
        elif time.monotonic() > self._ending[uid]:
            with suppress(OSError, ValueError):
                os.killpg(int((self._folder / f"{uid}.pid").read_text()), signal.SIGKILL)

    def _report(self, pod: Any, phase: str, state: Any, began: float | None = None, more: Any = None) -> None:
        about = pod["metadata"]
        status = {"phase": phase, "containerStatuses": [{"name": "runner", "state": state}], **(more or {})}
        if self._told.get(about["uid"]) == status:
            return
        ready = "True" if phase == "Running" else "False"
        container = {
            "image": "",
            "imageID": "",
            "ready": phase == "Running",
            "restartCount": 0,
            **status["containerStatuses"][0],
        }
        conditions = [{"type": kind, "status": ready} for kind in ("Ready", "ContainersReady")]
        full = {**status, "containerStatuses": [container], "conditions": conditions}
        if began is not None:
            full["startTime"] = _now(began)
        self._patch(f"/api/v1/namespaces/{about['namespace']}/pods/{about['name']}/status", {"status": full})
        self._told[about["uid"]] = status

    def _gone(self, pod: Any) -> None:
        about = pod["metadata"]
        asked = {
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            "gracePeriodSeconds": 0,
            "preconditions": {"uid": about["uid"]},
        }
        self._api("DELETE", f"/api/v1/namespaces/{about['namespace']}/pods/{about['name']}", asked)

    def _patch(self, path: str, body: object) -> Any:
        return self._api("PATCH", path, body, "application/strategic-merge-patch+json")


def _now(at: float | None = None) -> str:
    return datetime.fromtimestamp(time.time() if at is None else at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main() -> None:
    server, token, node, folder, cpus, memory, gpus = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    Kubelet(Api(server, token), node, Path(folder), cpus, memory, gpus).run()


if __name__ == "__main__":
    main()
