"""Test the near end against far ends that lie, flood, stall or never leave: an error of that link, and nothing else."""

import json
import os
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock.agents.connection import COMPLAINT_BYTES
from paddock.agents.link import Link
from paddock.common import processes
from paddock.errors import AgentUnavailable
from tests.agents.support import Taken
from tests.support.server import wait_for

INFO = {"user": "tester", "uid": 1, "host": "h", "boot": "b", "version": "3"}
INFO |= {"root": "/r", "home": "/h", "python": "/p", "program": "/r/p"}
# What every far end of these tests does: it is loaded, and answers `hello`. Then `script` goes on.
FAR = f"""
import json, os, select, sys, time
def stay():
    poll = select.poll()
    poll.register(0, 0)
    poll.poll()  # until its input ends; nothing is read
def line():
    got = b""
    while not got.endswith(b"\\n"):
        one = os.read(0, 1)
        if not one:
            sys.exit(0)
        got += one
    return got
def request():
    header = json.loads(line())
    left = header.get("n", 0)
    while left:
        left -= len(os.read(0, left))
    return header
def send(header, data=b""):
    if data:
        header = dict(header, n=len(data))
    raw(json.dumps(header).encode() + b"\\n" + data)
def raw(data):
    while data:
        data = data[os.write(1, data):]
def hello():
    line()
    raw(b"ready\\n")
    send(dict({json.dumps(INFO)}, id=request()["id"]))
"""
PAUSES = (0.01, 0.02)


@contextmanager
def hostile(script: str, **options: Any) -> Iterator[Link]:
    """A link whose far end is this script."""
    whole = FAR + textwrap.dedent(script)
    given: dict[str, Any] = {"answer_seconds": 20.0, "start_seconds": 20.0, "pauses": PAUSES} | options
    link = Link("tester", [sys.executable, "-ISc", whole], "~/x", **given)
    try:
        yield link
    finally:
        link.close()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('{"id": 999, "size": 1}', "nobody asked"),
        ('{"id": "2", "size": 1}', "nobody asked"),
        ('{"id": true, "size": 1}', "nobody asked"),
        ('{"id": [2], "size": 1}', "nobody asked"),
        ('{"size": 1}', "file that nobody asked for"),
        ('{"id": 2}', "without a number"),
        ('{"id": 2, "size": -1}', "without a number"),
        ('{"id": 2, "size": true}', "without a number"),
        ('{"id": 2, "size": "1"}', "without a number"),
        ('{"id": 2, "size": 9223372036854775808}', "without a number"),
        ('{"id": 2, "error": 5}', "without a text"),
        ('{"id": 2, "error": "x"}', "without a number"),
        ('{"id": 2, "error": "x", "kind": "request"}', "complaint"),
        ("[]", "header"),
        ("no JSON", "not JSON"),
        ('{"id": 2, "n": 5000000}', "header"),
        ('{"id": 2, "n": -5}', "header"),
        ('{"id": 2, "size": ' + "9" * 5000 + "}", "not JSON"),
        ("[" * 50_000, "not JSON"),
    ],
)
def test_forged_answers_are_errors_of_this_link(answer: str, why: str) -> None:
    with hostile(f"hello(); request(); raw({answer!r}.encode() + b'\\n'); request(); stay()") as link:
        with pytest.raises(AgentUnavailable, match="The agent of tester does not work") as error:
            link.append("a", 0, b"x")
        assert why in error.value.message


@pytest.mark.parametrize("info", [{"root": "relative"}, {"root": "/a\nb"}, {"uid": "0"}, {"user": 5}, {"python": None}])
def test_forged_introductions(info: dict[str, Any]) -> None:
    script = f"line(); raw(b'ready\\n'); send(dict({INFO!r}, id=request()['id'], **{{}}) | {info!r}); stay()"
    with hostile(script) as link, pytest.raises(AgentUnavailable, match="it sent"):
        link.hello()


@pytest.mark.parametrize(
    ("op", "header", "data"),
    [
        ("read", {"start": 5, "size": 10}, b"01234"),  # another place than was asked for
        ("read", {"start": 0, "size": 10}, b"x" * 101),  # more than was asked for
        ("read", {"start": 11, "size": 10}, b""),
        ("entries", {"total": 1, "more": False}, b'[{"name":"..","kind":"file","size":1,"modified":0}]'),
        ("entries", {"total": 1, "more": False}, b'[{"name":"a/b","kind":"file","size":1,"modified":0}]'),
        ("entries", {"total": 1, "more": False}, b'[{"name":"a","kind":"file","size":1,"modified":NaN}]'),
        ("entries", {"total": 1, "more": False}, b'[{"name":"a","kind":"devil","size":1,"modified":0}]'),
        ("entries", {"total": 1, "more": False}, b"[1]"),
        ("entries", {"total": 1, "more": False}, b"[" * 100_000),
        ("entries", {"total": 9, "more": False}, b'[{"name":"a","kind":"file","size":1,"modified":0}]' * 2),
        ("stat", {}, b"{}"),
        ("withdraw", {"names": ["b"]}, b""),
        ("withdraw", {"names": [["a"]]}, b""),
        ("held", {"held": {"b": "x"}}, b""),
        ("held", {"held": {"a": 5}}, b""),
        ("remove", {"done": 1}, b""),
        ("alive", {"alive": []}, b""),
        ("alive", {"alive": [1]}, b""),
        ("find", {"processes": [[1]]}, b""),
        ("find", {"processes": [[0, 5]]}, b""),
        ("start", {"pid": -1, "start": 5}, b""),
        ("run", {"code": 0, "out": 5, "cut": False}, b"abc"),
        ("run", {"code": "0", "out": 0, "cut": False}, b""),
        ("run", {"code": 0, "out": 2000, "cut": False}, b"x" * 2000),
    ],
)
def test_answers_that_do_not_fit_the_request(op: str, header: dict[str, Any], data: bytes) -> None:
    asks: dict[str, Any] = {
        "read": lambda link: link.read("a", 0, 100),
        "entries": lambda link: link.entries("a", 0, 1),
        "stat": lambda link: link.stat("a"),
        "withdraw": lambda link: link.withdraw("c", ["a"]),
        "held": lambda link: link.held("c", ["a"]),
        "remove": lambda link: link.remove("a"),
        "alive": lambda link: link.alive([_process()]),
        "find": lambda link: link.find("A", "b"),
        "start": lambda link: link.start(["x"], env={}, cwd="", log="l"),
        "run": lambda link: link.run(["x"], most=1000),
    }
    script = f"hello(); send(dict({header!r}, id=request()['id']), {data!r}); stay()"
    with hostile(script) as link, pytest.raises(AgentUnavailable, match=f"it answered `{op}` with"):
        asks[op](link)


def _process() -> Any:
    from paddock.agents.answers import FarProcess

    return FarProcess(5, 5)


@pytest.mark.parametrize(
    "event",
    [
        {"event": "grown", "key": 99, "at": 0},
        {"event": "grown", "key": "1", "at": 0},
        {"event": "grown", "key": [1], "at": 0},
        {"event": "grown", "key": 1, "at": 7},
        {"event": "grown", "key": 1, "at": -1},
        {"event": "grown", "key": 1},
        {"event": "other", "key": 1, "at": 0},
        {"event": "failed", "key": 99, "error": "x", "errno": 5},
    ],
)
def test_only_what_was_asked_for_grows_and_only_where_it_is_expected(event: dict[str, Any]) -> None:
    taken = Taken()
    with hostile(f"hello(); send({{'id': request()['id']}}); send({event!r}, b'forged'); stay()") as link:
        link.watch({"a": 0}, taken.grown, taken.fail)
        wait_for(lambda: link.problem)
        link.forget(["a"])
    assert not taken.files
    assert not taken.failed


def test_growth_that_was_on_its_way_when_a_file_was_forgotten_is_no_offence() -> None:
    script = """
        hello()
        watch = request()
        send({"id": watch["id"]})
        forget = request()
        send({"event": "grown", "key": watch["files"][0][0], "at": 0}, b"late")
        send({"id": forget["id"]})
        send({"id": request()["id"], "alive": []})
        stay()
    """
    taken = Taken()
    with hostile(script) as link:
        link.hello()
        link.watch({"a": 0}, taken.grown, taken.fail)
        link.forget(["a"])
        assert link.alive([]) == []
        assert link.problem is None
    assert not taken.files


def test_an_answer_that_does_not_come_is_waited_for_only_so_long() -> None:
    script = """
        hello()
        first = request()
        second = request()
        send({"id": second["id"], "alive": []})
        send({"id": first["id"], "alive": []})
        send({"id": request()["id"], "alive": []})
        stay()
    """
    with hostile(script, answer_seconds=0.5) as link:
        with pytest.raises(AgentUnavailable, match=r"did not answer `alive` within 0\.5 s"):
            link.alive([])
        assert link.alive([]) == []
        assert link.alive([]) == []  # the late answer disturbs nobody


def test_a_far_end_that_never_reads_holds_nobody_up() -> None:
    with hostile("hello(); stay()", answer_seconds=0.5) as link:
        link.hello()
        begun = time.monotonic()
        with pytest.raises(AgentUnavailable, match=r"does not read|did not answer"):
            link.put("a", b"x" * 3_000_000)
        assert time.monotonic() - begun < 15


def test_requests_fail_soon_after_one_had_no_answer() -> None:
    with hostile("hello(); stay()", answer_seconds=3.0) as link:
        with pytest.raises(AgentUnavailable, match="within 3 s"):
            link.alive([])
        with pytest.raises(AgentUnavailable, match="within 1 s"):
            link.alive([])


def test_several_threads_do_not_wait_for_each_other_for_ever() -> None:
    problems: list[str] = []

    def work() -> None:
        try:
            link.append("a", 0, b"x" * 500_000)
        except AgentUnavailable as error:
            problems.append(error.message)

    with hostile("hello(); stay()", answer_seconds=0.5) as link:
        link.hello()
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(problems) == 6


def test_a_far_end_that_floods_does_not_fill_the_memory() -> None:
    taken = Taken()
    with hostile("hello(); raw(b'x' * 3_000_000); stay()") as link:
        link.watch({"a": 0}, taken.grown, taken.fail)
        wait_for(lambda: link.problem)
        assert "line without an end" in (link.problem or "")
        link.forget(["a"])


def test_what_it_writes_to_its_standard_error_is_bounded_and_printable() -> None:
    script = """
        hello()
        for _ in range(200):
            os.write(2, b"x" * 50_000 + b"\\n")
        os.write(2, b"\\x1b[2J\\x07wrong\\n")
        os._exit(1)
    """
    with hostile(script) as link:
        with pytest.raises(AgentUnavailable) as error:
            link.run(["x"])
        assert "wrong" in error.value.message
        assert error.value.message.isprintable()
        assert len(error.value.message) < COMPLAINT_BYTES + 200


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("sys.exit('no such person')", "no such person"),
        ("os.close(0); time.sleep(0.2); sys.exit('nothing was read')", "nothing was read"),
        ("raw(b'what?\\n'); stay()", "what?"),
        ("raw(b'x' * 500); stay()", "as expected"),
        ("line(); stay()", "in time"),
        ("line(); raw(b'send\\n'); raw(b'send\\n'); stay()", "send|read|in time"),
        ("line(); raw(b'ready\\n'); stay()", "hello"),
        ("line(); raw(b'ready\\n'); os._exit(3)", "ended"),
    ],
)
def test_loaders_that_do_not_load(script: str, why: str) -> None:
    with hostile(script, start_seconds=2.0) as link, pytest.raises(AgentUnavailable, match=why):
        link.hello()


def test_it_is_not_started_again_and_again() -> None:
    with hostile("sys.exit('always')", pauses=(0.8, 60.0)) as link:
        with pytest.raises(AgentUnavailable, match="always"):
            link.hello()
        begun = time.monotonic()
        for _ in range(100):
            with pytest.raises(AgentUnavailable, match="always"):
                link.hello()
        assert time.monotonic() - begun < 5


def test_those_that_never_leave_are_not_joined_by_many_others(tmp_path: Path) -> None:
    """A far end that ignores the end of its input is not killed; after a few of them no more are started."""
    script = f"""
        with open({str(tmp_path / "pids")!r}, "a") as file:
            print(os.getpid(), file=file)
        hello()
        request()
        raw(b"forged\\n")
        time.sleep(600)
    """
    link = Link("tester", [sys.executable, "-ISc", FAR + textwrap.dedent(script)], "~/x", pauses=PAUSES)
    try:
        wait_for(lambda: "have not ended" in _problem_of(link))
        pids = [int(one) for one in (tmp_path / "pids").read_text().split()]
        assert len(pids) == 4
        assert all(processes.started(pid) is not None for pid in pids)
    finally:
        for pid in map(int, (tmp_path / "pids").read_text().split()):
            os.kill(pid, signal.SIGKILL)
        link.close()


def _problem_of(link: Link) -> str:
    try:
        link.alive([])
    except AgentUnavailable as error:
        return error.message
    return ""
