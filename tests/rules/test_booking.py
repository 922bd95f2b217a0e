"""What is free, and the first slot."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from paddock.rules import booking
from paddock.rules.booking import Booked

HOUR = 3600.0
DAY = 24 * HOUR
WEEK = 7 * DAY


@dataclass(frozen=True)
class Gpu:
    id: str
    host: str = "gpu1"
    number: int | None = 0
    gpus: int = 1
    backend: str = "lab"


def booked(device: str, since: float, until: float, owner: str = "bob") -> Booked:
    return Booked("r", "reservation", device, owner, ("carol",), ("vision",), since, until, None, 1)


def first(
    places: list[Gpu], taken: list[Booked], gpus: int, seconds: float, grid: float = 0.0
) -> list[booking.OpenSlot]:
    free = booking.free_times(places, taken, (0.0, 2 * WEEK))
    return booking.first_free(places, free, gpus=gpus, seconds=seconds, after=0.0, grid=grid)


def test_who_may_use_a_booking() -> None:
    one = booked("a", 0, 1)
    assert one.is_for("bob") and one.is_for("carol") and one.is_for("dave", {"vision"})
    assert not one.is_for("dave", {"speech"})


def test_the_first_slot_is_now_if_it_is_free() -> None:
    assert first([Gpu("a")], [], 1, HOUR) == [booking.OpenSlot("lab", "gpu1", ("a",), 0.0, HOUR)]


def test_gpus_of_one_slot_are_on_one_host() -> None:
    places = [Gpu("a"), Gpu("b", "gpu2"), Gpu("c", "gpu2", 1)]
    assert [slot.devices for slot in first(places, [], 2, HOUR)] == [("b", "c")]
    assert first(places, [], 3, HOUR) == []


def test_a_slot_begins_when_another_ends_on_the_grid() -> None:
    taken = [booked("a", 0, 2 * HOUR + 100)]
    assert first([Gpu("a")], taken, 1, HOUR, grid=900.0)[0].starts_at == 2 * HOUR + 900
    assert first([Gpu("a")], [booked("a", HOUR / 2, HOUR)], 1, HOUR, grid=900.0)[0].starts_at == HOUR


def test_the_tightest_gap_is_taken_and_nodes_count_their_gpus() -> None:
    places = [Gpu("a", number=0), Gpu("b", number=1)]
    assert first(places, [booked("b", 2 * HOUR, 3 * HOUR)], 1, HOUR)[0].devices == ("b",)
    assert first([Gpu("n", number=None, gpus=8)], [], 5, HOUR)[0].devices == ("n",)


def test_only_allowed_hours_are_free() -> None:
    places = [Gpu("a")]
    free = booking.free_times(places, [booked("a", 11 * HOUR, 12 * HOUR)], (0.0, DAY), {"a": [(10 * HOUR, 14 * HOUR)]})
    assert free == {"a": [(10 * HOUR, 11 * HOUR), (12 * HOUR, 14 * HOUR)]}
    assert booking.first_free(places, free, gpus=1, seconds=2 * HOUR, after=0.0)[0].starts_at == 12 * HOUR


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(1, 10)), max_size=12),
    st.integers(1, 4),
    st.integers(1, 12),
)
def test_the_first_slot_is_free_and_none_is_earlier(taken: list[tuple[int, int, int]], gpus: int, hours: int) -> None:
    places = [Gpu(str(number), number=number) for number in range(4)]
    all_taken = [booked(str(gpu), since * HOUR, (since + length) * HOUR) for gpu, since, length in taken]
    slot = first(places, all_taken, gpus, hours * HOUR)[0]

    def free_at(hour: int) -> int:
        within = (hour * HOUR, (hour + hours) * HOUR)
        return sum(not booking.overlapping(all_taken, [place.id], within) for place in places)

    assert not booking.overlapping(all_taken, slot.devices, (slot.starts_at, slot.ends_at))
    assert len(slot.devices) == gpus
    assert int(slot.starts_at / HOUR) == next(hour for hour in range(200) if free_at(hour) >= gpus)


def test_64_gpus_and_two_weeks_take_less_than_50_ms() -> None:
    places = [Gpu(f"{host}:{gpu}", f"gpu{host}", gpu) for host in range(8) for gpu in range(8)]
    taken = [booked(place.id, at * HOUR, (at + 9) * HOUR) for place in places for at in range(0, 330, 10)]
    took = []
    for _ in range(5):
        began = time.perf_counter()
        found = first(places, taken, 4, 3 * HOUR, grid=900.0)
        took.append(time.perf_counter() - began)
    assert found[0].starts_at == 329 * HOUR
    assert min(took) < 0.05


def test_a_weekly_slot_keeps_its_time_of_the_clock() -> None:
    warsaw = ZoneInfo("Europe/Warsaw")
    begins = datetime(2026, 10, 20, 9, 0, tzinfo=warsaw).timestamp()
    until = datetime(2026, 11, 4, tzinfo=UTC).timestamp()
    weeks = list(booking.weekly((begins, begins + 4 * HOUR), until, "Europe/Warsaw"))
    assert [datetime.fromtimestamp(at, warsaw).hour for at, _ in weeks] == [9, 9, 9]
    assert {end - at for at, end in weeks} == {4 * HOUR}
    assert weeks[1][0] - weeks[0][0] == WEEK + HOUR  # the clocks were put back in between
