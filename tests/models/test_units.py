"""Test durations and sizes as people write them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.backends.slurm import parse
from paddock.models import units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90m", 5400),
        ("4h", 14_400),
        ("2d", 172_800),
        ("1w", 604_800),
        ("30s", 30),
        ("2h30m", 9000),
        (" 1d 2 h ", 93_600),
        ("1.5H", 5400),
        ("0.5s", 0),
        ("2:00:00", 7200),
        ("10:30", 630),  # minutes and seconds, as Slurm reads it
        ("1-12:00:00", 129_600),
        ("1-12", 129_600),
        ("1-12:30", 131_400),
        ("0-00:01:00", 60),
        ("100:00:00", 360_000),
        (3600, 3600),
        (60.5, 60.5),
        (None, None),
    ],
)
def test_durations(text: Any, seconds: Any) -> None:
    assert units.seconds(text) == seconds


@pytest.mark.parametrize("text", ["60", "  7 ", "007"])
def test_a_bare_number_is_asked_for_its_unit(text: str) -> None:
    with pytest.raises(ValueError, match=f"{text.strip()} of what"):
        units.seconds(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "h",
        "-5m",
        "5 minutes",
        "5m6",
        "1h-2m",
        "1e3s",
        "1:2:3:4",
        "-1-0:0:0",
        "1-",
        "inf",
        "nan",
        "1,5h",
        "$(x)",
    ],
)
def test_what_is_no_duration_is_told_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match="is no duration: write 90m, 4h"):
        units.seconds(text)


@pytest.mark.parametrize("text", ["9" * 400 + "h", "9" * 309 + "s"])
def test_what_is_larger_than_any_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="characters"):
        units.seconds(text)
    with pytest.raises(ValueError, match="characters"):
        units.size("9" * 400 + "G")


@given(st.integers(0, 10**9))
def test_the_clock_is_read_back_as_it_was_written_by_us_and_by_slurm(total: int) -> None:
    assert units.seconds(units.clock(total)) == total
    assert parse.seconds(units.clock(total)) == total


@pytest.mark.parametrize(
    ("total", "text"),
    [(0, "0:00:00"), (59.6, "0:01:00"), (3661, "1:01:01"), (86_399, "23:59:59"), (93_784, "1-02:03:04")],
)
def test_clock(total: float, text: str) -> None:
    assert units.clock(total) == text


@given(st.integers(0, 10**6), st.sampled_from("smhdw"), st.integers(0, 10**6), st.sampled_from("SMHDW"))
def test_parts_are_added(first: int, unit: str, second: int, other: str) -> None:
    alone = units.seconds(f"{first}{unit}"), units.seconds(f"{second}{other}")
    assert units.seconds(f"{first}{unit}{second} {other}") == sum(alone)


@given(st.text(max_size=30))
def test_no_text_gives_anything_but_a_number_or_a_reason(text: str) -> None:
    for read in (units.seconds, units.size):
        try:
            assert read(text) >= 0
        except ValueError as error:
            assert str(error)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("16G", 16 * 1024**3),
        ("16g", 16 * 1024**3),
        ("16 GB", 16 * 1024**3),
        ("16GiB", 16 * 1024**3),
        ("500M", 500 * 1024**2),
        ("1.5T", 1536 * 1024**3),
        ("2048k", 2 * 1024**2),
        (" 1P ", 1024**5),
        (2**30, 2**30),
        (None, None),
    ],
)
def test_sizes(text: Any, size: Any) -> None:
    assert units.size(text) == size


@pytest.mark.parametrize("text", ["", "16", "16X", "-1G", "G", "1G2M", "1,5G", "16 G B", "inf", "16G;", "0x10G"])
def test_what_is_no_size_is_told_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match="is no size: write it with its unit, such as 16G"):
        units.size(text)


@pytest.mark.parametrize("few", [1, 16, 1024**2 - 1])
def test_so_few_bytes_are_taken_for_a_forgotten_unit(few: int) -> None:
    with pytest.raises(ValueError, match=f"{few} bytes are too few.*{few}G"):
        units.size(few)
    with pytest.raises(ValueError, match="such as 16G"):
        units.size(True)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (500 * 1024**2, "500 MiB"),
        (1024**3 - 1, "1 GiB"),
        (1.25 * 1024**3, "1.3 GiB"),
        (16 * 1024**3, "16 GiB"),
        (140.44 * 1024**3, "140.4 GiB"),
        (1024**4, "1024 GiB"),
    ],
)
def test_sizes_as_text(count: float, text: str) -> None:
    """The same as in web/src/lib/format.test.ts."""
    assert units.size_text(count) == text


@pytest.mark.parametrize("given", ["16G", "1.5G", "500M", "0.5T", "2T"])
def test_what_is_asked_for_is_shown_as_it_was_meant(given: str) -> None:
    assert units.size(units.size_text(units.size(given))) == units.size(given)


def test_a_part_of_a_size() -> None:
    assert units.size_of(1.2 * 1024**3, 139 * 1024**3) == "1.2 of 139 GiB"
    assert units.size_of(1024**2, 1024**3) == "1 MiB of 1 GiB"
    assert units.size_of(0, 1024**3) == "0 B of 1 GiB"


@pytest.mark.parametrize(
    ("total", "text"),
    [
        (0, "0 s"),
        (45, "45 s"),
        (60, "1 min"),
        (90, "1 min 30 s"),
        (12 * 3600, "12 h"),
        (86_400, "1 d"),
        (36 * 3600, "1 d 12 h"),
        (7 * 86_400 + 1800, "7 d 30 min"),
    ],
)
def test_durations_in_words(total: int, text: str) -> None:
    assert units.words(total) == text
