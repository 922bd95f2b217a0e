"""Which processes are violations, and what is done about them when."""

from dataclasses import replace

import pytest

from paddock.rules.guarding import (
    ExemptProcesses,
    GuardedBooking,
    GuardTimes,
    Intrusion,
    OpenCase,
    StepTaken,
    WatchedProcess,
    due,
    in_one_line,
    judge,
    owner_of,
)

NOW = 1_800_000_000.0
BOB = WatchedProcess("lab", "gpu1", "dev0", 4711, 99, "bob", "bob", "python train.py", "reserved")
BOOKED = GuardedBooking("r1", "dev0", "alice", frozenset({"alice", "carol"}), NOW - 600, NOW + 600)
TIMES = GuardTimes(terminal=0, repeat=600, page=0, mail=60, admins=60, grace=None, kill=30)


def found(one: WatchedProcess, *bookings: GuardedBooking, run: bool = True, **given: object) -> list[Intrusion]:
    return judge([one], bookings, lambda _: run, given.pop("exempt", []), NOW, **given).intrusions  # type: ignore[arg-type]


def test_a_process_of_somebody_else_on_a_reserved_gpu_is_a_violation() -> None:
    (one,) = found(BOB, BOOKED)
    assert (one.kind, one.booking, one.key) == ("reserved", BOOKED, ("gpu1", "dev0", 4711, 99, "reserved", "r1"))


@pytest.mark.parametrize(
    ("one", "booking"),
    [
        (replace(BOB, account="alice"), BOOKED),  # the owner
        (replace(BOB, account="carol"), BOOKED),  # a guest
        (replace(BOB, ours=True), BOOKED),  # Paddock gave it the device
        (replace(BOB, device="dev1"), BOOKED),
        (BOB, replace(BOOKED, starts_at=NOW + 1)),
        (BOB, replace(BOOKED, ends_at=NOW)),
        (replace(BOB, command="Xorg :0"), BOOKED),
    ],
)
def test_these_are_none(one: WatchedProcess, booking: GuardedBooking) -> None:
    assert found(one, booking, programs=["Xorg"]) == []


def test_a_training_that_calls_itself_a_display_server_is_a_violation() -> None:
    forged = replace(BOB, command="Xorg", memory=20 * 2**30)
    assert found(forged, BOOKED, programs=["Xorg"])
    assert found(replace(forged, memory=2**30), BOOKED, programs=["Xorg"]) == []


def test_the_first_seconds_of_a_reservation_do_not_count() -> None:
    assert found(BOB, replace(BOOKED, starts_at=NOW - 29), settle=30) == []
    assert found(BOB, replace(BOOKED, starts_at=NOW - 30), settle=30)
    strict = replace(BOB, protect="strict")
    assert found(strict, replace(BOOKED, starts_at=NOW - 29), settle=30) == []  # one that nobody had reserved, before


def test_strict_means_that_nobody_uses_what_nobody_has_reserved_for_them() -> None:
    assert found(BOB) == []
    strict = replace(BOB, protect="strict")
    assert [one.kind for one in found(strict)] == ["unreserved"]
    assert found(replace(strict, account="alice"), BOOKED) == []


def test_a_process_of_which_nothing_is_known_is_a_violation_too() -> None:
    unknown = replace(BOB, unix_name=None, account=None, command=None, start=None, protect="strict")
    assert [one.kind for one in found(unknown)] == ["unreserved"]
    assert [one.kind for one in found(unknown, BOOKED)] == ["reserved"]


def test_who_may_not_run_there_now_is_against_a_rule_unless_it_is_reserved_for_them() -> None:
    assert [one.kind for one in found(BOB, run=False)] == ["rule"]
    assert [one.kind for one in found(BOB, BOOKED, run=False)] == ["reserved"]
    assert found(replace(BOB, account="alice"), BOOKED, run=False) == []


def test_exempt_are_those_of_which_all_that_is_given_holds() -> None:
    def covers(**given: object) -> bool:
        rule = ExemptProcesses(**{"account": None, "command": None, "device": None, "until": NOW + 1} | given)  # type: ignore[arg-type]
        judged = judge([BOB], [BOOKED], lambda _: True, [rule], NOW)
        assert len(judged.exempt) + len(judged.intrusions) == 1
        return bool(judged.exempt)

    assert covers(account="bob")
    assert covers(command="python")
    assert covers(account="bob", command="python train", device="dev0")
    assert not covers(account="bob", device="dev1")
    assert not covers(account="bob", command="python3")
    assert not covers(account="bob", until=NOW)  # its time is over
    assert not covers()  # nothing given is not everything
    assert covers(account="bob") == covers(account=BOB.unix_name)


def steps(*done: tuple[float, str, bool]) -> list[StepTaken]:
    return [StepTaken(NOW + at, act, ok) for at, act, ok in done]  # type: ignore[arg-type]


def test_steps_come_one_after_the_other_and_once() -> None:
    case = OpenCase(NOW, NOW)
    assert due(case, TIMES, NOW) == ["terminal", "page"]
    told = replace(case, own=steps((0, "terminal", True), (0, "page", True)), told={"terminal": NOW, "page": NOW})
    assert due(told, TIMES, NOW + 59) == []
    assert due(told, TIMES, NOW + 60) == ["mail", "admins"]
    assert due(told, TIMES, NOW + 600) == ["terminal", "mail", "admins"]  # on terminals again and again


def test_a_step_that_is_left_out_is_never_due() -> None:
    silent = GuardTimes(terminal=None, repeat=600, page=None, mail=None, admins=None, grace=None, kill=30)
    assert due(OpenCase(NOW - 1e6, NOW - 1e6), silent, NOW) == []


def test_a_second_process_in_the_same_case_is_told_with_the_first() -> None:
    told = {"terminal": NOW - 30, "page": NOW - 30, "mail": NOW - 30}
    assert due(OpenCase(NOW - 30, NOW, told=told), TIMES, NOW + 60) == ["admins"]  # type: ignore[arg-type]


def test_a_process_is_ended_after_the_grace_and_killed_once() -> None:
    times = replace(TIMES, terminal=None, page=None, mail=None, admins=None, grace=300)
    case = OpenCase(NOW, NOW)
    assert due(case, times, NOW + 299) == []
    assert due(case, times, NOW + 300) == ["term"]
    asked = replace(case, own=steps((300, "term", True)))
    assert due(asked, times, NOW + 329) == []
    assert due(asked, times, NOW + 330) == ["kill"]
    killed = replace(case, own=steps((300, "term", True), (330, "kill", True)))
    assert due(killed, times, NOW + 1e6) == []
    failed = replace(case, own=steps((300, "term", False), (330, "kill", False)))
    assert due(failed, times, NOW + 400) == []
    assert due(failed, times, NOW + 930) == ["kill"]  # tried again


def test_the_grace_is_of_the_person_not_of_each_process() -> None:
    times = replace(TIMES, terminal=None, page=None, mail=None, admins=None, grace=300)
    assert due(OpenCase(NOW - 300, NOW), times, NOW) == ["term"]


def test_what_a_reservation_says_about_ending_counts_more_than_the_settings() -> None:
    quiet = replace(TIMES, terminal=None, page=None, mail=None, admins=None)
    assert due(OpenCase(NOW - 60, NOW - 60, end_minutes=1), quiet, NOW) == ["term"]
    assert due(OpenCase(NOW - 60, NOW - 60, end_minutes=2), replace(quiet, grace=0), NOW) == []
    assert due(OpenCase(NOW, NOW, end_minutes=0), quiet, NOW) == ["term"]  # 0 is a number
    assert due(OpenCase(NOW, NOW, end_asked=True), quiet, NOW) == ["term"]


def test_an_unknown_owner_is_reported_and_never_ended() -> None:
    unknown = OpenCase(NOW - 1e6, NOW - 1e6, known=False, endable=False, end_minutes=0, end_asked=True)
    assert due(unknown, replace(TIMES, grace=0), NOW) == ["page", "mail", "admins"]
    unsure = OpenCase(NOW - 1e6, NOW - 1e6, endable=False)
    assert due(unsure, replace(TIMES, grace=0), NOW) == ["terminal", "page", "mail", "admins"]


def test_whose_a_unix_account_is() -> None:
    accounts = {"alice": "ali", "bob": None, "ali": None, "eve": "bob"}
    assert owner_of("ali", accounts) == "alice"
    assert owner_of("bob", accounts) == "eve"  # who has it named as theirs
    assert owner_of("carol", accounts) is None
    assert owner_of("alice", accounts) is None  # that is another Unix account
    assert owner_of(None, accounts) is None
    assert owner_of("bob", {"bob": None}) == "bob"


def test_names_in_one_line() -> None:
    assert in_one_line(["b"]) == "b"
    assert in_one_line({"b", "a"}) == "a and b"
    assert in_one_line(["c", "a", "b"]) == "a, b and c"
