"""Test HTTPS with real certificates and a real server, over the port and over the socket in the home."""

import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

import paddock
from paddock.cli.doctor import checks
from paddock.cli.doctor.finding import Finding, Status
from paddock.errors import InvalidInput, NotAuthorised, ServerUnreachable
from paddock.home import server_file, tls, unix_socket
from paddock.paths import Home
from paddock.settings import Settings
from tests.support.server import ServerProcess, running
from tests.support.up import Cli


def certify(folder: Path, name: str = "server", days: int = 365) -> tuple[Path, Path]:
    """A certificate that nobody but itself has signed, and its key."""
    folder.mkdir(exist_ok=True, parents=True)
    made, secret = folder / f"{name}.pem", folder / f"{name}.key"
    call = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", str(days), "-subj", "/CN=localhost"]
    call += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(secret), "-out", str(made)]
    subprocess.run(call, check=True, capture_output=True)
    secret.chmod(0o600)
    return made, secret


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certify(tmp_path_factory.mktemp("certificates"))


def given(home: Path, certificate: Path | None, key: Path | None) -> Settings:
    return Settings(home=home, tls_certificate=certificate, tls_key=key)


class TestWhatCannotBeUsed:
    """Each says in a sentence what is wrong, and names the setting."""

    def refused(self, certificate: Path | None, key: Path | None, home: Path = Path("/nowhere")) -> str:
        with pytest.raises(InvalidInput) as error:
            tls.context(given(home, certificate, key))
        assert error.value.fields
        return error.value.message

    def test_nothing_is_plain_http(self) -> None:
        assert tls.context(given(Path("/nowhere"), None, None)) is None

    def test_one_without_the_other(self, pair: tuple[Path, Path]) -> None:
        assert "`tls_key` is not: set both" in self.refused(pair[0], None)
        assert "`tls_certificate` is not: set both" in self.refused(None, pair[1])

    def test_files_that_are_not_there(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        assert f"{tmp_path}/no.pem cannot be read: No such file" in self.refused(tmp_path / "no.pem", pair[1])
        assert f"{tmp_path}/no.key cannot be read: No such file" in self.refused(pair[0], tmp_path / "no.key")
        assert "is not a file" in self.refused(tmp_path, pair[1])
        os.mkfifo(tmp_path / "pipe")
        assert "is not a file" in self.refused(pair[0], tmp_path / "pipe")

    def test_a_key_of_another_certificate(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        _, other = certify(tmp_path, "other")
        assert "does not belong to the certificate" in self.refused(pair[0], other)

    def test_what_is_no_certificate_or_key(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        nonsense = tmp_path / "nonsense"
        nonsense.write_text("hello\n")
        nonsense.chmod(0o600)
        assert "`tls_certificate`: there is no certificate" in self.refused(nonsense, pair[1])
        assert "`tls_key`: there is no key" in self.refused(pair[0], nonsense)

    @pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
    def test_a_key_that_others_can_read_or_write(self, pair: tuple[Path, Path], tmp_path: Path, mode: int) -> None:
        key = Path(shutil.copy(pair[1], tmp_path / "open.key"))
        key.chmod(mode)
        assert f"chmod 600 {key}" in self.refused(pair[0], key)

    def test_a_key_of_somebody_else(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        if os.getuid() != 0:
            pytest.skip("needs root")
        key = Path(shutil.copy(pair[1], tmp_path / "foreign.key"))
        key.chmod(0o600)
        os.chown(key, 12345, 12345)
        assert "belongs to another user" in self.refused(pair[0], key)

    def test_a_key_with_a_passphrase(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        key = tmp_path / "locked.key"
        call = ["openssl", "pkey", "-in", str(pair[1]), "-aes256", "-passout", "pass:secret", "-out", str(key)]
        subprocess.run(call, check=True, capture_output=True)
        key.chmod(0o600)
        assert "needs a passphrase" in self.refused(pair[0], key)

    def test_paths_are_those_of_the_home(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        for file in pair:
            shutil.copy(file, tmp_path)
        assert tls.context(given(tmp_path, Path("server.pem"), Path("server.key"))) is not None

    def test_the_server_does_not_start(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        home = tmp_path / "home"
        home.mkdir(mode=0o700)
        done = Cli(home, tmp_path)("up", "--port", "0", code=None, PADDOCK_TLS_CERTIFICATE=str(pair[0]))
        assert done.code != 0
        assert "set both, or none" in done.err
        assert not (home / "server.json").exists()
        hosted = Cli(home, tmp_path)("up", "--in-slurm", code=None, PADDOCK_TLS_KEY=str(pair[1]))
        assert "set both, or none" in hosted.err, "before anything is submitted"


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory, pair: tuple[Path, Path]) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("secure") / "home"
    server = ServerProcess(home, local__slots=1, tls_certificate=pair[0], tls_key=pair[1])
    server.verify = ssl.create_default_context(cafile=str(pair[0]))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def without_socket(server: ServerProcess, folder: Path) -> Path:
    """The home as another machine sees it: the files, and nobody who listens at the socket."""
    for name in ("server.json", "token"):
        shutil.copy(server.home.root / name, folder)
    folder.chmod(0o700)
    return folder


class TestServer:
    def test_the_port_speaks_https_alone(self, secure: ServerProcess) -> None:
        assert secure.url.startswith("https://127.0.0.1:")
        assert secure.get("/health")["ok"]
        with pytest.raises(httpx2.TransportError):
            httpx2.get(secure.url.replace("https:", "http:") + "/api/v1/health")
        assert f"Open {secure.url}/?token={secure.token}" in secure.output()
        assert "plain HTTP" not in secure.output()

    def test_the_socket_in_the_home_is_plain(self, secure: ServerProcess) -> None:
        with (
            unix_socket.address(secure.home) as place,
            httpx2.Client(transport=httpx2.HTTPTransport(uds=place)) as client,
        ):
            answer = client.get("http://paddock/api/v1/version", headers={"Authorization": f"Bearer {secure.token}"})
        assert answer.status_code == 200

    def test_the_cookie_is_for_https_alone(self, secure: ServerProcess) -> None:
        answer = secure.client.post(f"{secure.url}/api/v1/session", json={"token": secure.token})
        assert answer.status_code == 200
        assert "; Secure" in answer.headers["set-cookie"]
        secure.client.cookies.clear()
        linked = secure.client.get(f"{secure.url}/", params={"token": secure.token}, headers={"Authorization": ""})
        assert "; Secure" in linked.headers["set-cookie"]
        assert linked.headers["location"].startswith("/#page=")

    def test_over_plain_http_it_is_not(self, tmp_path: Path) -> None:
        with running(tmp_path / "home") as server:
            answer = server.client.post(f"{server.url}/api/v1/session", json={"token": server.token})
            assert "Secure" not in answer.headers["set-cookie"]

    def test_events_and_a_whole_job_over_https(self, secure: ServerProcess) -> None:
        job = secure.submit("print('epoch 1 val_loss: 0.5')")
        assert [task["state"] for task in secure.wait(job)] == ["finished"]
        with secure.client.stream("GET", "/events", params={"last": 0}) as answer:
            assert answer.status_code == 200
            assert next(line for line in answer.iter_lines() if line.startswith("event:")) == "event: hello"

    def test_who_begins_no_handshake_is_put_off_and_harms_nobody(self, secure: ServerProcess) -> None:
        host, port = secure.url.removeprefix("https://").split(":")
        with socket.create_connection((host, int(port))) as one:
            one.settimeout(120)
            assert secure.get("/health")["ok"]
            one.sendall(b"GET / HTTP/1.1\r\n\r\n")
            with pytest.raises((ConnectionError, StopIteration)):  # an alert at most, and the end
                while one.recv(1000):
                    pass
                raise StopIteration
        assert secure.get("/health")["ok"]


class TestClients:
    @pytest.fixture(autouse=True)
    def _without_variables(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("PADDOCK_URL", "PADDOCK_TOKEN", "PADDOCK_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR"):
            monkeypatch.delenv(name, raising=False)

    def test_through_the_home(self, secure: ServerProcess, tmp_path: Path) -> None:
        with paddock.Client(home=secure.home.root) as client:
            assert client.health().ok
            assert client.link == f"{secure.url}/?token={secure.token}"
            assert client._connection._pinned == {}, "through the socket"
        shown = Cli(secure.home.root, tmp_path).quick("token").out
        assert shown.strip() == f"{secure.url}/?token={secure.token}"

    def test_from_another_machine_that_sees_the_home(self, secure: ServerProcess, tmp_path: Path) -> None:
        """The home says which certificate it is: no CA is needed, and no name."""
        elsewhere = without_socket(secure, tmp_path)
        with paddock.Client(home=elsewhere) as client:
            assert client.health().ok
            assert len(client._connection._pinned) == 1

    def test_another_certificate_than_the_home_says_is_not_trusted(self, secure: ServerProcess, tmp_path: Path) -> None:
        elsewhere = without_socket(secure, tmp_path)
        found = server_file.read(Home(elsewhere))
        assert found is not None
        other = certify(tmp_path / "other")[0].read_text()
        replace(found, certificate=other).write(Home(elsewhere))
        with paddock.Client(home=elsewhere) as client, pytest.raises(ServerUnreachable, match="is not trusted here"):
            client.health()

    def test_by_its_address_the_systems_cas_decide(
        self, secure: ServerProcess, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with (
            paddock.Client(url=secure.url, token=secure.token) as client,
            pytest.raises(ServerUnreachable, match="SSL_CERT_FILE"),
        ):
            client.health()
        monkeypatch.setenv("SSL_CERT_FILE", str(pair[0]))
        with paddock.Client(url=secure.url, token=secure.token) as client:
            assert client.health().ok
        with paddock.Client(url=secure.url, token="wrong") as client, pytest.raises(NotAuthorised):
            client.health()

    def test_the_wrong_scheme_is_told(self, secure: ServerProcess) -> None:
        plain = secure.url.replace("https:", "http:")
        with paddock.Client(url=plain, token=secure.token) as client, pytest.raises(ServerUnreachable):
            client.health()

    def test_the_tunnel_leads_to_https(self, secure: ServerProcess, tmp_path: Path) -> None:
        facts = Cli(secure.home.root, tmp_path).quick("tunnel", "--json").json
        assert facts["page"].startswith("https://localhost:")


class TestDoctor:
    def look(self, home: Path, pair: tuple[Path, Path] | None) -> Finding:
        settings = given(home, *(pair or (None, None)))
        return checks._certificate(checks.CheckContext(Home(home), None, None, settings))

    def test_none(self, tmp_path: Path) -> None:
        assert (found := self.look(tmp_path, None)).status is Status.OK
        assert "plain HTTP" in found.detail

    def test_one_that_is_good_for_long(self, tmp_path: Path, pair: tuple[Path, Path]) -> None:
        found = self.look(tmp_path, pair)
        assert found.status is Status.OK
        last = time.strftime("%Y-%m-%d", time.localtime(tls.ends_at(given(tmp_path, *pair))))
        assert found.detail == f"valid until {last}"

    def test_one_that_ends_soon(self, tmp_path: Path) -> None:
        found = self.look(tmp_path, certify(tmp_path, days=9))
        assert (found.status, found.detail[:13]) == (Status.WARN, "ends in 8 day")

    def test_one_that_has_ended(self, tmp_path: Path, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tls, "ends_at", lambda _: time.time() - 5)
        assert (found := self.look(tmp_path, pair)).status is Status.ERROR
        assert "ended on" in found.detail

    def test_one_that_was_replaced_while_the_server_runs(self, tmp_path: Path, pair: tuple[Path, Path]) -> None:
        home = Home(tmp_path)
        before = certify(tmp_path / "before")[0].read_text()
        server_file.ServerAddress.here("https://127.0.0.1:1", 1, None, before).write(home)
        assert "start the server again" in (self.look(tmp_path, pair).fix or "")

    def test_one_that_cannot_be_used(self, tmp_path: Path, pair: tuple[Path, Path]) -> None:
        assert self.look(tmp_path, (pair[0], tmp_path / "no.key")).status is Status.ERROR


def test_plain_http_that_others_can_read_names_the_settings() -> None:
    [told] = server_file.exposure("http://node7:54322")
    assert "`tls_certificate` and `tls_key`" in told
    assert server_file.exposure("https://node7:54322") == []
