"""Test a job on two hosts by real ssh: each gets what is its own, and one that is silent holds up nothing else."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from paddock.agents.host_links import HostLinks
from paddock.errors import AgentUnavailable
from paddock.models import AllocationState
from paddock.paths import Home
from paddock.server.outposts.person import JobSite
from paddock.server.outposts.registry import Outposts
from paddock.server.outposts.spread import Spread
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import Database
from paddock.server.store.places import JobPlace
from paddock.server.store.tables import attempts, hosts
from paddock.settings import HostsSettings, TeamSettings
from tests.server.store.given import add_job
from tests.support.database import new_database
from tests.support.server import wait_for
from tests.support.sshd import NEEDS_SSHD, SshRig, ssh_hosts

pytestmark = NEEDS_SSHD
JOB = "k3v9x2ab"
ONE, TWO = f"{JOB}-1", f"{JOB}-2"
KEYS = {"gpu1": f"{JOB}-a1.0", "gpu2": f"{JOB}-a2.0"}


@dataclass
class Lab:
    """A job that has an allocation on each of two hosts; its first task is dealt to gpu1, its second to gpu2."""

    rig: SshRig
    home: Home
    db: Database
    open: Callable[[], Outposts]
    outposts: Outposts

    @property
    def post(self) -> Spread:
        found = self.outposts.of(JOB)
        assert isinstance(found, Spread)
        return found

    def reopen(self) -> None:
        self.outposts.close()
        self.outposts = self.open()

    def deal(self, task: str, host: str | None) -> None:
        with self.db.write() as c:
            key = KEYS[host] if host else None
            c.execute(sa.update(attempts).where(attempts.c.task_id == task).values(dealt_to=key))

    def lose(self, host: str) -> None:
        with self.db.write() as c:
            c.execute(sa.insert(hosts).values(backend="lab", name=host, added_at=1.0, lost_at=2.0))

    def settled(self, *wanted: str) -> dict[str, bool]:
        """What withdrawing answers, when it has for all of these."""
        given = [(task, 1) for task in wanted]
        wait_for(lambda: len(self.post.withdraw(given)) == len(given))
        return {task: gone for (task, _), gone in self.post.withdraw(given).items()}

    def write(self, host: str, task: str, number: int, text: str) -> None:
        log = self.post.on(host).log(task, number)
        log.parent.mkdir(parents=True)
        log.write_text(text)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    new_database(tmp_path / "paddock.db")
    home, db = Home(tmp_path / "home"), Database(f"sqlite:///{tmp_path}/paddock.db")
    home.create()
    add_job(db, JOB, 2)
    home.job(JOB).allocations.mkdir(parents=True)
    home.job(JOB).code.mkdir()
    (home.job(JOB).code / "train.py").write_text("print(1)\n")
    home.job(JOB).spec.write_text("{}")
    places: list[JobPlace] = []
    with ssh_hosts(2) as rig:
        settings = HostsSettings(ssh=rig.ssh, folder=f"{tmp_path}/{{host}}", python=sys.executable)

        def begin() -> Outposts:
            made = Outposts(home, None, fleets={"lab": HostLinks(settings, TeamSettings(), home.root)}, db=db)
            made.load(places)
            return made

        first = begin()
        post = first.establish(JOB, JobSite(None, "lab", first.person_on("lab", ["gpu1"], None)))
        places.append(JobPlace(JOB, None, str(post.folder.root), "lab"))
        found = Lab(rig, home, db, begin, first)
        for host, task in (("gpu1", ONE), ("gpu2", TWO)):
            wait_for(partial(post.reached, host), what=str(post.problem(host)))
            post.plan([KEYS[host]], f"{JOB}-a{host[-1]}.manifest.json", "{}", host)
            found.deal(task, host)
            post.deal(KEYS[host], [{"task": task, "attempt": 1}])
        wait_for(post.carried)
        yield found
        found.outposts.close()
        db.close()


def test_each_host_gets_what_is_its_own(lab: Lab) -> None:
    lab.post.order([{"op": "hold"}])
    wait_for(lab.post.carried)
    for host, task in (("gpu1", ONE), ("gpu2", TWO)):
        there = lab.post.on(host)
        assert (there.code / "train.py").read_text() == "print(1)\n"
        assert there.spec.exists()
        assert there.control.read_text() == '{"op":"hold"}\n'
        assert {one.name for one in there.allocations.iterdir()} == {KEYS[host], f"{JOB}-a{host[-1]}.manifest.json"}
        assert task in (there.allocation(KEYS[host]) / "tasks.jsonl").read_text()
        assert Path(lab.post.runner(Path("x.pyz"), host)).parent.is_dir()
    assert lab.post.on("gpu1").root != lab.post.on("gpu2").root


def test_what_is_taken_back_from_one_host_is_dealt_to_another(lab: Lab) -> None:
    assert lab.settled(ONE) == {ONE: True}
    assert (lab.post.on("gpu1").allocation(KEYS["gpu1"]) / "claims" / f"{ONE}.1").is_symlink()
    lab.deal(ONE, None)
    assert lab.settled(ONE) == {ONE: True}, "nobody has it"
    lab.deal(ONE, "gpu2")
    claim = lab.post.on("gpu2").allocation(KEYS["gpu2"]) / "claims" / f"{ONE}.1"
    claim.write_text(KEYS["gpu2"])
    for _ in range(2):
        assert lab.settled(ONE) == {ONE: False}, "what was known of another host is not of this one"
        lab.reopen()
    wait_for(lambda: lab.post.held([(ONE, 1), (TWO, 1)], [KEYS["gpu2"]]) == {(ONE, 1): KEYS["gpu2"]})


def test_a_host_that_does_not_answer_holds_up_only_what_it_has(lab: Lab) -> None:
    lab.write("gpu1", ONE, 1, "one\n")
    lab.write("gpu2", TWO, 1, "two\n")
    lab.rig["gpu2"].kill()
    wanted = [(ONE, 1), (TWO, 1)]
    wait_for(lambda: lab.post.withdraw(wanted) == {(ONE, 1): True})
    assert lab.post.read(lab.post.folder.log(ONE, 1), 0, 10)[2] == b"one\n"
    with pytest.raises(AgentUnavailable, match="gpu2"):
        lab.post.read(lab.post.folder.log(TWO, 1), 0, 10)
    wait_for(lambda: "gpu2" in (lab.post.problem("gpu2") or ""))
    assert lab.post.problem("gpu1") is None
    roots = {host: lab.post.on(host).root for host in KEYS}

    def waits() -> bool:
        with pytest.raises(AgentUnavailable, match="gpu2"):
            while lab.post.remove() is None:
                pass
        return not roots["gpu1"].exists()

    wait_for(waits)
    assert lab.home.job(JOB).root.exists(), "it is not gone while a host has a part of it"
    lab.rig["gpu2"].start()
    wait_for(lambda: _gone(lab))
    assert not roots["gpu2"].exists()
    assert not lab.home.job(JOB).root.exists()


def _gone(lab: Lab) -> bool:
    try:
        return lab.post.remove() is not None
    except AgentUnavailable:
        return False


def test_nothing_is_waited_for_from_a_lost_host(lab: Lab) -> None:
    lab.rig["gpu2"].kill()
    lab.lose("gpu2")
    assert lab.settled(TWO) == {TWO: True}
    assert lab.post.held([(TWO, 1)], [KEYS["gpu2"]]) == {}
    given = dict.fromkeys(AllocationRow.__dataclass_fields__)
    more = {"key": KEYS["gpu2"], "job_id": JOB, "state": AllocationState.ENDED, "offsets": []}
    assert lab.outposts.attend([AllocationRow(**given | more)]) == set()  # type: ignore[arg-type]
    with pytest.raises(AgentUnavailable, match="gpu2 was declared lost"):
        lab.post.read(lab.post.folder.log(TWO, 1), 0, 10)
    wait_for(lambda: _gone(lab))
    assert not lab.home.job(JOB).root.exists()


def test_attempts_on_several_hosts_are_one_list(lab: Lab) -> None:
    with lab.db.write() as c:
        row = dict(c.execute(sa.select(attempts).where(attempts.c.task_id == ONE)).mappings().one())
        c.execute(sa.update(attempts).where(attempts.c.task_id == ONE).values(allocation=KEYS["gpu1"]))
        again = row | {"id": None, "number": 2, "dealt_to": KEYS["gpu2"], "allocation": KEYS["gpu2"]}
        c.execute(sa.insert(attempts).values(again))
    lab.write("gpu1", ONE, 1, "gave 1\n")
    lab.write("gpu2", ONE, 2, "gave 2\n")
    folder = lab.post.folder
    assert lab.post.names(folder.log(ONE, 1).parent.parent) == {"1", "2"}
    found = lab.post.search([folder.log(ONE, 2), folder.log(ONE, 1)], [r"gave (?P<quality>\d+)"])
    assert [values for points in found for _, values in points] == [{"quality": 2.0}, {"quality": 1.0}]
    assert lab.post.task_folder(ONE) == lab.post.on("gpu2").task(ONE)
    lab.post.drop([folder.log(ONE, 1).parent])
    assert not lab.post.on("gpu1").log(ONE, 1).parent.exists()


def test_a_server_without_the_backend_begins(lab: Lab) -> None:
    lab.outposts.close()
    lab.outposts = Outposts(lab.home, db=lab.db)
    lab.outposts.load([JobPlace(JOB, None, str(lab.home.root), "lab")])
    with pytest.raises(AgentUnavailable, match="no backend lab"):
        lab.post.order([{"op": "hold"}])
