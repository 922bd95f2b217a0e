"""Test every operation of an agent, with a real one of this user."""

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paddock.agents.answers import FarProcess
from paddock.agents.link import PART, Link
from paddock.agents.links import Links
from paddock.common import layout, processes
from paddock.common.files import NotPlain
from paddock.errors import AgentUnavailable
from tests.agents.support import LOADER, OLDEST, Taken, agent_pid, linked
from tests.support.server import wait_for


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def link(root: Path) -> Iterator[Link]:
    with linked(root) as made:
        yield made


# --- files ------------------------------------------------------------------------------------------------------------


def test_it_reports_who_and_where_it_is(link: Link, root: Path) -> None:
    about = link.hello()
    assert about.uid == os.getuid()
    assert about.root == str(root)
    assert about.boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert Path(about.program).parent == root / "agent"
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


@pytest.mark.parametrize("size", [0, 1, PART, PART + 1, 3 * PART, 5_000_000])
def test_files_are_written_at_once_and_read_in_ranges(link: Link, root: Path, size: int) -> None:
    data = os.urandom(size)
    link.mkdir("a/b")
    link.put("a/b/c", b"before")
    link.put("a/b/c", data)
    assert (root / "a/b/c").read_bytes() == data
    assert [path.name for path in (root / "a/b").iterdir()] == ["c"]
    whole = link.read("a/b/c", 0, 10_000_000)
    assert (whole.start, whole.size, whole.data) == (0, size, data)
    assert link.read("a/b/c", -10, 100).data == data[-10:]
    assert link.read("a/b/c", 10, 5).data == data[10:15]
    beyond = link.read("a/b/c", size + 7, 5)
    assert (beyond.start, beyond.data) == (size, b"")


def test_a_file_that_a_reader_has_open_is_replaced_not_changed(link: Link, root: Path) -> None:
    link.put("a", b"old")
    with open(root / "a", "rb") as file:
        link.put("a", b"newer")
        assert file.read() == b"old"


def test_what_is_sent_twice_is_appended_once(link: Link, root: Path) -> None:
    assert link.append("t", 0, b"") == 0
    assert link.append("t", 0, b"one\n") == 4
    assert link.append("t", 0, b"one\n") == 4
    assert link.append("t", 0, b"one\ntwo\n") == 8
    assert link.append("t", 2, b"e\n") == 8
    assert link.append("t", 100, b"later\n") == 8
    assert (root / "t").read_bytes() == b"one\ntwo\n"
    with pytest.raises(OSError, match="something else"):
        link.append("t", 4, b"TWO\nthree\n")
    assert (root / "t").read_bytes() == b"one\ntwo\n"


def test_much_is_appended_in_parts(link: Link, root: Path) -> None:
    data = os.urandom(3 * PART + 5)
    assert link.append("t", 0, data[:10]) == 10
    assert link.append("t", 0, data) == len(data)
    assert (root / "t").read_bytes() == data


def test_folders_are_made_and_removed_with_all_that_is_in_them(link: Link, root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    link.mkdir("a/b/c", "a/d")
    link.mkdir("a/b/c")
    (root / "a/b/link").symlink_to(outside)
    (root / "a/b/c/closed").mkdir(mode=0o500)
    os.mkfifo(root / "a/d/pipe")
    for number in range(50):
        (root / f"a/d/{number}").write_text("x")
    assert link.remove("a")
    assert not (root / "a").exists()
    assert link.remove("a")
    assert (outside / "kept").exists()


def test_a_large_folder_is_removed_bit_by_bit(link: Link, root: Path) -> None:
    link.mkdir("a")
    for number in range(30_000):
        os.close(os.open(root / f"a/{number}", os.O_CREAT | os.O_WRONLY))
    wait_for(lambda: link.remove("a"))
    assert not (root / "a").exists()


def test_claims_are_withdrawn_unless_a_runner_has_them(link: Link, root: Path) -> None:
    names = ["j-1.1", "j-2.1", "j-3.1"]
    assert link.withdraw("jobs/j/claims", names) == set(names)
    assert not root.joinpath("jobs").exists()  # without its folder nothing of a job can begin
    link.mkdir("jobs/j")
    claims = root / "jobs/j/claims"
    claims.mkdir()
    (claims / "j-2.1").write_text("j-a1.0\n")
    assert link.withdraw("jobs/j/claims", names) == {"j-1.1", "j-3.1"}
    assert link.withdraw("jobs/j/claims", names) == {"j-1.1", "j-3.1"}
    assert os.readlink(claims / "j-1.1") == layout.WITHDRAWN
    assert link.held("jobs/j/claims", [*names, "j-4.1"]) == {"j-2.1": "j-a1.0"}
    assert link.held("nowhere/claims", names) == {}


def test_many_claims_in_one_call(link: Link) -> None:
    link.mkdir("j")
    names = [f"j-{number}.1" for number in range(1_700)]
    assert link.withdraw("j/claims", names) == set(names)
    assert link.held("j/claims", names) == {}


def test_entries_of_folders(link: Link, root: Path) -> None:
    link.mkdir("a/folder")
    (root / "a/step_10").write_text("12345")
    (root / "a/step_9").write_text("1")
    (root / "a" / os.fsdecode(b"caf\xe9")).write_text("1")
    (root / "a/link").symlink_to("/etc/passwd")
    os.link(root / "a/step_9", root / "a/twin")
    os.mkfifo(root / "a/pipe")
    page = link.entries("a")
    kinds = {one.name: one.kind for one in page.entries}
    assert kinds["folder"] == "folder"
    assert (kinds["link"], kinds["step_9"], kinds["twin"], kinds["pipe"]) == ("link", "link", "link", "other")
    names = [one.name for one in page.entries]
    assert names[0] == "folder"
    assert names.index("step_9") < names.index("step_10")
    assert (page.total, page.more) == (7, False)
    assert link.entries("a", 1, 2).entries == page.entries[1:3]
    found = link.stat("a/step_10")
    assert (found.size, found.kind, found.executable) == (5, "file", False)
    assert found.modified == (root / "a/step_10").stat().st_mtime
    assert link.stat("a/link").target == "/etc/passwd"
    assert link.read("a/" + os.fsdecode(b"caf\xe9"), 0, 9).data == b"1"
    assert {one.name for one in link.entries("").entries} == {"a", "agent"}
    with pytest.raises(FileNotFoundError):
        link.stat("a/none")


def test_a_folder_with_very_many_long_names(link: Link, root: Path) -> None:
    link.mkdir("a")
    for number in range(1_200):
        os.symlink("é" * 1_300, root / "a" / os.fsdecode(b"%04d" % number + b"\xff" * 250))
    first, second = link.entries("a"), link.entries("a", 1000)
    assert (len(first.entries), len(second.entries), first.total) == (1000, 200, 1200)


def test_sizes_of_folders(link: Link, root: Path) -> None:
    link.mkdir("a/b")
    link.put("a/b/c", b"x" * 100_000)
    size, count, whole = link.measure("a", 5)
    assert size >= 100_000
    assert count >= 2
    assert whole


# --- what users can plant ---------------------------------------------------------------------------------------------

WRONG = ["..", "../x", "/etc/passwd", "a/../../x", ".", "./a", "a//b", "a/", "a\0b", "a/.."]
EMPTY_IS_ROOT = ("entries", "start", "run")
OPERATIONS: dict[str, Callable[[Link, str], object]] = {
    "put": lambda link, path: link.put(path, b"planted"),
    "append": lambda link, path: link.append(path, 0, b"planted"),
    "mkdir": lambda link, path: link.mkdir(path),
    "remove": lambda link, path: link.remove(path),
    "withdraw": lambda link, path: link.withdraw(path, ["x"]),
    "held": lambda link, path: link.held(path, ["x"]),
    "read": lambda link, path: link.read(path, 0, 100),
    "entries": lambda link, path: link.entries(path),
    "stat": lambda link, path: link.stat(path),
    "measure": lambda link, path: link.measure(path, 1),
    "start": lambda link, path: link.start(["true"], env={}, cwd=path, log="log"),
    "log of start": lambda link, path: link.start(["true"], env={}, cwd="", log=path),
    "run": lambda link, path: link.run(["true"], cwd=path),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_path_leads_out_of_the_root(link: Link, root: Path, name: str) -> None:
    before = _everything(root.parent, root)
    for path in WRONG:
        with pytest.raises(NotPlain):
            OPERATIONS[name](link, path)
    assert link.problem is None
    assert _everything(root.parent, root) == before


def test_the_root_itself_is_no_file(link: Link) -> None:
    for name in [name for name in OPERATIONS if name not in EMPTY_IS_ROOT]:
        with pytest.raises(NotPlain):
            OPERATIONS[name](link, "")
    assert link.hello().root


def test_no_name_of_a_claim_leads_out(link: Link, root: Path) -> None:
    link.mkdir("j/claims")
    for claim in WRONG:
        with pytest.raises(NotPlain):
            link.withdraw("j/claims", [claim])
    assert not list((root / "j/claims").iterdir())


@pytest.mark.parametrize("what", ["link", "link to a folder", "broken link", "hard link", "pipe", "device", "folder"])
def test_only_plain_files_are_opened_and_nothing_blocks(link: Link, root: Path, what: str) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    secret = outside / "secret"
    secret.write_text("secret")
    link.mkdir("a")
    for name in ("append", "read", "log of start", "watch", "put"):
        if name != "put":
            _plant(root / "a/file", what, secret)
        _try_planted(link, root, name, what)
        if name != "watch":
            link.remove("a/file")
    assert secret.read_text() == "secret"
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert link.problem is None


def _try_planted(link: Link, root: Path, name: str, what: str) -> None:
    if name == "put":  # it is replaced, or it stays; never written through
        if what == "folder":
            with pytest.raises(OSError, match="directory"):
                link.put("a/file", b"planted")
        else:
            link.put("a/file", b"planted")
            assert (root / "a/file").read_bytes() == b"planted"
    elif name == "watch":
        taken = Taken()
        link.watch({"a/file": 0}, taken.grown, taken.fail)
        wait_for(lambda: taken.failed)
        assert isinstance(taken.failed["a/file"], NotPlain)
        assert not taken.files
    else:
        with pytest.raises(NotPlain):
            OPERATIONS[name](link, "a/file")


def _plant(path: Path, what: str, secret: Path) -> None:
    match what:
        case "link":
            path.symlink_to(secret)
        case "link to a folder":
            path.symlink_to(secret.parent)
        case "broken link":
            path.symlink_to(secret.parent / "new")
        case "hard link":
            os.link(secret, path)
        case "pipe":
            os.mkfifo(path)
        case "device":
            if os.geteuid():
                pytest.skip("only root can make a device")
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(5, 0))
        case "folder":
            path.mkdir()


@pytest.mark.parametrize("name", [*OPERATIONS, "watch"])
def test_a_link_in_place_of_a_folder_is_not_followed(link: Link, root: Path, name: str) -> None:
    outside = root.parent / "outside"
    (outside / "inner").mkdir(parents=True)
    (outside / "file").write_text("secret")
    link.hello()
    (root / "a").symlink_to(outside)
    if name == "watch":
        taken = Taken()
        link.watch({"a/file": 0}, taken.grown, taken.fail)
        wait_for(lambda: taken.failed)
        assert not taken.files
    elif name == "measure":
        assert link.measure("a/inner", 1) == (0, 0, True)
    elif name == "held":
        with pytest.raises(NotPlain):
            link.held("a/inner", ["x"])
    else:
        path = "a/file" if name in ("append", "read", "log of start", "put", "remove", "stat") else "a/inner"
        with pytest.raises(OSError):
            OPERATIONS[name](link, path)
    assert sorted(path.name for path in outside.iterdir()) == ["file", "inner"]
    assert (outside / "file").read_text() == "secret"
    assert not list((outside / "inner").iterdir())


def test_a_temporary_file_that_somebody_planted_is_not_written_through(link: Link, root: Path) -> None:
    secret = root.parent / "secret"
    secret.write_text("secret")
    link.mkdir("a")
    (root / "a/file.tmp").symlink_to(secret)
    link.put("a/file", b"x" * (PART + 1))
    assert secret.read_text() == "secret"
    assert (root / "a/file").stat().st_size == PART + 1


def _everything(folder: Path, without: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if not path.is_relative_to(without)}


# --- watched files ----------------------------------------------------------------------------------------------------


def test_what_is_appended_arrives_from_the_offset_on(link: Link, root: Path) -> None:
    taken = Taken()
    taken.files["a/old"] = b"01234"
    link.mkdir("a")
    (root / "a/old").write_bytes(b"0123456789")
    link.watch({"a/old": 5, "a/new": 0}, taken.grown, taken.fail)
    wait_for(lambda: taken.files["a/old"] == b"0123456789")
    large = os.urandom(3_000_000)
    (root / "a/new").write_bytes(large)
    wait_for(lambda: taken.files.get("a/new") == large)
    with open(root / "a/old", "ab") as file:
        for number in range(30):
            file.write(b"%d\n" % number)
            file.flush()
            time.sleep(0.01)
    wait_for(lambda: taken.files["a/old"] == (root / "a/old").read_bytes())
    assert not taken.failed


def test_a_file_that_becomes_shorter_is_reported_once(link: Link, root: Path) -> None:
    taken = Taken()
    link.put("a", b"0123456789")
    link.watch({"a": 0}, taken.grown, taken.fail)
    wait_for(lambda: taken.files)
    os.truncate(root / "a", 3)
    wait_for(lambda: taken.failed)
    assert "shorter" in str(taken.failed["a"])
    link.append("a", 3, b"x" * 100)
    link.put("b", b"1")
    link.watch({"b": 0}, taken.grown, taken.fail)
    wait_for(lambda: "b" in taken.files)
    assert taken.files["a"] == b"0123456789"


def test_paths_that_lead_out_are_reported_and_the_others_are_watched(link: Link, root: Path) -> None:
    taken = Taken()
    (root.parent / "x").write_text("secret")
    link.put("a", b"1")
    link.watch({**dict.fromkeys(WRONG, 0), "a": 0}, taken.grown, taken.fail)
    wait_for(lambda: taken.files and len(taken.failed) == len(WRONG))
    assert taken.files == {"a": b"1"}
    assert set(taken.failed) == set(WRONG)


def test_watching_and_forgetting_side_by_side_with_ends_of_the_agent(root: Path) -> None:
    taken, over = Taken(), threading.Event()

    def change(of: Link, number: int) -> None:
        names = [f"{number}-{one}" for one in range(20)]
        while not over.is_set():
            of.watch(dict.fromkeys(names, 0), lambda path, at, data: None, taken.fail)
            of.forget(names)

    with linked(root, pauses=(0.01, 0.05)) as link:
        for number in range(3):
            for one in range(20):
                link.put(f"{number}-{one}", b"x")
        threads = [threading.Thread(target=change, args=(link, number)) for number in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(6):
            os.kill(agent_pid(link), signal.SIGKILL)
            time.sleep(0.2)
        over.set()
        for thread in threads:
            thread.join()
        pid = agent_pid(link)
        assert link.alive([]) == []
        assert agent_pid(link) == pid
        assert not taken.failed


def test_what_is_forgotten_is_not_watched_and_may_be_watched_again_from_elsewhere(link: Link, root: Path) -> None:
    taken, again = Taken(), Taken()
    link.put("a", b"0123456789")
    link.watch({"a": 0}, taken.grown, taken.fail)
    wait_for(lambda: taken.files)
    link.forget(["a", "never watched"])
    link.append("a", 10, b"more")
    link.watch({"b": 0}, taken.grown, taken.fail)
    again.files["a"] = b"0123"
    link.watch({"a": 4}, again.grown, again.fail)
    wait_for(lambda: again.files["a"] == b"0123456789more")
    link.watch({"a": 14}, again.grown, again.fail)  # watched twice: the later one counts
    link.append("a", 14, b"!")
    wait_for(lambda: again.files["a"] == b"0123456789more!")
    assert taken.files == {"a": b"0123456789"}
    assert link.problem is None


def test_many_files_are_watched(link: Link, root: Path) -> None:
    taken = Taken()
    names = [f"jobs/j{number % 7}/allocations/a.{number}/journal.1.jsonl" for number in range(1_300)]
    link.mkdir(*[name.rpartition("/")[0] for name in names])
    link.watch(dict.fromkeys(names, 0), taken.grown, taken.fail)
    for name in names:
        (root / name).write_text(name)
    wait_for(lambda: len(taken.files) == len(names))
    assert all(taken.files[name] == name.encode() for name in names)


def test_what_could_not_be_taken_comes_again(root: Path) -> None:
    taken, full = Taken(), [True, True]

    def grown(path: str, offset: int, data: bytes) -> None:
        if full:
            full.pop()
            raise OSError(errno.ENOSPC, "no space")
        taken.grown(path, offset, data)

    with linked(root, pauses=(0.05, 0.1)) as link:
        link.put("a", b"0123456789")
        link.watch({"a": 0}, grown, taken.fail)
        wait_for(lambda: taken.files.get("a") == b"0123456789")
        assert not full


def test_watching_does_not_wait_for_an_agent_that_cannot_be_started(root: Path) -> None:
    taken = Taken()
    link = Link("tester", ["/nonexistent/loader"], str(root), pauses=(0.05, 0.1))
    link.watch({"a": 0}, taken.grown, taken.fail)
    wait_for(lambda: link.problem)
    assert "cannot be started" in (link.problem or "")
    with pytest.raises(AgentUnavailable, match="The agent of tester does not work: /nonexistent/loader cannot"):
        link.hello()
    link.close()


# --- processes --------------------------------------------------------------------------------------------------------


def test_a_started_process_has_its_own_session_and_the_environment_of_the_person(link: Link, root: Path) -> None:
    link.mkdir("a")
    script = "import os; print(os.getpid() == os.getsid(0), os.getcwd(), sorted(os.environ)); print(os.read(0, 9))"
    process = link.start([sys.executable, "-Ic", script], env={"LATER": "é"}, cwd="a", log="a/log")
    wait_for(lambda: link.alive([process]) == [False])
    first, second = (root / "a/log").read_text().splitlines()
    expected = ["HOME", "LANG", "LATER", "LOGNAME", "PATH", "SHELL", "USER"]
    assert first.startswith(f"True {root}/a ")
    assert [name for name in expected if name not in first] == []
    assert "PADDOCK" not in first
    assert second == "b''"


def test_a_program_that_does_not_exist_is_reported(link: Link) -> None:
    with pytest.raises(FileNotFoundError):
        link.start(["no-such-program"], env={}, cwd="", log="log")
    with pytest.raises(PermissionError):
        link.start(["/etc/passwd"], env={}, cwd="", log="log")
    with pytest.raises(FileNotFoundError):
        link.run(["no-such-program"])


def test_processes_are_found_and_signalled_exactly(link: Link) -> None:
    first = link.start(["sleep", "600"], env={"PADDOCK_ALLOCATION": "a.1"}, cwd="", log="log")
    second = link.start(["sleep", "600"], env={"PADDOCK_ALLOCATION": "a.2"}, cwd="", log="log")
    try:
        assert processes.started(first.pid) == first.start
        assert link.find("PADDOCK_ALLOCATION", "a.1") == [first]
        assert link.alive([first, FarProcess(first.pid, first.start + 1), second]) == [True, False, True]
        assert not link.signal(FarProcess(first.pid, first.start - 1), signal.SIGKILL)
        assert not link.signal(FarProcess(1, 0), signal.SIGKILL)
        assert link.alive([first, second]) == [True, True]
        assert link.signal(first, signal.SIGTERM)
        wait_for(lambda: link.alive([first, second]) == [False, True])
        assert not link.signal(first, signal.SIGTERM)
        assert link.find("PADDOCK_ALLOCATION", "a.1") == []
    finally:
        link.signal(second, signal.SIGKILL)


def test_commands_return_what_they_write(link: Link) -> None:
    done = link.run(["sh", "-c", "cat; echo wrong >&2; exit 7"], stdin=b"x" * 500_000, env={"A": "b"})
    assert (done.code, done.out, done.err, done.cut) == (7, b"x" * 500_000, b"wrong\n", False)
    assert link.run(["sh", "-c", "kill -9 $$"]).code == -9
    ignored = link.run(["true"], stdin=b"x" * 3_000_000)
    assert ignored.code == 0


def test_output_of_commands_is_bounded(link: Link) -> None:
    done = link.run(["sh", "-c", "head -c 5000000 /dev/zero; head -c 5000 /dev/zero >&2"], most=1000)
    assert (done.code, len(done.out), len(done.err), done.cut) == (0, 1000, 1000, True)


def test_commands_that_take_too_long_are_killed_with_their_children(link: Link, root: Path) -> None:
    begun = time.monotonic()
    done = link.run(["sh", "-c", "echo begun; sleep 601 & sleep 601"], seconds=0.5, env={"MARK": str(root)})
    assert done.code is None
    assert done.out == b"begun\n"
    assert time.monotonic() - begun < 60
    wait_for(lambda: link.find("MARK", str(root)) == [])


def test_something_that_a_command_leaves_behind_does_not_hold_its_answer(link: Link, root: Path) -> None:
    done = link.run(["sh", "-c", "setsid sleep 600 & echo $!"], env={"MARK": str(root)})
    assert done.code == 0
    for process in link.find("MARK", str(root)):
        link.signal(process, signal.SIGKILL)


def test_a_slow_command_keeps_nobody_waiting(link: Link) -> None:
    slow = threading.Thread(target=lambda: link.run(["sleep", "3"]))
    slow.start()
    begun = time.monotonic()
    for _ in range(20):
        link.alive([])
    assert time.monotonic() - begun < 2.5
    slow.join()


def test_many_threads_share_one_agent(link: Link, root: Path) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(20):
            link.append(f"file-{number}", turn * 2, b"%d\n" % (turn % 10))
            if link.run(["echo", str(number)]).out != b"%d\n" % number:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert all((root / f"file-{number}").stat().st_size == 40 for number in range(8))


# --- its life ---------------------------------------------------------------------------------------------------------


def test_it_leaves_when_nobody_needs_it_and_comes_back(root: Path) -> None:
    with linked(root, idle_seconds=0.3) as link:
        pid = agent_pid(link)
        wait_for(lambda: processes.started(pid) is None)
        assert link.problem is None
        taken = Taken()
        link.watch({"a": 0}, taken.grown, taken.fail)
        other = agent_pid(link)
        assert other != pid
        time.sleep(1)
        assert processes.started(other) is not None
        link.forget(["a"])
        wait_for(lambda: processes.started(other) is None)


def test_what_it_started_stays_and_what_it_ran_is_killed_when_the_server_is(root: Path) -> None:
    script = f"""
        import threading, time
        from tests.agents.support import agent_pid
        from paddock.agents.link import Link
        link = Link("tester", {LOADER!r}, {str(root)!r})
        pid = agent_pid(link)
        stays = link.start(["sleep", "600"], env={{"MARK": {str(root)!r}}}, cwd="", log="log")
        threading.Thread(target=lambda: link.run(["sleep", "601"], seconds=700, env={{"RAN": {str(root)!r}}})).start()
        while not link.find("RAN", {str(root)!r}):
            time.sleep(0.05)
        print(pid, flush=True)
        time.sleep(600)
    """
    server = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    server.kill()
    server.wait()
    server.stdout.close()
    wait_for(lambda: processes.started(pid) is None)
    with linked(root) as link:
        wait_for(lambda: link.find("RAN", str(root)) == [])
        [stays] = link.find("MARK", str(root))
        assert link.signal(stays, signal.SIGKILL)


def test_the_kept_program_is_used_again_unless_it_was_changed(root: Path) -> None:
    with linked(root) as link:
        program = Path(link.hello().program)
    before = program.stat()
    with linked(root) as link:
        assert link.hello().program == str(program)
    assert program.stat().st_ino == before.st_ino
    program.write_bytes(program.read_bytes() + b"changed")
    with linked(root) as link:
        link.hello()
    assert program.stat().st_size == before.st_size
    program.unlink()
    program.symlink_to("/etc/passwd")
    with linked(root) as link:
        link.hello()
    assert not program.is_symlink()


def test_it_runs_on_the_oldest_python(root: Path) -> None:
    if OLDEST is None:
        pytest.skip("no Python 3.8 in ~/.pyenv/versions")
    link, taken = Link("tester", [str(OLDEST), *LOADER[1:]], str(root)), Taken()
    try:
        assert link.hello().version.startswith("3.8.")
        link.mkdir("a/claims")
        link.put("a/b", b"x" * (PART + 1))
        link.watch({"a/c": 0}, taken.grown, taken.fail)
        link.append("a/c", 0, b"line\n")
        wait_for(lambda: taken.files)
        assert link.read("a/b", -1, 5).data == b"x"
        assert link.withdraw("a/claims", ["j-1.1"]) == {"j-1.1"}
        assert [one.name for one in link.entries("a").entries] == ["claims", "b", "c"]
        assert link.stat("a/b").size == PART + 1
        assert link.run(["cat"], stdin=b"in").out == b"in"
        process = link.start(["sleep", "600"], env={"MARK": str(root)}, cwd="a", log="a/log")
        assert link.find("MARK", str(root)) == [process]
        assert link.alive([process]) == [True]
        assert link.signal(process, signal.SIGKILL)
        assert link.measure("a", 5)[2]
        assert link.remove("a")
        with pytest.raises(FileNotFoundError):
            link.run(["no-such-program"])
    finally:
        link.close()


def test_the_loader_works_from_the_command_line_as_well(root: Path) -> None:
    """So ssh can start it where nothing is installed."""
    link = Link("tester", [sys.executable, "-ISc", Path(LOADER[-1]).read_text()], str(root))
    try:
        assert link.hello().root == str(root)
        assert link.append("a", 0, b"x") == 1
    finally:
        link.close()


def test_links_are_made_once_per_person(root: Path) -> None:
    links = Links([*LOADER], f"{root}/{{user}}", idle_seconds=60)
    try:
        assert links.get("alice") is links.get("alice")
        assert links.get("alice").hello().root == str(root / "alice")
        assert links.get("bob").hello().root == str(root / "bob")
        pid = agent_pid(links.get("alice"))
    finally:
        links.close()
    wait_for(lambda: processes.started(pid) is None)
