"""Test how output of Slurm's commands is parsed, with recordings of three versions (`tests/recorded`)."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.backends.slurm import parse
from paddock.backends.slurm.parse import PendingRow, expand_ids, expand_nodes, seconds
from tests.support.recorded import VERSIONS, Recorded

HOSTILE = """x|RUNNING|'q"uo$te; é 訓練 %s\\n  end"""


@pytest.fixture(params=VERSIONS)
def recorded(request: pytest.FixtureRequest) -> Recorded:
    return Recorded(request.param)


def local(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


# The queue


def test_states(recorded: Recorded) -> None:
    rows = recorded.queue("squeue")
    expected = {
        "timeout": ("TIMEOUT", "TimeLimit"),
        "node_fail": ("NODE_FAIL", "NodeDown"),
        "completed": ("COMPLETED", ""),
        "failed": ("FAILED", "NonZeroExitCode"),
        "running": ("RUNNING", ""),
        "resources": ("PENDING", "Resources"),
        "priority": ("PENDING", "Priority"),
        "dependency": ("PENDING", "Dependency"),
        "never": ("PENDING", "DependencyNeverSatisfied"),
        "held": ("PENDING", "JobHeldUser"),
        "too_long": ("PENDING", "PartitionTimeLimit"),
        "too_wide": ("PENDING", "PartitionNodeLimit"),
        "closed": ("PENDING", "PartitionDown"),
        "later": ("PENDING", "BeginTime"),
        "few": ("RUNNING", ""),
        "few_more": ("PENDING", "QOSMaxJobsPerUserLimit"),
        "hostile": ("PENDING", "JobHeldUser"),
        "array_1": ("RUNNING", ""),
        "array_9": ("PENDING", "JobArrayTaskLimit"),
        "held_array_7": ("PENDING", "JobHeldUser"),
    }
    assert {name: (rows[name].state, rows[name].reason) for name in expected} == expected
    assert {rows[name].state for name in ("cancelled", "ending", "array_0", "cancelled_array_9")} == {"CANCELLED"}
    assert rows["preempted"].state == "PREEMPTED"
    assert rows["unavailable"].reason.startswith("ReqNodeNotAvail, UnavailableNodes:r4")
    assert "oom" not in recorded.jobs or (rows["oom"].state, rows["oom"].reason) == ("OUT_OF_MEMORY", "OutOfMemory")
    assert rows["killed"].state == "FAILED"


def test_fields(recorded: Recorded) -> None:
    rows = recorded.queue("squeue")
    row = rows["running"]
    assert (row.id, row.nodes, row.partition, row.name) == (recorded.jobs["running"], "r1", "gpu", "running")
    assert row.starts_at
    assert row.priority and row.priority > 0
    assert rows["hostile"].name == HOSTILE
    assert (rows["held"].starts_at, rows["held"].nodes, rows["held"].priority) == (None, "", 0)
    assert rows["several"].partition == "gpu,short"
    assert rows["resources"].starts_at, "backfill says when it starts"


def test_every_line_is_read(recorded: Recorded) -> None:
    for name in ("squeue", "squeue-busy", "squeue-completing", "squeue-exact", "plain-squeue"):
        lines = recorded.out(name).splitlines()
        rows = parse.queue(recorded.out(name))
        assert len(rows) == sum(parse.count_ids(line.split("|")[0]) for line in lines)
        assert len({row.id for row in rows}) == len(rows) >= len(lines)


def test_exact_times_are_the_same_times(recorded: Recorded) -> None:
    """Recorded in UTC; local time here may be another, so the differences are compared."""
    plain, exact = recorded.queue("squeue"), recorded.queue("squeue-exact")
    shifts = {
        (plain[name].starts_at or 0) - (exact[name].starts_at or 0)
        for name in ("running", "timeout", "completed", "cancelled")
    }
    assert len(shifts) == 1
    assert abs(shifts.pop()) <= 14 * 3600
    line = next(line for line in recorded.out("squeue").splitlines() if line.endswith("|running"))
    assert plain["running"].starts_at == local(line.split("|")[3])


def test_completing(recorded: Recorded) -> None:
    rows = recorded.queue("squeue-completing")
    assert rows["ending"].state == "COMPLETING"


def test_cancelled_elements_of_a_pending_array(recorded: Recorded) -> None:
    """Those cancelled while others of the array wait are in no list any more; a whole array stays."""
    rows = recorded.queue("squeue")
    assert not {"array_5", "array_6", "array_7", "held_array_5", "held_array_6"} & set(rows)
    assert all(rows[f"cancelled_array_{i}"].state == "CANCELLED" for i in range(10))
    assert {row.state for name, row in rows.items() if name.startswith("swept_")} == {"CANCELLED"}


def test_pending_of_all(recorded: Recorded) -> None:
    rows = parse.pending(recorded.out("squeue-pending-exact"))
    assert len(rows) == len(recorded.out("squeue-pending-exact").splitlines())
    counts = {row.id.split("_")[0]: row.count for row in rows}
    jobs = recorded.jobs
    assert counts[jobs["waiting"]] == 4
    assert counts[jobs["gaps"]] == 30
    assert counts[jobs["array"]] == 8
    assert counts[jobs["held_array"]] == 5
    resources, priority = (next(row for row in rows if row.id == jobs[name]) for name in ("resources", "priority"))
    assert resources.priority and priority.priority
    assert parse.ahead(rows, "gpu", resources.priority) == 0
    assert parse.ahead(rows, "gpu", priority.priority) >= 1
    assert parse.ahead(rows, "gpu", -1) == sum(row.count for row in rows if "gpu" in row.partition.split(","))
    assert parse.ahead(rows, "nope", 0) == 0


def test_pending_lists_cut_short(recorded: Recorded) -> None:
    """Without SLURM_BITSTR_LEN=0 a long list of elements has no end: fewer, but none that is wrong."""
    rows = {row.id.split("_")[0]: row for row in parse.pending(recorded.out("squeue-pending"))}
    gaps = rows[recorded.jobs["gaps"]]
    assert 5 < gaps.count < 30
    assert {int(id.split("_")[1]) for id in expand_ids(gaps.id)} <= {i * i for i in range(1, 31)}


def test_ahead_counts_elements() -> None:
    rows = [
        PendingRow("4_[0-9%2]", 10, "gpu", 500),
        PendingRow("5", 1, "gpu,short", 300),
        PendingRow("6", 1, "short", 900),
        PendingRow("7", 1, "gpu", None),
    ]
    assert parse.ahead(rows, "gpu", 200) == 11
    assert parse.ahead(rows, "gpu", 300) == 10
    assert parse.ahead(rows, "short", 0) == 2
    assert parse.ahead(rows, "gpu,short", 0) == 12


# Accounting


def test_accounting(recorded: Recorded) -> None:
    jobs = recorded.jobs
    rows = {row.id: row for row in parse.accounting(recorded.out("sacct-exact"))}
    expected = {
        "timeout": "TIMEOUT",
        "preempted": "PREEMPTED",
        "completed": "COMPLETED",
        "failed": "FAILED",
        "killed": "FAILED",
        "running": "RUNNING",
        "held": "PENDING",
    }
    found = {name: rows[jobs[name]] for name in expected}
    assert {name: row.state for name, row in found.items()} == expected
    assert rows[jobs["node_fail"]].state == "NODE_FAIL"
    if "oom" in jobs:
        assert rows[jobs["oom"]].state == "OUT_OF_MEMORY"
    cancelled = rows[jobs["cancelled"]]
    assert (cancelled.state, cancelled.by is not None, cancelled.nodes) == ("CANCELLED", True, "r2")
    assert found["held"].nodes == ""
    assert (found["running"].nodes, found["running"].by) == ("r1", None)
    assert rows[f"{jobs['array']}_0"].state == "CANCELLED"
    assert rows[f"{jobs['array']}_9"].state == "PENDING"
    assert {row.state for id, row in rows.items() if id.startswith(f"{jobs['swept']}_")} == {"CANCELLED"}
    assert {rows[f"{jobs['cancelled_array']}_{i}"].state for i in range(10)} == {"CANCELLED"}
    assert {f"{jobs['gaps']}_{i * i}" for i in range(1, 31)} <= set(rows)


def test_accounting_rows_that_make_no_sense_are_skipped() -> None:
    assert parse.accounting("12|FAILED\n\n|||||||\n12.batch|FAILED|0:0|x|y|z|None\n") == []
    [row] = parse.accounting("12+1|CANCELLED by 1000|0:15|None|Unknown|None assigned|None")
    assert (row.id, row.state, row.by, row.nodes) == ("12+1", "CANCELLED", 1000, "")


# Nodes, partitions, configuration


@pytest.mark.parametrize("name", ["nodes", "nodes-detail"])
def test_nodes(recorded: Recorded, name: str) -> None:
    r1, r2, r3, r4 = parse.nodes(recorded.out(name))
    assert (r1.name, r1.cpus, r1.memory) == ("r1", 8, 16000)
    assert r1.states == {"MIXED"}
    assert (r1.gpus, r1.gpus_alloc) == ((("fake", 2),), 2)
    assert r1.cpus_alloc >= 1
    assert r1.memory_alloc >= 500
    assert r1.memory_free and r1.load is not None
    assert set(r1.partitions) == {"gpu", "short", "spare", "one"}
    assert (r1.features, r1.reason) == (("fast", "r1"), "")
    assert (r2.gpus, r2.gpus_alloc) == ((("", 2),), 0)
    assert (r3.gpus, r3.gpus_alloc) == ((("a100_3g.20gb", 2),), 0)
    assert r3.states == {"IDLE", "DRAIN"}
    assert r3.reason.removesuffix(" : Not responding") == "bad fan Gres=gpu:9 State=IDLE; see ticket #7"
    assert r4.states == {"DOWN", "NOT_RESPONDING"}
    assert (r4.gpus, r4.gpus_alloc, r4.features, r4.reason) == ((), 0, (), "Not responding")


def test_which_gpus_are_in_use(recorded: Recorded) -> None:
    used = [row.gpus_used for row in parse.nodes(recorded.out("nodes-busy-detail"))]
    assert (used[0], used[2]) == (frozenset({0, 1}), frozenset({0}))
    assert parse.nodes(recorded.out("nodes"))[0].gpus_used is None
    line = "NodeName=n State=MIXED CPUTot=8 Gres=gpu:a:2,gpu:b:2 GresUsed="
    assert parse.nodes(f"{line}gpu:a:1(IDX:1),gpu:b:1(IDX:3)")[0].gpus_used == frozenset({1, 3})
    assert parse.nodes(f"{line}gpu:a:0(IDX:N/A),shard:1(IDX:0)")[0].gpus_used == frozenset()
    assert parse.nodes(f"{line}gpu:0")[0].gpus_used is None


def test_nodes_where_gpus_are_not_counted(recorded: Recorded) -> None:
    """Without AccountingStorageTRES=gres/gpu only `-d` says how many GPUs are in use."""
    assert [row.gpus_alloc for row in parse.nodes(recorded.out("plain-nodes"))] == [None, None, None, 0]
    assert [row.gpus_alloc for row in parse.nodes(recorded.out("plain-nodes-detail"))] == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("gres", "gpus"),
    [
        ("gpu:fake:2(S:0-1)", (("fake", 2),)),
        ("gpu:2", (("", 2),)),
        ("gpu:a100:4,shard:16", (("a100", 4),)),
        ("gpu:a100:4(S:0,2),gpu:v100:2(S:1),mps:200", (("a100", 4), ("v100", 2))),
        ("gpu:a100_3g.20gb:2", (("a100_3g.20gb", 2),)),
        ("gpu:no_consume:2", (("", 2),)),
        ("gpu:0", ()),
        ("craynetwork:4,nic:1", ()),
        ("(null)", ()),
        ("", ()),
    ],
)
def test_gres(gres: str, gpus: tuple[tuple[str, int], ...]) -> None:
    [row] = parse.nodes(f"NodeName=a CPUTot=4 Gres={gres} State=IDLE")
    assert row.gpus == gpus


def test_what_a_node_keeps_for_itself_is_not_for_jobs() -> None:
    [row] = parse.nodes("NodeName=a CPUEfctv=62 CPUTot=64 RealMemory=16000 MemSpecLimit=1000 State=IDLE")
    assert (row.cpus, row.memory) == (62, 15000)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("IDLE", {"IDLE"}),
        ("IDLE+DRAIN", {"IDLE", "DRAIN"}),
        ("DOWN*+DRAIN", {"DOWN", "NOT_RESPONDING", "DRAIN"}),
        ("IDLE+CLOUD+POWERED_DOWN", {"IDLE", "CLOUD", "POWERED_DOWN"}),
        ("IDLE~", {"IDLE", "POWERED_DOWN"}),
        ("MIXED-", {"MIXED", "PLANNED"}),
    ],
)
def test_node_states(state: str, words: set[str]) -> None:
    [row] = parse.nodes(f"NodeName=a CPUTot=4 State={state} Reason=a [b] c [root@2026-11-15T05:46:02]")
    assert row.states == words
    assert row.reason == "a [b] c"


def test_nodes_that_make_no_sense_are_skipped() -> None:
    assert parse.nodes("No nodes in the system\nNodeName=a State=IDLE\nCPUTot=4 NodeName=b State=IDLE\n") == []
    [row] = parse.nodes("NodeName=a CPUTot=4 CPULoad=N/A FreeMem=N/A State=UNKNOWN")
    assert (row.load, row.memory_free, row.partitions) == (None, None, ())


def test_partitions(recorded: Recorded) -> None:
    rows = {row.name: row for row in parse.partitions(recorded.out("partitions"))}
    assert list(rows) == ["gpu", "short", "spare", "one", "closed"]
    assert [row.name for row in rows.values() if row.default] == ["gpu"]
    gpu, short, spare, one = rows["gpu"], rows["short"], rows["spare"], rows["one"]
    assert (gpu.state, gpu.max_time) == ("UP", None)
    assert (gpu.total_nodes, gpu.max_nodes) == (3, None)
    assert (gpu.allow_accounts, gpu.allow_groups) == ("ALL", "ALL")
    assert short.max_time == 600
    assert spare.max_time == 172800
    assert (one.max_time, one.max_nodes, one.allow_accounts) == (129600, 1, "lab")
    assert rows["closed"].state == "DOWN"


def test_config(recorded: Recorded) -> None:
    config = parse.config(recorded.out("config"))
    assert parse.cluster_name(config) == "lab"
    assert parse.min_job_age(config) == 900
    assert parse.has_accounting(config)
    assert config["SelectType"] == "select/cons_tres"


def test_config_without_accounting(recorded: Recorded) -> None:
    assert not parse.has_accounting(parse.config(recorded.out("plain-config")))


def test_config_of_nothing() -> None:
    assert parse.config("") == {}
    assert parse.min_job_age({}) is None


# Submitting


def test_job_id(recorded: Recorded) -> None:
    assert parse.job_id(recorded.out("sbatch")) == recorded.out("sbatch").strip()
    assert parse.job_id(recorded.out("sbatch-cluster")) == recorded.out("sbatch-cluster").strip().removesuffix(";lab")
    assert parse.job_id(recorded.out("wrong-partition")) is None
    assert parse.job_id("a site's greeting\n123;cluster\n") == "123"
    assert parse.job_id("You have 3 jobs.\n 123 \nBalance: 17 h\n") == "123"
    assert parse.job_id("Welcome\nSubmitted batch job 123 on cluster lab\n") == "123"
    assert parse.job_id("Welcome, user 12\n") is None


def test_test_only(recorded: Recorded) -> None:
    plain = parse.trial(recorded.err("test-only"))
    assert plain.accepted and plain.starts_at and plain.nodes
    assert plain.message.startswith("Job ")
    assert parse.trial(recorded.err("test-only-several")).nodes == "r[1-2]"
    exact = parse.trial(recorded.err("test-only-exact"))
    assert exact.starts_at and str(int(exact.starts_at)) in recorded.err("test-only-exact")
    refused = parse.trial(recorded.err("test-only-partition"))
    assert not refused.accepted
    assert "invalid partition specified: nope" in refused.message.lower()
    assert not parse.trial(recorded.err("test-only-gpus")).accepted
    assert not parse.trial(recorded.err("enforced-test-only-time")).accepted


# Small things


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1-02:03:04", 93784),
        ("02:03:04", 7384),
        ("10:00", 600),
        ("30", 1800),
        ("1-12", 129600),
        ("2-00:30", 174600),
        ("0:00", 0),
        ("UNLIMITED", None),
        ("infinite", None),
        ("NOT_SET", None),
        ("INVALID", None),
        ("NONE", None),
        ("", None),
    ],
)
def test_seconds(text: str, expected: int | None) -> None:
    assert seconds(text) == expected


@given(st.text())
def test_nothing_is_fatal(text: str) -> None:
    seconds(text)
    parse.moment(text)
    expand_ids(text)
    expand_nodes(text)
    assert not parse.queue(text)
    assert not parse.nodes(f"NodeName={text}")


def test_moments() -> None:
    assert parse.moment("2026-11-15T05:36:27") == local("2026-11-15T05:36:27")
    assert parse.moment("1794721554") == 1794721554.0
    assert [parse.moment(text) for text in ("N/A", "Unknown", "None", "", "0", "²")] == [None] * 6


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n[1-3,7],m01", ["n1", "n2", "n3", "n7", "m01"]),
        ("n[08-11]", ["n08", "n09", "n10", "n11"]),
        ("r[1-2]c[01,3]-x", ["r1c01-x", "r1c3-x", "r2c01-x", "r2c3-x"]),
        ("a.b-c", ["a.b-c"]),
        ("(null)", []),
        ("None assigned", []),
        ("", []),
    ],
)
def test_expand_nodes(text: str, names: list[str]) -> None:
    assert expand_nodes(text) == names


_prefix = st.text("abcxyz-", min_size=1, max_size=5)


@given(st.lists(st.tuples(_prefix, st.integers(0, 99), st.integers(0, 30), st.integers(1, 4)), max_size=5))
def test_host_lists_round_trip(parts: list[tuple[str, int, int, int]]) -> None:
    text = ",".join(f"{name}[{first:0{width}}-{first + more:0{width}}]" for name, first, more, width in parts)
    names = [f"{name}{i:0{width}}" for name, first, more, width in parts for i in range(first, first + more + 1)]
    assert expand_nodes(text) == names


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("12", ["12"]),
        ("12_3", ["12_3"]),
        ("12+1", ["12+1"]),
        ("4_[1,3-5%2]", ["4_1", "4_3", "4_4", "4_5"]),
        ("4_[0-6:3]", ["4_0", "4_3", "4_6"]),
        ("4_[1,4,...]", ["4_1", "4_4"]),
        ("4_[1,4,10", ["4_1", "4_4"]),
        ("4_[1-99999999999]", []),
        ("4_[]", []),
        ("12.batch", []),
        ("JOBID", []),
    ],
)
def test_expand_ids(text: str, ids: list[str]) -> None:
    assert expand_ids(text) == ids
    assert parse.count_ids(text) == len(ids)


@given(st.sets(st.integers(0, 500), min_size=1))
def test_ids_round_trip(numbers: set[int]) -> None:
    listed = sorted(numbers)
    assert expand_ids(f"7_[{','.join(map(str, listed))}%4]") == [f"7_{i}" for i in listed]
