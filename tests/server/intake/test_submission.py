"""Test the way from a spec and its files to a plan."""

import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.errors import InvalidInput, TooLarge, UnusableEnvironment
from paddock.models import CodeInfo, Convention, Device, JobSpec, Node, Resources, SlurmResources, TaskState, Traits
from paddock.paths import Home
from paddock.runner import map_driver
from paddock.server.intake.submission import SHOWN, Plan, Submitter, accept, check, plan
from paddock.server.store import attempts, jobs, tasks
from paddock.server.store.db import Database
from paddock.server.store.sight import EVERYTHING
from paddock.settings import Settings, SlurmSettings, UploadSettings

TRAIN = b"""
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, required=True)
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--optimizer", choices=["adam", "sgd"], default="adam")
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--wd", dest="weight_decay", type=float)
args = parser.parse_args()
"""
FILES = {"train.py": TRAIN}


def planned(
    settings: Settings, files: dict[str, bytes] | None = None, nodes: tuple[Node, ...] = (), **spec: Any
) -> Plan:
    traits = Traits(queued=any(node.partitions for node in nodes))
    return plan(JobSpec(**spec), FILES if files is None else files, settings, nodes, traits)


class TestScriptAndCommand:
    def test_a_lone_file_is_the_script_and_the_name(self, settings: Settings) -> None:
        made = planned(settings, params={"lr": "0.1"})
        assert (made.spec.script, made.spec.name) == ("train.py", "train.py")
        assert made.script is not None
        assert made.script.convention is Convention.FLAGS

    def test_a_name_that_was_given_stays(self, settings: Settings) -> None:
        assert planned(settings, name="mine", params={"lr": "0.1"}).spec.name == "mine"

    @pytest.mark.parametrize("spec", [{"script": "d/" * 150 + "train.py"}, {"command": "x" * 500}])
    def test_the_name_of_a_long_path_is_one_that_can_be_read_back(
        self, settings: Settings, spec: dict[str, Any]
    ) -> None:
        made = planned(settings, {"d/" * 150 + "train.py": b""}, **spec)
        assert JobSpec.model_validate(made.spec.model_dump(mode="json")) == made.spec

    def test_a_command_needs_no_files(self, settings: Settings) -> None:
        made = planned(settings, {}, command="echo {x}", params={"x": "1,2"})
        assert (made.spec.name, made.script, len(made.configurations)) == ("echo", None, 2)

    def test_the_path_of_the_script_is_normalised(self, settings: Settings) -> None:
        assert planned(
            settings, {"src/train.py": TRAIN, "x": b""}, script="./src//train.py", params={"lr": 1}
        ).spec.script == ("src/train.py")

    @pytest.mark.parametrize(
        ("files", "spec", "field", "message"),
        [
            (FILES, {"script": "train.py", "command": "true"}, "command", "script or a command, not both"),
            ({}, {}, "script", "Give a script or a command"),
            ({"a.py": b"", "b.py": b""}, {}, "script", "Name the file that is the script"),
            (FILES, {"script": "tain.py"}, "script", "there are: train.py"),
            (FILES, {"script": "../train.py"}, "files", "not a path inside"),
            ({}, {"command": "  \n"}, "command", "empty"),
            ({"../x": b""}, {"command": "true"}, "files", "not a path inside"),
            ({}, {"command": "echo {y}", "params": {"x": "1"}}, "command", "not a known field"),
        ],
    )
    def test_what_cannot_be_run_names_the_field(
        self, settings: Settings, files: dict[str, bytes], spec: dict[str, Any], field: str, message: str
    ) -> None:
        with pytest.raises(InvalidInput, match=message) as caught:
            planned(settings, files, **spec)
        assert field in caught.value.fields


class TestObjective:
    def test_there_may_be_none(self, settings: Settings) -> None:
        assert planned(settings, params={"lr": "1,2"}, objective="").spec.objective.metric == ""
        random = {"method": "random", "trials": 3}
        assert planned(settings, params={"lr": "0.1..0.2"}, objective="", search=random).configurations

    @pytest.mark.parametrize(
        "spec", [{"params": {"lr": "0.1..0.2"}}, {"params": {"lr": "1,2"}, "stop_early": {"method": "asha"}}]
    )
    def test_what_learns_needs_one(self, settings: Settings, spec: dict[str, Any]) -> None:
        with pytest.raises(InvalidInput, match="needs a metric such as val_loss") as caught:
            planned(settings, **spec, objective="")
        assert list(caught.value.fields) == ["objective"]


class TestMisfits:
    @pytest.mark.parametrize(
        ("params", "faults"),
        [
            ({"lr": "fast"}, {"params.lr": "takes a number"}),
            ({"lr": True}, {"params.lr": "takes a number"}),
            ({"lr": 1, "epochs": "1.5"}, {"params.epochs": "takes an integer"}),
            ({"lr": 1, "epochs": "1..9.5"}, {"params.epochs": "integer ends"}),
            ({"lr": 1, "optimizer": "adam,adma"}, {"params.optimizer": "'adma' is none of adam, sgd"}),
            ({"lr": 1, "batch-size": "x"}, {"params.batch-size": "takes a number"}),
            ({"lr": 1, "batch_size": "x"}, {"params.batch_size": "takes a number"}),
            ({"lr": 1, "wd": "x"}, {"params.wd": "takes a number"}),
            ({"lr": 1, "weight_decay": "x"}, {"params.weight_decay": "takes a number"}),
            ({}, {"params.lr": "requires"}),
            ({"epochs": "x", "optimizer": "x"}, {"params.epochs": "", "params.optimizer": "", "params.lr": ""}),
        ],
    )
    def test_are_all_told_by_field(self, settings: Settings, params: dict[str, Any], faults: dict[str, str]) -> None:
        with pytest.raises(InvalidInput, match="do not fit the script") as caught:
            planned(settings, params=params)
        assert set(caught.value.fields) == set(faults)
        assert all(message in caught.value.fields[name] for name, message in faults.items())

    @pytest.mark.parametrize(
        "params",
        [
            {"lr": "1e-4..1e-1:log"},
            {"lr": "1,0.5", "epochs": "1..9", "optimizer": "sgd,adam"},
            {"lr": 1, "batch-size": 64},
            {"lr": 1, "wd": 0.1},
            {"lr": 1, "weight_decay": 0.1},
            {"lr": 1, "epochs": None},
        ],
    )
    def test_what_fits_is_taken(self, settings: Settings, params: dict[str, Any]) -> None:
        assert planned(settings, params=params).configurations

    def test_a_required_one_may_be_given_by_its_flag(self, settings: Settings) -> None:
        source = TRAIN.replace(b'"--wd", dest', b'"--wd", required=True, dest')
        assert planned(settings, {"t.py": source}, params={"lr": 1, "wd": 0.1}).configurations
        with pytest.raises(InvalidInput, match="weight_decay: the script requires it"):
            planned(settings, {"t.py": source}, params={"lr": 1})


class TestLimits:
    def test_too_many_tasks(self, settings: Settings) -> None:
        small = settings.model_copy(update={"max_tasks": 3})
        with pytest.raises(InvalidInput, match="max_tasks") as caught:
            planned(small, params={"lr": "1,2,3,4"})
        assert list(caught.value.fields) == ["params"]

    def test_too_many_bytes(self, settings: Settings) -> None:
        with pytest.raises(TooLarge):
            planned(settings.model_copy(update={"upload": UploadSettings(max_bytes=5)}), params={"lr": 1})

    @pytest.mark.parametrize(
        ("resources", "field"), [({"gpus": 2}, "resources.gpus"), ({"gpus": 0, "cpus": 9}, "resources.cpus")]
    )
    def test_what_can_never_run(self, settings: Settings, resources: dict[str, int], field: str) -> None:
        devices = [Device(id="0", kind="gpu"), Device(id="0", kind="cpu"), Device(id="1", kind="cpu")]
        node = Node(name="n", backend="local", cpus=2, slots=1, cpu_slots=2, devices=devices)
        with pytest.raises(InvalidInput, match="can never run") as caught:
            planned(settings, nodes=(node,), params={"lr": 1}, resources=resources)
        assert list(caught.value.fields) == [field]
        assert planned(settings, nodes=(), params={"lr": 1}, resources=resources)

    def test_sharing_gpus_where_there_are_none(self, settings: Settings) -> None:
        devices = [Device(id="0", kind="cpu")]
        node = Node(name="n", backend="local", cpus=1, slots=1, cpu_slots=1, devices=devices)
        bare = node.model_copy(update={"backend": "slurm", "partitions": ["cpu"]})
        card = node.model_copy(update={"devices": [Device(id="0", kind="gpu")]})

        def warnings(*nodes: Node, **resources: Any) -> list[str]:
            return planned(settings, {}, nodes, command="true", resources=resources).warnings

        none = "per_gpu has no effect: there are no GPUs {}, and each task gets cores of its own"
        assert warnings(node, per_gpu="auto") == [none.format("here")]
        assert warnings(bare, per_gpu=4, partition="cpu") == [none.format("in partition cpu")]
        assert warnings(node) == warnings(per_gpu=4) == warnings(card, per_gpu=4) == []

    def test_options_of_slurm_on_another_backend(self, db: Database, settings: Settings) -> None:
        """A job file for both runs on both; what only the settings give is not worth a warning."""
        profile = Resources(slurm=SlurmResources(partition="volta"))
        told = settings.model_copy(update={"profiles": {"volta": profile}, "backends": {"lab": SlurmSettings()}})
        backends = {"local": ((), Traits()), "lab": ((), Traits(queued=True))}

        def warnings(**resources: Any) -> list[str]:
            spec = JobSpec(command="true", resources=Resources.model_validate(resources))
            return check(spec, {}, told, db, backends, Submitter("ann")).warnings

        assert warnings(partition="x") == ["partition has no effect: backend local is not Slurm"]
        assert warnings(slurm={"nice": 0, "qos": "a"}) == ["qos, nice have no effect: backend local is not Slurm"]
        assert warnings(backend="lab", partition="x", nice=5) == warnings(profile="volta") == warnings() == []

    def test_what_reads_the_files_of_other_tasks_needs_one_host(self, settings: Settings) -> None:
        nodes = [Node(name=name, backend="lab", cpus=4, cpu_slots=4, slots=4) for name in ("gpu1", "gpu2")]

        def only(count: int = 2, dealt: bool = True, files: dict[str, bytes] | None = None, **spec: Any) -> list[str]:
            given = JobSpec(**{"command": "true", **spec})
            made = plan(given, files or {}, settings, nodes[:count], Traits(dealt=dealt))
            return made.spec.resources.hosts.only

        population: dict[str, Any] = {
            "params": {"lr": {"low": 0.1, "high": 1}},
            "search": {"method": "pbt", "trials": 4},
            "objective": {"metric": "loss"},
        }
        for text, spec in (
            ("A population.*needs.*one host", population),
            ("A reduce", {"reduce": "sort"}),
            ("A map", {"files": {f"{map_driver.FOLDER}/{map_driver.PLAN}": b"{}"}}),
        ):
            with pytest.raises(InvalidInput, match=text + r".*such as --host gpu1") as caught:
                only(**spec)
            assert list(caught.value.fields) == ["resources.hosts.only"]
            assert only(resources={"hosts": {"only": ["gpu2"]}}, **spec) == ["gpu2"]
            assert only(count=1, **spec) == ["gpu1"]
            assert only(dealt=False, **spec) == []
        assert only(params={"lr": 1}, command="echo {lr}") == []
        with pytest.raises(InvalidInput, match="no host 'gpu9' has answered so far; there are: gpu1, gpu2"):
            only(resources={"hosts": {"only": ["gpu9"]}})

    def test_several_nodes_need_a_launcher(self, settings: Settings) -> None:
        with pytest.raises(InvalidInput, match=r"needs a launcher: torchrun, tensorflow, srun") as caught:
            planned(settings, params={"lr": 1}, resources={"nodes": 2})
        assert list(caught.value.fields) == ["resources.launcher"]
        assert planned(settings, params={"lr": 1}, resources={"nodes": 2, "launcher": "srun"})
        with pytest.raises(InvalidInput, match="leave slots out"):
            planned(settings, params={"lr": 1}, resources={"nodes": 2, "slots": 2, "launcher": "srun"})
        assert planned(settings, params={"lr": 1}, resources={"nodes": 1})

    def test_an_environment_that_is_not_there(self, settings: Settings) -> None:
        with pytest.raises(UnusableEnvironment):
            planned(settings, params={"lr": 1}, environment={"python": "/no/such"})


HOSTILE = ["$(touch pwned)", "'; touch pwned #", '"', "a\nb", "--help", "-1", "ü☃", " ", "", "{x}", "*", "\\"]


class TestPreview:
    def test_shows_the_exact_commands(self, settings: Settings, home: Home) -> None:
        preview = planned(settings, params={"lr": "0.1,0.2", "epochs": 3}).preview(home)
        assert (preview.count, preview.columns) == (2, ["lr"])
        assert preview.tasks == [{"lr": 0.1, "epochs": 3}, {"lr": 0.2, "epochs": 3}]
        script = f"{home.root}/jobs/JOB/code/train.py"
        assert preview.commands[1] == [sys.executable, script, "--lr", "0.2", "--epochs", "3"]

    def test_of_many_the_first(self, settings: Settings, home: Home) -> None:
        preview = planned(settings, params={"lr": 1, "epochs": "1..1500"}, search="grid").preview(home)
        assert (preview.count, len(preview.tasks), len(preview.commands)) == (1500, SHOWN, SHOWN)

    @pytest.mark.parametrize("given", [{}, {"command": "echo {x}"}])
    def test_hostile_values_stay_values(self, settings: Settings, home: Home, given: dict[str, Any]) -> None:
        files = (
            {}
            if given
            else {"t.py": b"import argparse\np = argparse.ArgumentParser()\np.add_argument('--x')\np.parse_args()"}
        )
        preview = planned(settings, files, params={"x": HOSTILE}, **given).preview(home)
        assert [task["x"] for task in preview.tasks] == HOSTILE
        for value, argv in zip(HOSTILE, preview.commands, strict=True):
            if given:
                assert argv == ["/bin/sh", "-c", argv[2]]
                assert "pwned" not in argv[2]  # it holds a reference to a variable, not the value
            else:
                assert argv[2:] in (["--x", value], [f"--x={value}"])


@pytest.fixture
def db(home: Home) -> Any:
    opened = Database(f"sqlite:///{home.database}")
    opened.migrate()
    yield opened
    opened.close()


class TestAccept:
    def job(self, made: Plan, home: Home, db: Database, settings: Settings) -> str:
        return accept(made, CodeInfo(source="/here", git_commit="abc"), "ann", home, db, settings)

    def test_folder_and_rows(self, settings: Settings, home: Home, db: Database) -> None:
        made = planned(settings, {"train.py": TRAIN, "lib/util.py": b"x = 1"}, script="train.py", params={"lr": "1,2"})
        job = self.job(made, home, db, settings)
        folder = home.job(job)
        assert (folder.code / "lib" / "util.py").read_bytes() == b"x = 1"
        assert JobSpec.model_validate_json(folder.spec.read_text()) == made.spec
        assert folder.root.stat().st_mode & 0o777 == 0o700
        assert list(home.incoming.iterdir()) == []
        with db.read() as c:
            detail = jobs.detail(c, job, "")
            assert (detail.owner, detail.counts.submitted, detail.spec) == ("ann", 2, made.spec)
            assert (detail.code.files, detail.code.bytes, detail.code.source) == (2, len(TRAIN) + 5, "/here")

    @pytest.mark.parametrize(
        ("params", "source", "epochs"),
        [
            ({"epochs": 7}, TRAIN, 7),
            ({}, TRAIN, 12),  # the script's default
            ({"n_epochs": 5}, b"", 5),
            ({"max-epochs": 5}, b"", None),
            ({"epochs": "3.0"}, b"", 3),
            ({"epochs": "many"}, b"", None),
            ({"epochs": True}, b"", None),
            ({"epochs": -1}, b"", None),
            ({"epochs": 1e300}, b"", None),
            ({}, b"", None),
        ],
    )
    def test_how_many_epochs_there_will_be(
        self, settings: Settings, home: Home, db: Database, params: dict[str, Any], source: bytes, epochs: int | None
    ) -> None:
        spec: dict[str, Any] = {"params": {"lr": 1} | params} if source else {"params": params, "convention": "env"}
        made = planned(settings, {"t.py": source}, **spec)
        self.job(made, home, db, settings)
        with db.read() as c:
            [row] = attempts.unpublished(c, 5)
        assert row.epochs == epochs

    def test_an_environment_that_does_not_work_leaves_nothing(
        self, settings: Settings, home: Home, db: Database
    ) -> None:
        made = planned(settings, params={"lr": 1}, environment={"setup": ["exit 3"]})
        with pytest.raises(UnusableEnvironment):
            self.job(made, home, db, settings)
        self.nothing(home, db)

    def test_set_up_lines_of_what_is_refused_are_not_run(
        self, settings: Settings, home: Home, db: Database, tmp_path: Path
    ) -> None:
        made = planned(settings, params={"lr": 1}, environment={"setup": [f"touch {tmp_path}/ran"]})
        refused = settings.model_copy(update={"group": "no-such-group"})
        with pytest.raises(InvalidInput, match="no group"):
            self.job(made, home, db, refused)
        assert not (tmp_path / "ran").exists()
        self.nothing(home, db)
        self.job(made, home, db, settings)
        assert (tmp_path / "ran").exists()

    def test_a_database_that_fails_leaves_nothing(
        self, settings: Settings, home: Home, db: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(jobs, "insert", fail)
        with pytest.raises(OSError, match="disk full"):
            self.job(planned(settings, params={"lr": 1}), home, db, settings)
        self.nothing(home, db)

    def test_a_folder_that_cannot_be_written_leaves_nothing(self, settings: Settings, home: Home, db: Database) -> None:
        home.incoming.rmdir()
        home.incoming.touch()
        with pytest.raises(OSError):
            self.job(planned(settings, params={"lr": 1}), home, db, settings)
        home.incoming.unlink()
        home.incoming.mkdir()
        self.nothing(home, db)

    def nothing(self, home: Home, db: Database) -> None:
        assert list(home.jobs.iterdir()) == []
        assert list(home.incoming.iterdir()) == []
        with db.read() as c:
            assert jobs.page(c, EVERYTHING).total == 0

    def test_paddock_report_is_brought_along_where_it_is_missing(
        self, settings: Settings, home: Home, db: Database
    ) -> None:
        files = {"t.py": b"import paddock\npaddock.report(loss=1)\n"}
        with_paddock = self.job(planned(settings, files), home, db, settings)
        bare = planned(settings, files, environment={"setup": []})
        bare = Plan(
            **{**bare.__dict__, "interpreter": bare.interpreter.model_copy(update={"argv": [sys.executable, "-S"]})}
        )
        without = self.job(bare, home, db, settings)
        assert not home.job(with_paddock).lib.exists()
        assert (home.job(without).lib / "paddock" / "__init__.py").exists()

    def test_each_has_an_id_of_its_own(self, settings: Settings, home: Home, db: Database) -> None:
        made = planned(settings, {}, command="true")
        ids = {self.job(made, home, db, settings) for _ in range(3)}
        assert len(ids) == 3
        with db.read() as c:
            assert all(tasks.get(c, f"{job}-1").state is TaskState.SUBMITTED for job in ids)
