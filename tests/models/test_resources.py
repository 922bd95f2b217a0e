"""Test resources: what may be asked for, and which defaults apply."""

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from paddock.client.bundle import changed
from paddock.errors import InvalidInput
from paddock.models import JobSpec, LimitsRequest, Resources, SlurmResources, jobfile
from paddock.paths import Home
from paddock.server.intake.defaults import resolve
from paddock.settings import LocalSettings, Settings, SlurmSettings, load

HOSTILE = [
    "two words",
    "a\nb",
    "a\tb",
    "a\rb",
    "a\x00b",
    'a"b',
    "a'b",
    "a\\b",
    "$(touch pwned)",
    "`touch pwned`",
    "${HOME}",
    "a;b",
    "a#b",
    "a>b",
    "",
    "ü",
]
WORDS = ["gpu_type", "partition", "account", "qos", "reservation"]
LISTS = ["nodelist", "exclude", "constraint"]


def read(field: str, value: str) -> Any:
    found = Resources.model_validate({field: value})
    return getattr(found if field in Resources.model_fields else found.slurm, field)


class TestValues:
    @pytest.mark.parametrize("field", [*WORDS, *LISTS])
    @pytest.mark.parametrize("value", HOSTILE)
    def test_what_is_no_name_is_refused(self, field: str, value: str) -> None:
        with pytest.raises(ValidationError, match=field):
            Resources.model_validate({field: value})

    @pytest.mark.parametrize("field", [*WORDS, *LISTS])
    def test_blanks_around_it_are_not_part_of_it(self, field: str) -> None:
        for value in (" a", "a\n", "\n\ta \r\n"):
            assert read(field, value) == "a"

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("partition", "volta,a100"),
            ("account", "proj-2024.x"),
            ("gpu_type", "tesla_v100-sxm2:2"),
            ("nodelist", "n[1-3,7],gpu01.cluster"),
            ("exclude", "n04"),
            ("constraint", "[rack1*2&rack2*4]"),
            ("constraint", "(volta|ampere)&ib"),
            ("reservation", "course@1"),
        ],
    )
    def test_what_clusters_have_is_taken(self, field: str, value: str) -> None:
        assert read(field, value) == value

    @pytest.mark.parametrize(
        "given_",
        [
            {"gpus": -1},
            {"cpus": 0},
            {"nodes": 0},
            {"slots": 0},
            {"nice": -1},
            {"nice": 2**31},
            {"memory": "16"},
            {"memory": 16},
            {"memory": "-1G"},
            {"memory": True},
            {"memory": "9999999P"},
            {"time_limit": "60"},
            {"time_limit": 59},
            {"time_limit": "30s"},
            {"time_limit": "99999w"},
            {"time_limit": "9" * 400 + "h"},
            {"memory": "9" * 400 + "G"},
            {"time_limit": True},
            {"time_limit": "soon"},
            {"launcher": "mpirun"},
            {"colour": "red"},
            {"options": "--x"},
            {"options": ["--comment-not=a"] * 51},
        ],
    )
    def test_what_makes_no_sense_is_refused(self, given_: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Resources.model_validate(given_)

    def test_units_are_read(self) -> None:
        read = Resources.model_validate({"memory": "16G", "time_limit": "1-00:00:00"})
        assert (read.memory, read.time_limit) == (16 * 1024**3, 86_400)
        assert Resources.model_validate(read.model_dump(mode="json")) == read
        assert LimitsRequest.model_validate({"time_limit": "90m"}).time_limit == 5400
        with pytest.raises(ValidationError, match="of what"):
            LimitsRequest.model_validate({"time_limit": "90"})


class TestOptions:
    @pytest.mark.parametrize(
        "option",
        [
            "--exclusive",
            "--mail-user=me@x.org",
            "--mail-type=END,FAIL",
            "--licenses=matlab:2",
            "--mem-per-cpu=4G",
            "--begin=now+1hour",
            "--time-min=1:00:00",
            "--wait-all-nodes=1",
            "--requeue",
            "--gpu-bind=closest",
            "--gres-flags=enforce-binding",
            "--hint=nomultithread",
            "--wckey=two words",
            "--prefer=",
        ],
    )
    def test_others_of_sbatch_are_taken(self, option: str) -> None:
        assert SlurmResources(options=[option]).options == [option]

    @pytest.mark.parametrize("char", ["\n", "\r", "\t", "\x00", "\x7f", '"', "'", "\\", "`", "$"])
    def test_no_value_can_be_more_than_a_value(self, char: str) -> None:
        for option in (f"--mail-user=a{char}b", f"--x{char}=1", f"--a=b{char}#SBATCH --wrap=x"):
            with pytest.raises(ValidationError):
                SlurmResources(options=[option])
        for option in (f"--mail-user=a{char}", f"{char}--exclusive"):
            try:
                assert char not in SlurmResources(options=[option]).options[0]
            except ValidationError:
                assert not char.isspace()

    @pytest.mark.parametrize("option", ["-p", "-p volta", "exclusive", "--", "--=x", "--X", "--mail user", "---x", ""])
    def test_what_is_no_long_option_is_refused(self, option: str) -> None:
        with pytest.raises(ValidationError):
            SlurmResources(options=[option])

    @pytest.mark.parametrize(
        ("option", "instead"),
        [
            ("--array=0-9", "--array is set by Paddock"),
            ("--output=/tmp/x", "--output is set by Paddock"),
            ("--wrap=true", "--wrap is set by Paddock"),
            ("--export=ALL", "--export is set by Paddock"),
            ("--signal=TERM@1", "--signal is set by Paddock"),
            ("--hold", "--hold is set by Paddock"),
            ("--time=1:00:00", "use the field time_limit"),
            ("--mem=4G", "use the field memory"),
            ("--gres=gpu:1", "use the field gpus"),
            ("--partition=x", "use the field partition"),
            ("--nodelist=n1", "use the field nodelist"),
            # sbatch takes any beginning of a name that fits one option only
            ("--arr=0-9", "--array is set by Paddock"),
            ("--part=x", "use the field partition"),
            ("--nodel=n1", "use the field nodelist"),
            ("--gpu=1", "use the field gpus"),
            ("--ntasks-per-n=4", "--ntasks-per-node is set by Paddock"),
            ("--help", "submits nothing"),
            ("--version", "submits nothing"),
            ("--clusters=other", "submits nothing"),
        ],
    )
    def test_what_paddock_sets_is_refused_with_what_to_use(self, option: str, instead: str) -> None:
        with pytest.raises(ValidationError, match=instead):
            SlurmResources(options=[option])

    @given(st.text(max_size=40))
    def test_none_breaks_out_of_its_line(self, text: str) -> None:
        try:
            [kept] = SlurmResources(options=[f"--x{text}"]).options
        except ValidationError:
            return
        assert kept.startswith("--x")
        assert len(kept.splitlines()) == 1 or not any(char in kept for char in "\n\r")


class TestSections:
    """What only Slurm knows has a section; older files have it beside the rest."""

    SLURM: ClassVar[dict[str, Any]] = {
        "partition": "volta", "account": "ml", "qos": "high", "constraint": "a|b", "nodelist": "n[1-2]",
        "exclude": "n3", "reservation": "course", "nice": 7, "options": ["--exclusive"],
    }  # fmt: skip

    def test_both_forms_are_the_same(self) -> None:
        assert set(self.SLURM) == set(SlurmResources.model_fields)
        inside = Resources.model_validate({"gpus": 2, "slurm": self.SLURM})
        assert Resources.model_validate({"gpus": 2, **self.SLURM}) == inside
        assert inside.slurm.model_dump() == self.SLURM
        assert Resources.model_validate({"nice": 7, "slurm": SlurmResources(qos="high")}).slurm == SlurmResources(
            nice=7, qos="high"
        )

    def test_the_answer_has_the_section(self) -> None:
        made = Resources.model_validate(self.SLURM).model_dump(mode="json")
        assert made["slurm"] == self.SLURM
        assert not set(made) & set(self.SLURM)

    def test_an_old_row_of_the_database(self) -> None:
        """It has all fields beside each other, also those that were not given."""
        common = {name: None for name in Resources.model_fields if name not in ("slurm", "hosts")}
        nothing = common | dict.fromkeys(self.SLURM) | {"options": []}
        assert Resources.model_validate(nothing) == Resources()
        assert Resources.model_validate(nothing | {"partition": "volta"}).slurm == SlurmResources(partition="volta")

    def test_the_same_twice_is_taken_and_different_ones_are_refused(self) -> None:
        assert Resources.model_validate({"nice": 5, "slurm": {"nice": 5}}).slurm.nice == 5
        assert Resources.model_validate({"nice": None, "slurm": {"nice": 5}}).slurm.nice == 5
        with pytest.raises(
            ValidationError, match=r"qos and slurm\.qos are both given and differ: leave one of them out"
        ):
            Resources.model_validate({"qos": "a", "slurm": {"qos": "b"}})

    @pytest.mark.parametrize("section", [7, "volta", ["volta"], {"colour": "red"}, {"partition": "a b"}])
    def test_what_is_no_section(self, section: Any) -> None:
        for given_ in ({"slurm": section}, {"slurm": section, "nice": 1}):
            with pytest.raises(ValidationError, match="slurm"):
                Resources.model_validate(given_)

    def test_a_job_file_of_either_kind(self) -> None:
        old = jobfile.loads("script: a.py\nresources: {gpus: 1, partition: volta, options: [--exclusive]}\n")
        new = jobfile.loads(
            "script: a.py\nresources:\n  gpus: 1\n  slurm: {partition: volta, options: [--exclusive]}\n"
        )
        assert old == new
        assert jobfile.loads(jobfile.dump(old)) == new
        assert "slurm:\n    partition: volta\n" in jobfile.dump(old)
        for text in ("resources: {partitio: volta}", "resources: {slurm: {partitio: volta}}"):
            with pytest.raises(InvalidInput, match="there is no such field; did you mean partition"):
                jobfile.loads(text)

    def test_what_is_given_later_replaces_either_form(self) -> None:
        file = jobfile.loads("resources: {slurm: {partition: volta, qos: high}}")
        for change in ({"partition": "cpu"}, {"slurm": {"partition": "cpu"}}):
            made = changed(file, {"resources": change}, {})
            assert made.resources.slurm == SlurmResources(partition="cpu", qos="high")
        with pytest.raises(InvalidInput, match=r"Qos and slurm\.qos are both given") as caught:
            changed(file, {"resources": {"qos": "a", "slurm": {"qos": "b"}}}, {})
        assert list(caught.value.fields) == ["resources"]
        assert changed(file, {}, {}) == file.model_copy(update={"environment": JobSpec().environment})


SETTINGS = """
backend = "slurm"
[backends.slurm]
prefix = ["ssh", "login1"]
setup = ["module load cuda"]
poll_seconds = 3
[backends.slurm.variables]
OMP_PROC_BIND = "true"
[backends.slurm.resources]
partition = "all"
account = "ml"
time_limit = "4h"
memory = "8G"
options = ["--exclusive"]
[backends.other]
conf = "/etc/other/slurm.conf"
[profiles.volta]
partition = "volta"
gpus = 2
gpu_type = "v100"
options = ["--mail-type=END"]
[profiles.elsewhere]
backend = "other"
cpus = 8
[profiles.Here]
backend = "local"
"""


@pytest.fixture
def cluster(home: Home, settings: Settings) -> Settings:
    (home.root / "settings.toml").write_text(SETTINGS)
    return load(home.root)


class TestSettings:
    def test_from_toml(self, cluster: Settings) -> None:
        slurm = cluster.clusters["slurm"]
        assert (slurm.prefix, slurm.setup, slurm.poll_seconds) == (["ssh", "login1"], ["module load cuda"], 3)
        assert (slurm.resources.time_limit, slurm.resources.memory) == (14_400, 8 * 1024**3)
        assert slurm.variables == {"OMP_PROC_BIND": "true"}
        assert cluster.profiles["volta"].gpus == 2
        assert set(cluster.clusters) == {"slurm", "other"}
        assert list(cluster.every_backend) == ["local", "slurm", "other"]

    def test_from_the_environment(self, home: Home, cluster: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PADDOCK_BACKENDS__SLURM__POLL_SECONDS", "7")
        monkeypatch.setenv("PADDOCK_BACKENDS__SLURM__RESOURCES__PARTITION", "night")
        monkeypatch.setenv("PADDOCK_PROFILES__VOLTA__GPUS", "4")
        found = load(home.root)
        assert (found.clusters["slurm"].poll_seconds, found.clusters["slurm"].resources.slurm.partition) == (7, "night")
        assert (found.profiles["volta"].gpus, found.profiles["volta"].slurm.partition) == (4, "volta")
        assert found.clusters["slurm"].resources.slurm.account == "ml"  # one field of a group leaves the others

    def test_slurm_alone_needs_no_settings(self, home: Home, settings: Settings) -> None:
        assert settings.clusters == {}
        assert settings.every_backend == {"local": LocalSettings()}
        assert load(home.root, backend="slurm").clusters == {"slurm": SlurmSettings()}
        assert load(home.root, backend="slurmy").clusters == {}

    @pytest.mark.parametrize(
        ("text", "field"),
        [
            ('[backends.slurm]\nprefx = ["x"]', "backends.slurm.prefx"),
            ("[backends.slurm]\npoll_seconds = 0", "backends.slurm.poll_seconds"),
            ('[backends.slurm.resources]\npartition = "a b"', "backends.slurm.resources.slurm.partition"),
            ('[backends.slurm.resources]\ntime_limit = "60"', "backends.slurm.resources.time_limit"),
            ('[backends.slurm.resources]\noptions = ["--array=0-3"]', "backends.slurm.resources.slurm.options.0"),
            ('[profiles.volta]\nmemory = "16"', "profiles.volta.memory"),
            ('[backends.slurm.variables]\n"A B" = "x"', "backends.slurm.variables.A B.[key]"),
        ],
    )
    def test_what_is_wrong_is_named(self, home: Home, settings: Settings, text: str, field: str) -> None:
        (home.root / "settings.toml").write_text(text)
        with pytest.raises(InvalidInput, match=r"settings\.toml") as caught:
            load(home.root)
        assert list(caught.value.fields) == [field]

    def test_no_cluster_has_the_name_of_the_local_backend(self, home: Home, settings: Settings) -> None:
        (home.root / "settings.toml").write_text("[backends.local]\n")
        with pytest.raises(InvalidInput, match=r"local.*the server's own node"):
            load(home.root)


class TestKinds:
    """Each backend has a kind; without one it is Slurm, as in older files."""

    def read(self, home: Home, text: str) -> Settings:
        (home.root / "settings.toml").write_text(text)
        return load(home.root)

    def refused(self, home: Home, text: str) -> dict[str, str]:
        with pytest.raises(InvalidInput, match=r"settings\.toml") as caught:
            self.read(home, text)
        return caught.value.fields

    def test_with_a_kind_and_without(self, home: Home, settings: Settings) -> None:
        found = self.read(home, '[backends.old]\nconf = "a"\n[backends.new]\nkind = "slurm"\nconf = "a"\n')
        assert found.backends["old"] == found.backends["new"] == SlurmSettings(conf="a")
        assert load(home.root, backends={"x": SlurmSettings(conf="b")}).clusters["x"].conf == "b"

    def test_the_own_node_in_either_place(self, home: Home, settings: Settings) -> None:
        own = LocalSettings(slots=3, gpus=["0"])
        for text in (
            '[local]\nslots = 3\ngpus = ["0"]',
            '[backends.local]\nkind = "local"\nslots = 3\ngpus = ["0"]',
            '[local]\nslots = 3\n[backends.local]\nkind = "local"\nslots = 3\ngpus = ["0"]',
        ):
            found = self.read(home, text)
            assert (found.local, found.backends, found.every_backend) == (own, {}, {"local": own})

    def test_the_environment(self, home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PADDOCK_BACKENDS__LAB__KIND", "slurm")
        monkeypatch.setenv("PADDOCK_BACKENDS__LAB__PREFIX", '["ssh", "login1"]')
        monkeypatch.setenv("PADDOCK_LOCAL__SLOTS", "2")
        found = self.read(home, '[backends.lab]\nconf = "a"\n[backends.local]\nkind = "local"\ngpus = []')
        assert found.clusters["lab"] == SlurmSettings(conf="a", prefix=["ssh", "login1"])
        assert found.local == LocalSettings(slots=2, gpus=[])

    @pytest.mark.parametrize("kind", ['"ssh"', '"Slurm"', "7", "[]", "{}"])
    def test_an_unknown_kind(self, home: Home, settings: Settings, kind: str) -> None:
        told = self.refused(home, f"[backends.far]\nkind = {kind}")
        assert told == {"backends.far": "there is no such kind of backend; there are: local, slurm, hosts, kubernetes"}

    def test_what_is_wrong_is_named_as_in_the_file(self, home: Home, settings: Settings) -> None:
        own = '[backends.local]\nkind = "local"\n'
        assert list(self.refused(home, f"{own}slots = 0")) == ["local.slots"]
        assert list(self.refused(home, f'{own}conf = "a"')) == ["local.conf"]
        assert list(self.refused(home, "[backends.lab]\nslots = 1")) == ["backends.lab.slots"]
        assert list(self.refused(home, "backends = 7")) == ["backends"]
        assert list(self.refused(home, "[backends]\nlab = 7")) == ["backends.lab"]
        assert "both give slots" in self.refused(home, f"{own}slots = 1\n[local]\nslots = 2")["local"]
        assert "local" in self.refused(home, f"local = 7\n{own}")
        other = self.refused(home, '[backends.here]\nkind = "local"')["backends"]
        assert other == "the server's own node is the backend `local`: give here another kind"


class TestResolve:
    def test_what_is_given_counts_then_the_profile_then_the_backend(self, cluster: Settings) -> None:
        found = resolve(Resources(profile="volta", slurm=SlurmResources(account="mine"), gpus=0), cluster)
        assert (found.slurm.account, found.gpus) == ("mine", 0)  # given; none is a number, too
        assert (found.slurm.partition, found.gpu_type, found.slurm.options) == ("volta", "v100", ["--mail-type=END"])
        assert (found.time_limit, found.memory) == (14_400, 8 * 1024**3)
        assert (found.backend, found.profile, found.cpus, found.nodes) == ("slurm", "volta", None, None)

    def test_without_a_profile(self, cluster: Settings) -> None:
        found = resolve(Resources(), cluster)
        assert found.backend == "slurm"
        assert found.slurm == SlurmResources(partition="all", account="ml", options=["--exclusive"])
        other = Resources(slurm=SlurmResources(options=["--requeue"]))
        assert resolve(other, cluster).slurm.options == ["--requeue"]

    def test_a_profile_may_name_the_backend_and_what_is_given_counts_more(self, cluster: Settings) -> None:
        found = resolve(Resources(profile="elsewhere"), cluster)
        assert (found.backend, found.cpus, found.slurm.partition) == ("other", 8, None)
        assert resolve(Resources(profile="elsewhere", backend="slurm"), cluster).slurm.partition == "all"

    def test_this_machine_has_no_defaults(self, cluster: Settings, settings: Settings) -> None:
        assert resolve(Resources(backend="local"), cluster) == Resources(backend="local")
        assert resolve(Resources(gpus=1), settings) == Resources(backend="local", gpus=1)

    def test_resolved_once_more_it_stays(self, cluster: Settings) -> None:
        for asked in (
            Resources(),
            Resources(profile="volta"),
            Resources(profile="elsewhere", slurm=SlurmResources(nice=0)),
        ):
            once = resolve(asked, cluster)
            assert resolve(once, cluster) == once

    def test_an_unknown_profile(self, cluster: Settings, settings: Settings) -> None:
        with pytest.raises(
            InvalidInput, match=r"There is no profile 'Volta' .* there are: Here, elsewhere, volta"
        ) as e:
            resolve(Resources(profile="Volta"), cluster)
        assert list(e.value.fields) == ["resources.profile"]
        with pytest.raises(InvalidInput, match="there are: none"):
            resolve(Resources(profile="x"), settings)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "-rf",
        "a b",
        "a\x00b",
        {"image": "a", "engine": "docker"},
        {"image": "a", "options": ["/etc"]},
        {"image": "a", "mounts": ["data"]},
        {"image": "a", "mounts": ["/a/../b"]},
        {"image": "a", "mounts": ["/a:/b"]},
    ],
)
def test_a_container_that_could_mean_something_else_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        Resources.model_validate({"container": given})


def test_a_container_comes_from_the_profile_too(home: Home) -> None:
    (home.root / "settings.toml").write_text('[profiles.torch]\ncontainer = "/images/torch.sif"\n')
    found = resolve(Resources(profile="torch"), load(home.root)).container
    assert found is not None
    assert (found.image, found.engine) == ("/images/torch.sif", "auto")


class TestARangeOfGpus:
    def test_is_the_fewest_and_the_most(self) -> None:
        found = Resources.model_validate({"gpus": "1..4", "cpus": 2, "memory": "8G"})
        assert (found.gpus, found.most_gpus) == (1, 4)
        assert Resources.model_validate(found.model_dump(mode="json")) == found
        assert found.of_size(None) is found.of_size(1) is found
        assert (found.unusual(1), found.unusual(3)) == (None, 3)
        assert Resources(gpus=2).unusual(3) is None

    def test_more_than_a_node_has_are_those_of_whole_nodes(self) -> None:
        asked = Resources.model_validate({"gpus": "1..16", "cpus": 2, "memory": "8G", "launcher": "torchrun"})
        found = asked.of_size(8, 4)
        assert (found.nodes, found.gpus, found.all_gpus, found.cpus) == (2, 4, 8, 8)
        assert asked.unusual(found.all_gpus) == 8
        assert (asked.of_size(4, 4).nodes, asked.of_size(4, 4).gpus) == (None, 4)
        assert (asked.of_size(6, 4).nodes, asked.of_size(6, 4).gpus) == (None, 6), "it fits nowhere, and is refused"

    @given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 64), st.integers(2**30, 2**40))
    def test_cores_and_memory_grow_with_the_gpus(self, least: int, factor: int, cpus: int, memory: int) -> None:
        asked = Resources(gpus=least, most_gpus=64, cpus=cpus, memory=memory)
        grown = asked.of_size(least * factor)
        assert (grown.gpus, grown.cpus, grown.memory) == (least * factor, cpus * factor, memory * factor)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"gpus": "4..1"}, "such as gpus: 1..4"),
            ({"gpus": "0..2"}, "such as gpus: 1..4"),
            ({"gpus": "1.."}, "the fewest and the most"),
            ({"gpus": "a..b"}, "the fewest and the most"),
            ({"gpus": "-1..2"}, "the fewest and the most"),
            ({"gpus": "1..2..3"}, "the fewest and the most"),
            ({"gpus": "1..4096"}, "1024"),
            ({"gpus": "1..2", "most_gpus": 3}, "leave most_gpus out"),
            ({"most_gpus": 3}, "most_gpus needs gpus"),
            ({"gpus": "1..2", "per_gpu": 2}, "leave per_gpu out"),
            ({"gpus": "1..2", "slots": 2}, "leave slots out"),
            ({"gpus": "1..2", "nodes": 2}, "leave nodes out"),
        ],
    )
    def test_what_it_excludes_is_refused(self, given: dict[str, Any], said: str) -> None:
        with pytest.raises(ValidationError, match=said):
            Resources.model_validate(given)
