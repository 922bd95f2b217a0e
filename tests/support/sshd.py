"""Real sshd on loopback ports: several "hosts" that are this machine, by names that ssh's configuration knows.

    with ssh_hosts(3) as rig:
        subprocess.run([*rig.ssh, "gpu1", "true"])

Without root they let in only the user who runs the tests. As all hosts are one machine, their agents must not share a
folder: `{host}` in the folder of the settings is the name of the host.
"""

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from paddock.common import processes
from tests.runner.scripted import ScriptedGpus
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.server import wait_for

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""
NEEDS_SSHD = pytest.mark.skipif(not SSHD or not shutil.which("ssh"), reason="needs openssh-server and openssh-client")
_SERVER = """\
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
UseDNS no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PrintMotd no
MaxStartups 100
LogLevel ERROR
SetEnv PATH={folder}/{name}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
"""
_CLIENT = """\
Host {name}
    HostName 127.0.0.1
    Port {port}
    User {login}
    IdentityFile {folder}/key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
"""


@dataclass
class SshHost:
    """One sshd. It keeps its port and its key over restarts."""

    name: str
    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, or start it again."""
        with open(self.folder / f"{self.name}.log", "ab") as log:
            argv = [SSHD, "-D", "-e", "-f", str(self.folder / f"{self.name}.conf")]
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        wait_for(self._answers, what=f"sshd of {self.name}")

    def _answers(self) -> bool:
        assert self.process is not None and self.process.poll() is None, self.log
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                return connection.recv(4) == b"SSH-"
        except OSError:
            return False

    @property
    def gpus(self) -> ScriptedGpus:
        """Its GPUs, if it has any."""
        return ScriptedGpus(self.folder / self.name / "bin" / "gpus.json")

    @property
    def log(self) -> str:
        return (self.folder / f"{self.name}.log").read_text()

    def sessions(self) -> list[int]:
        """Return the processes of sshd that serve connections, without the shells and agents below them."""
        if self.process is None:
            return []
        found, waiting = [], [self.process.pid]
        while waiting:
            for child in processes.children(waiting.pop()):
                if processes.read(f"/proc/{child}/comm").startswith(b"sshd"):
                    found.append(child)
                    waiting.append(child)
        return found

    def stop(self) -> None:
        """Stop it and its connections (SIGSTOP): as a host that does not answer, whose processes go on."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `stop`."""
        self._signal_all(signal.SIGCONT)

    def kill(self) -> None:
        """Kill it and its connections. What was started over them goes on."""
        if self.process is None:
            return
        self._signal_all(signal.SIGSTOP)
        for pid in (*self.sessions(), self.process.pid):  # itself last: they could not be found after it
            processes.signal_process(pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def cut(self) -> int:
        """Kill its connections; it takes new ones. Return how many processes of sshd were killed."""
        found = self.sessions()
        for pid in found:
            processes.signal_process(pid, signal.SIGKILL)
        return len(found)

    def _signal_all(self, number: int) -> None:
        assert self.process is not None
        processes.signal_process(self.process.pid, number)  # first: so that none is added meanwhile
        for pid in self.sessions():
            processes.signal_process(pid, number)


@dataclass
class SshRig:
    """Several hosts, and how they are reached."""

    folder: Path
    hosts: dict[str, SshHost]

    @property
    def names(self) -> list[str]:
        return list(self.hosts)

    @property
    def ssh(self) -> list[str]:
        """The setting `ssh` of a backend of these hosts."""
        return ["ssh", "-F", str(self.folder / "config")]

    @property
    def public_key(self) -> str:
        """The line that lets one in, as it is in authorized_keys."""
        return (self.folder / "authorized_keys").read_text()

    def __getitem__(self, name: str) -> SshHost:
        return self.hosts[name]


@contextmanager
def ssh_hosts(
    count: int = 1, *, gpus: int = 0, login: str | None = None, reader: str | None = None
) -> Iterator[SshRig]:
    """Start hosts gpu1, gpu2 and so on. Everything that was started over ssh must have been ended by the caller.

    `gpus`: how many scripted GPUs each has; see `SshHost.gpus`. Agents and what they start find them by nvidia-smi.

    `login`: the account that ssh signs in as, this one if not given; as root any other works too (`ssh USER@gpu1`).
    `reader`: the account that runs ssh and owns the key, if it is not this one.
    """
    with tempfile.TemporaryDirectory(prefix="paddock-sshd-", dir="/tmp") as place:
        folder = Path(place)
        folder.chmod(0o755)  # sshd reads authorized_keys as the user who signs in
        login = login or pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd of root does not start without it
        for name in ("key", "host_key"):
            argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tests", "-f", str(folder / name)]
            subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)
        (folder / "authorized_keys").write_text(f"restrict {(folder / 'key.pub').read_text()}")
        if reader is not None:
            shutil.chown(folder / "key", reader)
        hosts = {name: SshHost(name, _free_port(), folder) for name in (f"gpu{n + 1}" for n in range(count))}
        for host in hosts.values():
            given = {"folder": folder, "name": host.name, "port": host.port, "login": login}
            if gpus:
                install_nvidia_smi(folder / host.name / "bin", gpus, mark=f"{host.name}-")
            (folder / f"{host.name}.conf").write_text(_SERVER.format(**given))
            with open(folder / "config", "a") as config, open(folder / "known_hosts", "a") as known:
                config.write(_CLIENT.format(**given))
                known.write(f"[127.0.0.1]:{host.port} {(folder / 'host_key.pub').read_text()}")
        try:
            for host in hosts.values():
                host.start()
            yield SshRig(folder, hosts)
        finally:
            for host in hosts.values():
                host.kill()


def _free_port() -> int:
    """Return a port that nobody uses, below those that the system gives to clients: it must be free again later."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port
