"""What other users have and wait for on a cluster, as squeue prints it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.backends.slurm.others import FORMAT, others
from paddock.rules.giving_way import Waiting
from tests.support.recorded import Recorded

# As Slurm 22.05 prints it, with priorities made different.
PRINTED = """\
11|bob|1003|PENDING|gpu|90|gres:gpu:2|N/A|N/A|2|2|2|NO|Priority
10|bob|1003|PENDING|gpu|80|N/A|N/A|gres:gpu:fake:1|2|2|2|OK|Priority
12|bob|1003|PENDING|gpu,one|95|N/A|N/A|N/A|1|4|4|OK|Priority
9_[0-9%3]|bob|1003|PENDING|gpu|70|N/A|gres:gpu:2|N/A|1|1|1|OK|Priority
13|bob|1003|PENDING|gpu|99|gres:gpu:1|N/A|N/A|1|1|1|OK|BeginTime
7|bob|1003|PENDING|gpu|60|gres:gpu:1|N/A|N/A|1|1|1|OK|Resources
8|bob|1003|PENDING|gpu|90|N/A|N/A|N/A|1|1|1|NO|ReqNodeNotAvail, UnavailableNodes:n1,n2
14|alice|1002|PENDING|gpu|90|gres:gpu:1|N/A|N/A|1|1|1|OK|Priority
1|alice|1002|RUNNING|gpu|60|gres:gpu:1|N/A|N/A|1|1|1|OK|None
2|bob|1003|RUNNING|gpu|60|gres:gpu:1|N/A|N/A|2|4|5|OK|None
3_4|cleo|1004|RUNNING|cpu|60|N/A|N/A|N/A|1|1|3|OK|None
"""
GPU = frozenset({"gpu"})


def test_what_others_wait_for_in_the_order_of_the_scheduler() -> None:
    assert others(PRINTED, {"1002"}).waiting == (
        Waiting("7", "bob", GPU, 1),
        Waiting("12", "bob", frozenset({"gpu", "one"}), 0, 4),
        Waiting("11", "bob", GPU, 2, 1, nodes=2, whole=True),
        Waiting("10", "bob", GPU, 1, 1, nodes=2, gpu_type="fake"),
        Waiting("9", "bob", GPU, 2, count=3),
    )


def test_what_the_scheduler_has_not_looked_at_yet() -> None:
    """Slurm 22.05 prints this for a moment, also of an array of which some elements are about to start."""
    found = others("7_[0-5]|bob|1002|PENDING|gpu|1|N/A|gres:gpu:1|N/A|1|1|1|OK|None", {"alice"})
    assert found.waiting == (Waiting("7", "bob", GPU, 1, count=6, new=True),)


def test_what_they_have() -> None:
    assert others(PRINTED, {"alice"}).held == {"bob": (2, 6), "cleo": (0, 3)}


def test_whose_are_not_others() -> None:
    found = others(PRINTED, {"alice", "1003"})
    assert (found.waiting, set(found.held)) == ((), {"cleo"})


@pytest.mark.parametrize(
    ("words", "gpus"),
    [
        ("gres/gpu:2", 2),
        ("gres/gpu=3", 3),
        ("gres/gpu:a100=3", 3),
        ("gpu", 1),
        ("gres:shard:4", 0),
        ("gres:gpu:a:1,gres:gpu:b:2", 3),
    ],
)
def test_gpus_in_other_words(words: str, gpus: int) -> None:
    [found] = others(f"5|bob|1003|PENDING|gpu|1|{words}|N/A|N/A|1|1|1|OK|Resources", ()).waiting
    assert found.gpus == gpus


@pytest.mark.parametrize(
    "line",
    [
        "",
        "5|bob|1003|PENDING|gpu",
        f"{'9' * 30}|bob|1003|PENDING|gpu|1|N/A|N/A|N/A|1|1|1|OK|Resources",
        "5|bob|1003|PENDING|gpu|1|N/A|N/A|N/A|0|1|1|OK|Resources",
        "5|bob|1003|PENDING|gpu|1|N/A|N/A|N/A|1|1|many|OK|Resources",
        f"5|{'b' * 1000}|1003|PENDING|gpu|1|N/A|N/A|N/A|1|1|1|OK|Resources",
    ],
)
def test_lines_that_say_nothing(line: str) -> None:
    found = others(line, ())
    assert (found.waiting, found.held) == ((), {})


@given(
    st.lists(
        st.lists(
            st.sampled_from(["7", "9_[0-9%3]", "bob", "PENDING", "gpu", "gres:gpu:²", "-1", "", "NO"]), max_size=16
        )
    )
)
def test_any_text(rows: list[list[str]]) -> None:
    for one in others("\n".join("|".join(row) for row in rows), ()).waiting:
        assert one.gpus >= 0 and one.cpus >= 1 and one.nodes >= 1 and one.count >= 1


def test_the_format_has_a_bar_after_each_field_but_the_last() -> None:
    assert FORMAT.count(":|,") == 13 and FORMAT.endswith("Reason:")


def test_what_slurm_really_prints() -> None:
    """Recorded on 22.05: see `record.py`."""
    recorded = Recorded("22.05")
    assert recorded.index["squeue-others"]["argv"][-1] == FORMAT
    found = others(recorded.out("squeue-others"), {"alice"})
    assert found.waiting == (
        Waiting("3", "bob", GPU, 1),
        Waiting("4", "bob", GPU, 2, count=3),
        Waiting("5", "bob", GPU, 1, nodes=2),
    )
    assert found.held == {"bob": (6, 3)}
