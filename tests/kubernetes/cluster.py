"""A real control plane of Kubernetes on this machine, with kubelets that run processes, for tests."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from paddock.settings import KubernetesSettings, PodVolume
from tests.kubernetes import kubelet as kubelet_module

ROOT = Path(__file__).parents[2]
RIGHTS = ROOT / "docs" / "kubernetes-rights.yaml"
NAMESPACE = "ml"
PATIENCE = 60.0
NODES = {"alpha": "2", "beta": "0"}  # with their GPUs
CPUS, MEMORY = "2", "4Gi"
CLAIM = "home"


def programs() -> Path:
    """Return the folder of the programs; the first call builds them."""
    made = subprocess.run(
        [sys.executable, ROOT / "tools" / "kubernetes.py"], stdout=subprocess.PIPE, text=True, check=False
    )
    assert made.returncode == 0, "the control plane cannot be built here: see above"
    return Path(made.stdout.strip())


class Cluster:
    """etcd, the API server, the controllers, the scheduler, and kubelets."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.programs = folder, programs()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._tokens = {name: secrets.token_hex(16) for name in ("admin", "paddock")}
        self._ports = dict(zip(("etcd", "peer", "api", "controllers", "scheduler"), _free_ports(5), strict=True))
        self.server = f"https://127.0.0.1:{self._ports['api']}"
        self.settings = self._settings("paddock")
        self._admin = self._settings("admin")

    # --- parts --------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        folder = self.folder
        (folder / "logs").mkdir(parents=True)
        groups = {"admin": '"system:masters"', "paddock": '""'}
        lines = [f"{token},{name},{name},{groups[name]}\n" for name, token in self._tokens.items()]
        (folder / "tokens.csv").write_text("".join(lines))
        subprocess.run(["openssl", "genrsa", "-out", folder / "accounts.key", "2048"], check=True, capture_output=True)
        self._run("etcd", self._etcd())
        self.start_api()
        wait_for(lambda: self.admin("get", "--raw", "/readyz", check=False).returncode == 0, "the API server")
        common = [f"--kubeconfig={self._admin.kubeconfig}", "--leader-elect=false", "--bind-address=127.0.0.1"]
        self._run("controllers", [
            "kube-controller-manager", *common, f"--secure-port={self._ports['controllers']}", "--port=0",
            f"--service-account-private-key-file={folder}/accounts.key", "--use-service-account-credentials=false",
            "--controllers=namespace,serviceaccount,serviceaccount-token,nodelifecycle,podgc,persistentvolume-binder,resourcequota",
            # A node is known to be gone after 4 s, not 40 s.
            "--node-monitor-period=1s", "--node-monitor-grace-period=4s", "--pvclaimbinder-sync-period=1s",
        ])  # fmt: skip
        scheduler = {
            "apiVersion": "kubescheduler.config.k8s.io/v1beta1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(self._admin.kubeconfig)},
            "leaderElection": {"leaderElect": False},
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 1,
        }
        (folder / "scheduler.json").write_text(json.dumps(scheduler))
        self._run("scheduler", [
            "kube-scheduler", f"--config={folder}/scheduler.json", "--bind-address=127.0.0.1",
            f"--secure-port={self._ports['scheduler']}", "--port=0",
        ])  # fmt: skip
        self._furnish()

    def _furnish(self) -> None:
        """Make the namespace, the rights of our account, and the claim for the home."""
        self.admin("create", "namespace", NAMESPACE)
        self.admin("create", "-f", str(RIGHTS))
        size, modes = {"storage": "1Gi"}, ["ReadWriteMany"]
        volume = {
            "capacity": size,
            "accessModes": modes,
            "hostPath": {"path": str(self.folder)},
            "storageClassName": "",
        }
        claim = {"accessModes": modes, "resources": {"requests": size}, "storageClassName": ""}
        self.create("PersistentVolume", CLAIM, volume)
        self.create("PersistentVolumeClaim", CLAIM, claim)
        wait_for(
            lambda: self.admin("get", "serviceaccount", "default", check=False).returncode == 0, "the account of pods"
        )
        wait_for(
            lambda: "Bound" in self.admin("get", "pvc", CLAIM, "-o", "jsonpath={.status.phase}").stdout, "the claim"
        )

    def _etcd(self) -> list[str]:
        at, peer = (f"http://127.0.0.1:{self._ports[name]}" for name in ("etcd", "peer"))
        addresses = ["--listen-client-urls", at, "--advertise-client-urls", at, "--listen-peer-urls", peer]
        more = ["--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}", "--unsafe-no-fsync"]
        return ["etcd", "--data-dir", str(self.folder / "etcd"), *addresses, *more]

    def start_api(self) -> None:
        folder = self.folder
        self._run("api", [
            "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self._ports['etcd']}", "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1", f"--secure-port={self._ports['api']}", f"--cert-dir={folder}/certificates",
            f"--token-auth-file={folder}/tokens.csv", "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder}/accounts.key",
            f"--service-account-signing-key-file={folder}/accounts.key", "--endpoint-reconciler-type=none",
        ])  # fmt: skip

    def start_kubelet(self, node: str) -> None:
        """Start a kubelet, also one that was killed: it takes up its containers again."""
        argv = [sys.executable, "-I", kubelet_module.__file__, self.server, self._tokens["admin"], node]
        self._run(f"kubelet-{node}", [*argv, str(self.folder / "kubelets" / node), CPUS, MEMORY, NODES[node]])
        ready = ("get", "node", node, "-o", "jsonpath={.status.conditions[?(@.type=='Ready')].status}")
        wait_for(lambda: "True" in self.admin(*ready, check=False).stdout, f"node {node}")
        untainted = ("get", "node", node, "-o", "jsonpath={.spec.taints}")
        wait_for(lambda: self.admin(*untainted, check=False).stdout in ("", "[]"), f"no taints of {node}")

    def kill(self, name: str) -> None:
        """As kill -9."""
        self.processes[name].kill()
        self.processes[name].wait()

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        for path in (self.folder / "kubelets").glob("*/*.shim"):
            for pid in kubelet_module.marked(path.stem):
                os.kill(pid, signal.SIGKILL)

    def _run(self, name: str, argv: list[str]) -> None:
        program = self.programs / argv[0]
        with open(self.folder / "logs" / name, "ab") as log:
            self.processes[name] = subprocess.Popen(
                [str(program) if program.exists() else argv[0], *argv[1:]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "GOMAXPROCS": "2"},
                start_new_session=True,
            )

    # --- asking -------------------------------------------------------------------------------------------------------

    def _settings(self, who: str) -> KubernetesSettings:
        """Return settings of a backend for one of the accounts."""
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / f"{who}.kubeconfig"
        cluster = {"server": self.server, "insecure-skip-tls-verify": True}
        context = {"cluster": "test", "user": who, "namespace": NAMESPACE}
        config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": who, "user": {"token": self._tokens[who]}}],
            "contexts": [{"name": "test", "context": context}],
        }))  # fmt: skip
        return KubernetesSettings(
            kubeconfig=config,
            kubectl=str(self.programs / "kubectl"),
            prefix=["env", f"HOME={self.folder}"],  # where kubectl keeps what it knows of the API
            image="python:3.11",
            volumes=[PodVolume(claim=CLAIM, path=str(self.folder))],
            lost_seconds=5,
            poll_seconds=0.3,
            rest_seconds=1.0,
            variables={"PYTHONDONTWRITEBYTECODE": "1"},
        )

    def admin(self, *argv: str, check: bool = True, given: object = None) -> subprocess.CompletedProcess[str]:
        whole = [str(self.programs / "kubectl"), f"--kubeconfig={self._admin.kubeconfig}", *argv]
        env = {**os.environ, "HOME": str(self.folder)}
        text = json.dumps(given) if given is not None else None
        done = subprocess.run(whole, input=text, capture_output=True, text=True, env=env, timeout=PATIENCE, check=False)
        assert not check or done.returncode == 0, f"{argv}: {done.stderr}"
        return done

    def create(self, kind: str, name: str, spec: Mapping[str, Any]) -> None:
        self.admin(
            "create", "-f", "-", given={"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
        )


def wait_for(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"still waiting for {what} after {seconds} s"
        time.sleep(0.1)


def _free_ports(count: int) -> list[int]:
    found = [socket.socket() for _ in range(count)]
    for one in found:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in found]
    for one in found:
        one.close()
    return ports
