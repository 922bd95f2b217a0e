"""Test which server has a home, from its process or from what it writes."""

import errno
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock.common import processes
from paddock.errors import Conflict
from paddock.home import lease, server_file
from paddock.home.lease import HeartbeatWatch, Holder, Lease, Process
from paddock.paths import Home, write_once
from tests.support.server import wait_for


def elsewhere(**fields: Any) -> Holder:
    """A server of another machine."""
    given = {"host": "n2", "kernel": "another boot", "pid": 1, "start": 1, "id": "other", "url": "http://n2:1"}
    return Holder.model_validate(given | fields)


def put(home: Home, holder: Holder) -> None:
    write_once(lease.path(home), holder.model_dump_json())


@contextmanager
def beating(home: Home) -> Iterator[None]:
    """A server of another machine that goes on writing its lease."""
    over = threading.Event()

    def beat() -> None:
        count = 0
        while not over.wait(0.05):
            count += 1
            put(home, elsewhere(beat=count, at=0.0))  # its clock stands still: nobody looks at it

    put(home, elsewhere())
    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class TestWhoLives:
    def test_a_process_of_this_machine_is_seen(self) -> None:
        with subprocess.Popen(["sleep", "60"]) as other:
            known = lease.here() | {"pid": other.pid, "start": processes.started(other.pid)}
            found = Process.model_validate(known)
            assert found.lives is True
            assert found.model_copy(update={"start": 1}).lives is False  # another one that has its number now
            other.kill()
        assert found.lives is False
        assert HeartbeatWatch().lives(found) is False

    def test_one_of_another_machine_is_judged_by_what_it_writes(self) -> None:
        watch = HeartbeatWatch(silent_seconds=60)
        assert elsewhere().lives is None
        assert watch.lives(elsewhere(beat=1)) is None
        assert watch.lives(elsewhere(beat=1)) is None
        assert watch.lives(elsewhere(beat=2)) is True
        assert HeartbeatWatch(silent_seconds=0).lives(elsewhere()) is False
        assert watch.lives(None) is False


class TestLease:
    def test_a_second_is_refused_with_the_address_of_the_first(self, home: Home) -> None:
        with lease.held(home) as held:
            held.add_address("http://127.0.0.1:7")
            with pytest.raises(Conflict, match=r"already runs on .* at http://127\.0\.0\.1:7 \(process \d+ on "):
                lease.refuse_second(home)
            assert lease.serves_here(home)
        lease.refuse_second(home)
        assert not lease.path(home).exists()

    def test_on_another_machine_too(self, home: Home) -> None:
        with beating(home), pytest.raises(Conflict, match=r"at http://n2:1 \(process 1 on n2\)"):
            lease.refuse_second(home, silent_seconds=60)

    def test_a_silent_one_of_another_machine_is_dead(self, home: Home) -> None:
        put(home, elsewhere(at=4e9))  # a clock that is ahead says nothing
        lease.refuse_second(home, silent_seconds=0.6)

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}'])
    def test_rubbish_is_nobody(self, home: Home, text: str) -> None:
        lease.path(home).write_text(text)
        lease.refuse_second(home)

    def test_what_cannot_be_read_is_somebody(self, home: Home) -> None:
        lease.path(home).mkdir()
        with pytest.raises(Conflict, match="cannot be read"):
            lease.refuse_second(home)

    def test_it_is_written_anew_and_put_back_when_removed(self, home: Home) -> None:
        held = Lease(home, beat_seconds=0.02)
        held.begin(0)
        try:
            first = lease.read(home)
            assert first
            wait_for(lambda: (now := lease.read(home)) and now.beat > first.beat + 2, 120)
            lease.path(home).unlink()
            wait_for(lambda: lease.read(home), 120)
            assert held.taken_by is None
        finally:
            held.close()

    def test_one_that_was_taken_is_noticed_and_left_alone(self, home: Home) -> None:
        held = Lease(home, beat_seconds=0.02)
        lost = threading.Event()
        held.when_lost(lost.set)
        held.begin(0)
        put(home, elsewhere())
        assert lost.wait(120)
        held.close()
        assert lease.read(home) == elsewhere()
        with pytest.raises(Conflict, match="process 1 on n2 serves"):
            held.refuse_lost()

    def test_a_claim_that_another_overwrote_is_given_up(self, home: Home) -> None:
        with pytest.raises(Conflict, match="n2"):
            Lease(home, pause=lambda _: put(home, elsewhere())).begin(settle_seconds=1)

    def test_a_file_system_that_fails_for_a_while_takes_no_lease_away(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(_: Path) -> bytes:
            raise OSError(errno.EMFILE, "Too many open files")

        with lease.held(home) as held:
            with monkeypatch.context() as patched:
                patched.setattr(Path, "read_bytes", fails)
                held.renew()
            assert held.taken_by is None
            held.renew()
            held.refuse_lost()


class TestHandover:
    def test_only_a_file_of_a_living_successor_counts(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        assert server_file.waiting(home) is None
        for text in ("", "{}", "nonsense", '{"pid": 1}'):
            server_file.handover(home).write_text(text)
            assert server_file.waiting(home) is None
        server_file.announce_handover(home)
        found = server_file.waiting(home)
        assert found
        assert HeartbeatWatch().lives(found) is True
        assert server_file.successor(home) == found.words
        write_once(server_file.handover(home), found.model_copy(update={"start": 1}).model_dump_json())
        assert HeartbeatWatch().lives(server_file.waiting(home)) is False
        assert server_file.successor(home) is None
        server_file.handover(home).unlink()
        server_file.handover(home).mkdir()  # any error but "not there"
        assert server_file.waiting(home) is None
