"""Test how Slurm's reservations are made what is wanted: on recordings of three versions, and with a made-up Slurm."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from paddock.backends.base import Enforcement, WantedReservation
from paddock.backends.slurm import parse
from paddock.backends.slurm.commands import Commands, Result
from paddock.backends.slurm.reservations import Reserver, _words
from paddock.errors import BackendUnavailable
from paddock.settings import SlurmSettings
from tests.support.recorded import VERSIONS, Recorded

NOW, HOUR = 1_800_000_000.0, 3600.0


@pytest.fixture(params=VERSIONS)
def recorded(request: pytest.FixtureRequest) -> Recorded:
    return Recorded(request.param)


class SmallSlurm(Commands):
    """Keeps reservations in memory. `refusals`: what is printed for commands that contain a text."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(SlurmSettings(**settings))
        self.there: dict[str, dict[str, str]] = {}
        self.refusals: dict[str, str] = {}
        self.jobs: dict[str, str] = {}  # by reservation
        self.busy = ""
        self.asked: list[str] = []

    def try_run(self, *argv: str, text: str | None = None, user: str | None = None) -> Result:
        if argv[0] == "id":
            return Result("service\n", "", 0)
        if argv[0] == "squeue":
            return Result(self.jobs.get(argv[3], "") if argv[2] == "-R" else self.busy, "", 0)
        lines = [" ".join(f"{key}={value}" for key, value in one.items()) for one in self.there.values()]
        return Result("\n".join(lines) or "No reservations in the system", "", 0)

    def operate(self, *argv: str) -> Result:
        line = " ".join(argv)
        self.asked.append(line)
        for text, refusal in self.refusals.items():
            if text in line:
                return Result("", refusal, 1)
        fields = dict(part.split("=", 1) for part in argv if "=" in part)
        fields = {key: re.sub("^uts", "", value) for key, value in fields.items()}
        if fields.get("StartTime") == "now":
            fields["StartTime"] = f"{NOW:.0f}"
        if argv[0] == "delete":
            del self.there[fields["ReservationName"]]
        elif "ReservationName" in fields:
            self.there[fields["ReservationName"]] = self.there.get(fields["ReservationName"], {}) | fields
        return Result("", "", 0)


@pytest.fixture
def slurm() -> SmallSlurm:
    return SmallSlurm()


def wanted(id: str = "a1", nodes: Sequence[str] = ("n1",), start: float = HOUR, **given: Any) -> WantedReservation:
    ends = given.pop("end", start + HOUR)
    users = given.pop("users", ["alice"])
    return WantedReservation(id, dict.fromkeys(nodes), users, NOW + start, NOW + ends, **given)


def enforce(slurm: SmallSlurm, *them: WantedReservation, known: Sequence[str] = ()) -> dict[str, Enforcement]:
    slurm.asked.clear()
    return Reserver(slurm, lambda: "0", lambda: NOW).enforce(them, {*known, *(one.id for one in them)})


def test_one_is_made_once_and_then_left_alone(slurm: SmallSlurm) -> None:
    one = wanted(nodes=["n2", "n1"], users=["bob", "alice"])
    assert enforce(slurm, one) == {"a1": Enforcement("yes")}
    assert slurm.asked == [
        f"create reservation ReservationName=paddock-a1 StartTime=uts{NOW + HOUR:.0f} EndTime=uts{NOW + 2 * HOUR:.0f} "
        "Nodes=n1,n2 Users=alice,bob"
    ]
    assert enforce(slurm, one) == {"a1": Enforcement("yes")}
    assert slurm.asked == []


def test_what_has_changed_is_updated(slurm: SmallSlurm) -> None:
    enforce(slurm, wanted())
    enforce(slurm, wanted(nodes=["n2"], start=2 * HOUR, users=["alice", "bob"]))
    starts, ends = f"uts{NOW + 2 * HOUR:.0f}", f"uts{NOW + 3 * HOUR:.0f}"
    assert slurm.asked == [
        f"update ReservationName=paddock-a1 StartTime={starts} EndTime={ends} Nodes=n2 Users=alice,bob"
    ]


def test_the_start_of_one_that_has_begun_stays(slurm: SmallSlurm) -> None:
    enforce(slurm, wanted(start=-60.5, end=HOUR))
    assert "StartTime=now" in slurm.asked[0]
    enforce(slurm, wanted(start=-60.5, end=2 * HOUR))
    assert slurm.asked == [f"update ReservationName=paddock-a1 EndTime=uts{NOW + 2 * HOUR:.0f}"]


def test_one_that_cannot_be_changed_is_made_anew_when_others_have_made_room(slurm: SmallSlurm) -> None:
    """Two that exchange their nodes: the first is refused until the second has moved."""
    enforce(slurm, wanted("a1", ["n1"]), wanted("a2", ["n2"]))
    slurm.refusals["update ReservationName=paddock-a1"] = "slurm_update error: Requested reservation overlaps"
    assert enforce(slurm, wanted("a1", ["n2"]), wanted("a2", ["n1"])) == {
        "a1": Enforcement("yes"),
        "a2": Enforcement("yes"),
    }
    assert [line.split()[:2] for line in slurm.asked] == [
        ["update", "ReservationName=paddock-a1"],
        ["delete", "ReservationName=paddock-a1"],
        ["update", "ReservationName=paddock-a2"],
        ["create", "reservation"],
    ]


def test_only_ones_own_are_deleted_and_what_runs_in_them_goes_on(slurm: SmallSlurm) -> None:
    enforce(slurm, wanted("mine"), wanted("others", ["n2"]))
    slurm.there["lecture"] = {"ReservationName": "lecture", "StartTime": "1", "EndTime": f"{NOW + HOUR:.0f}"}
    slurm.jobs["paddock-mine"] = "12\n12\n15\n"
    assert enforce(slurm, known=["mine", "gone"]) == {}
    left = ["update JobId=12 Reservation=", "update JobId=15 Reservation="]  # one that has ended stops no other
    assert slurm.asked == [*left, "delete ReservationName=paddock-mine"]
    assert slurm.there.keys() == {"paddock-others", "lecture"}


def test_one_in_use_is_deleted_later_and_ends_no_job(slurm: SmallSlurm) -> None:
    enforce(slurm, wanted())
    slurm.refusals["delete"] = "delete_reservation ReservationName=paddock-a1: Requested reservation is in use"
    enforce(slurm, known=["a1"])
    assert slurm.asked == ["delete ReservationName=paddock-a1"]
    slurm.refusals.clear()
    slurm.jobs["paddock-a1"] = "12\n"
    enforce(slurm, known=["a1"])
    assert slurm.asked == ["update JobId=12 Reservation=", "delete ReservationName=paddock-a1"]
    assert not slurm.there


def test_without_an_answer_about_what_is_inside_nothing_is_deleted(
    slurm: SmallSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    enforce(slurm, wanted())
    usual = slurm.try_run
    silent = Result("", "slurm_load_jobs error: Socket timed out on send/recv operation", 1)
    monkeypatch.setattr(slurm, "try_run", lambda *argv, **given: silent if argv[0] == "squeue" else usual(*argv))
    enforce(slurm, known=["a1"])
    assert slurm.asked == [] and slurm.there


def test_a_refusal_of_one_is_told_in_slurms_words_and_stops_no_other(slurm: SmallSlurm) -> None:
    slurm.refusals["paddock-a1"] = "Error creating the reservation: Requested nodes are busy"
    end = NOW + 3 * HOUR
    slurm.busy = f"11|bob|{end:.0f}|n[1-2]\n12|bob|{NOW:.0f}|n1\n13|carol|Unknown|n1\n"
    found = enforce(slurm, wanted("a1"), wanted("a2", ["n2"]))
    assert found["a2"] == Enforcement("yes")
    assert found["a1"] == Enforcement(
        "no",
        "Requested nodes are busy: n1 without a time limit with job 13 of carol, "
        "n1 until 2027-01-15 11:00 UTC with job 11 of bob",
    )


def test_one_word_of_slurm_means_two_things(slurm: SmallSlurm) -> None:
    slurm.refusals["create"] = "Error creating the reservation: Invalid user id"
    why = enforce(slurm, wanted())["a1"].why
    assert why == "Invalid user id: it does not know one of alice, or this server may not reserve"


def test_maintenance_takes_nodes_in_use_and_is_for_nobody(slurm: SmallSlurm) -> None:
    enforce(slurm, wanted(maintenance=True, users=["alice"]))
    assert slurm.asked[0].endswith("Users=service Flags=MAINT,IGNORE_JOBS")
    enforce(slurm, wanted(maintenance=True))
    assert slurm.asked == []


def test_names_that_mean_something_else_to_slurm_are_not_passed_on(slurm: SmallSlurm) -> None:
    found = enforce(slurm, wanted("a1", ["n1 Flags=ANY"]), wanted("a2", users=["-alice", "b ob", "carol"]))
    assert found["a1"].state == "no"
    assert [line.partition(" Users=")[2] for line in slurm.asked] == ["carol"]


def test_single_gpus(slurm: SmallSlurm) -> None:
    two = WantedReservation("a1", {"n1": 2}, ["alice"], NOW + HOUR, NOW + 2 * HOUR)
    enforce(slurm, two)
    assert slurm.asked[0].endswith("TRESPerNode=gres/gpu=2")
    uneven = WantedReservation("a2", {"n1": 2, "n2": 1}, ["alice"], NOW + HOUR, NOW + 2 * HOUR)
    assert "one for each node" in (enforce(slurm, uneven)["a2"].why or "")


def test_a_controller_that_is_away_is_no_refusal(slurm: SmallSlurm) -> None:
    slurm.refusals["create"] = "Error creating the reservation: Unable to contact slurm controller (connect failure)"
    with pytest.raises(BackendUnavailable):
        enforce(slurm, wanted())


def test_a_prefix_that_is_not_there_is_told() -> None:
    commands = Commands(SlurmSettings(operator_prefix=["no-such-sudo"]))
    assert "operator_prefix" in commands.operate("delete", "ReservationName=x").err


def test_the_operators_prefix_comes_before_scontrol_alone() -> None:
    commands = Commands(SlurmSettings(operator_prefix=["echo", "-n"], prefix=["false"]))
    assert commands.operate("delete", "ReservationName=x").out == "scontrol delete ReservationName=x"


# --- recordings -------------------------------------------------------------------------------------------------------


def test_recorded_reservations(recorded: Recorded) -> None:
    assert parse.reservations(recorded.out("reservations-none")) == []
    rows = {row.name: row for row in parse.reservations(recorded.out("reservations-exact"))}
    assert rows.keys() == {"paddock-one", "paddock-operated", "paddock-upkeep", "paddock-now"}
    one, now = rows["paddock-one"], rows["paddock-now"]
    assert (set(one.nodes), set(one.users), one.active, one.maintenance) == ({"r1"}, {"bob"}, False, False)
    assert (one.ends_at - one.starts_at, one.gpus) == (5400, None)
    assert (set(now.nodes), now.active) == ({"r2"}, True)
    assert rows["paddock-operated"].users == {"alice", "bob"}
    assert rows["paddock-upkeep"].maintenance
    assert parse.reservations(recorded.out("reservations"))[0].name == "paddock-one"


def test_recorded_refusals(recorded: Recorded) -> None:
    def words(name: str) -> str:
        assert recorded.rc(f"reservation-{name}") != 0
        return _words(Result(recorded.out(f"reservation-{name}"), recorded.err(f"reservation-{name}"), 1))

    assert words("overlap") == "Requested reservation overlaps with another reservation"
    assert words("busy") == "Requested nodes are busy"
    assert words("denied") == "Invalid user id"
    assert words("wrong-user") == ("Unspecified error" if recorded.version == "26.05" else "Invalid user id")
    assert words("wrong-node") == "Invalid node name specified"
    assert words("begun") == "Reservation already started"
    assert "in use" in words("in-use")
    assert recorded.rc("reservation-operator") == recorded.rc("reservation-out") == recorded.rc("reservation-past") - 1
    [occupant] = parse.occupants(recorded.out("occupants"))
    assert (occupant.user, set(occupant.nodes), (occupant.ends_at or 0) > NOW / 2) == ("alice", {"r3"}, True)


def test_recorded_single_gpus(recorded: Recorded) -> None:
    """Newer versions take them; what is said of it by 22.05 names the reason."""
    rows = {row.name: row for row in parse.reservations(recorded.out("reservations-gpus"))}
    if recorded.version == "22.05":
        assert "TRESPerNode" in recorded.err("reservation-gpu-per-node")
    else:
        row = rows["paddock-gpu-per-node"]
        assert (row.gpus, set(row.nodes)) == (1, {"r3"})
