"""Test how commands for container engines are put together. Real containers: tests/e2e/test_containers.py."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from paddock.common import containers
from paddock.common.containers import ContainerImage, Unavailable
from tests.support.server import wait_for


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in PATH in which programs of engines can be put."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    made = tmp_path / "image"
    for name in ("etc/passwd", "etc/group"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).touch()
    return made


def added(image: Path) -> dict[str, str]:
    return {"PYTHONNOUSERSITE": "1", "PADDOCK_IMAGE": str(image)}


class TestWhichEngine:
    def test_the_first_on_the_node_that_can_run_such_an_image(self, node: Path, image: Path, tmp_path: Path) -> None:
        sif, squash = tmp_path / "a.sif", tmp_path / "a.sqfs"
        sif.touch()
        squash.touch()
        put(node, "ch-run", "apptainer", "podman")
        found = {
            one: containers.find(ContainerImage(one))[0] for one in (str(image), str(sif), str(squash), "lab/torch:2")
        }
        assert list(found.values()) == ["apptainer", "apptainer", "charliecloud", "podman"]
        assert containers.find(ContainerImage("docker://torch"))[0] == "apptainer"

    def test_an_older_name_of_it(self, node: Path, image: Path) -> None:
        put(node, "singularity")
        assert containers.find(ContainerImage(str(image))) == ("apptainer", str(node / "singularity"))

    def test_the_one_that_is_named(self, node: Path, image: Path) -> None:
        put(node, "ch-run", "apptainer")
        assert containers.find(ContainerImage(str(image), "charliecloud")) == ("charliecloud", str(node / "ch-run"))

    def test_there_is_none(self, node: Path, image: Path) -> None:
        with pytest.raises(Unavailable, match=r"no apptainer or charliecloud to run the image .*install it"):
            containers.find(ContainerImage(str(image)))

    def test_there_is_no_such_image(self, node: Path) -> None:
        put(node, "apptainer")
        with pytest.raises(Unavailable, match=r"there is no image /nowhere/a.sif on this node"):
            containers.find(ContainerImage("/nowhere/a.sif"))


class TestApptainer:
    def test_folders_gpus_and_options(self, node: Path, image: Path) -> None:
        put(node, "apptainer")
        container = ContainerImage(str(image), options=("--fakeroot",), mounts=("/data", "/jobs/a/code"))
        env = {"CUDA_VISIBLE_DEVICES": "GPU-1", "HOME": "/home/me"}
        argv = containers.wrapped(container, ["/jobs/a"], "/jobs/a/work", env, {})
        binds = ["--bind", "/data:/data", "--bind", "/jobs/a:/jobs/a"]
        first = [str(node / "apptainer"), "--quiet", "exec", "--pwd", "/jobs/a/work"]
        assert argv == [*first, *binds, "--nv", "--fakeroot", str(image)]
        assert env == {"CUDA_VISIBLE_DEVICES": "GPU-1", "HOME": "/home/me", **added(image)}

    def test_what_it_would_set_itself_stays_as_the_job_sets_it(self, node: Path, image: Path) -> None:
        put(node, "singularity")
        env = {"PATH": "/mine", "LD_LIBRARY_PATH": "/node"}
        containers.wrapped(ContainerImage(str(image)), [], "/", env, {"PATH": "/mine"})
        assert (env["APPTAINERENV_PATH"], env["SINGULARITYENV_PATH"]) == ("/mine", "/mine")
        assert "APPTAINERENV_LD_LIBRARY_PATH" not in env

    def test_amd(self, node: Path, image: Path) -> None:
        put(node, "apptainer")
        assert "--rocm" in containers.wrapped(ContainerImage(str(image)), [], "/", {"ROCR_VISIBLE_DEVICES": "0"}, {})


class TestCharliecloud:
    def test_folders_are_made_in_the_image(self, node: Path, image: Path) -> None:
        put(node, "ch-run")
        env = {"TMPDIR": "/scratch", "USER": "me"}
        argv = containers.wrapped(ContainerImage(str(image)), ["/home/me/job", "/tmp/x"], "/home/me/job/work", env, {})
        before, after = ["--cd", "/home/me/job/work"], ["--bind", "/home/me/job:/home/me/job"]
        path = f"--set-env=PATH={containers.PATH}"
        assert argv == [str(node / "ch-run"), *before, *after, path, str(image), "--"]
        assert (image / "home/me/job").is_dir()
        assert all((image / name).is_dir() for name in ("dev", "proc", "sys", "tmp")), "it mounts these, too"
        assert env == {"USER": "me", "HOME": "/home/me/job/work", **added(image)}

    def test_a_link_in_the_image_leads_nowhere(self, node: Path, image: Path, tmp_path: Path) -> None:
        put(node, "ch-run")
        outside = tmp_path / "outside"
        outside.mkdir()
        (image / "home").symlink_to(outside)
        with pytest.raises(Unavailable, match="/home in the image is a link"):
            containers.wrapped(ContainerImage(str(image)), ["/home/me"], "/", {}, {})
        assert list(outside.iterdir()) == []

    def test_what_the_image_lacks_is_named(self, node: Path, tmp_path: Path) -> None:
        put(node, "ch-run")
        (tmp_path / "bare").mkdir()
        with pytest.raises(Unavailable, match="has no /etc/passwd"):
            containers.wrapped(ContainerImage(str(tmp_path / "bare")), [], "/", {}, {})

    def test_a_file_must_be_of_squashfs(self, node: Path, tmp_path: Path) -> None:
        put(node, "ch-run")
        file = tmp_path / "image.sqfs"
        file.write_bytes(b"SIF_")
        with pytest.raises(Unavailable, match="neither a folder nor a SquashFS file"):
            containers.wrapped(ContainerImage(str(file)), [], "/", {}, {})
        file.write_bytes(b"hsqs" + bytes(100))
        assert containers.wrapped(ContainerImage(str(file)), [], "/", {}, {})[-2:] == [str(file), "--"]

    def test_its_own_environment(self, node: Path, image: Path) -> None:
        put(node, "ch-run")
        (image / "ch").mkdir()
        (image / "ch/environment").touch()
        argv = containers.wrapped(ContainerImage(str(image)), [], "/", {}, {"PATH": "/mine"})
        assert "--set-env" in argv
        assert not any(one.startswith("--set-env=") for one in argv)


def test_podman_gets_the_environment_and_the_gpus(node: Path) -> None:
    put(node, "podman")
    argv = containers.wrapped(
        ContainerImage("lab/torch"), ["/job"], "/job/work", {"CUDA_VISIBLE_DEVICES": "GPU-1,GPU-2"}, {}
    )
    assert argv[:3] == [str(node / "podman"), "run", "--rm"]
    assert [argv[place + 1] for place, one in enumerate(argv) if one == "--device"] == [
        "nvidia.com/gpu=GPU-1",
        "nvidia.com/gpu=GPU-2",
    ]
    assert ("--userns=keep-id" in argv) == (os.getuid() != 0)
    assert "--env-host" in argv
    assert not {"--interactive", "--tty"} & set(argv)
    assert {"--interactive", "--tty"} < set(containers.wrapped(ContainerImage("lab/torch"), [], "/", {}, {}, True))
    assert not any(one.startswith("--name") for one in argv), "what is no attempt has no name"
    assert argv[-1] == "lab/torch"


def test_containers_of_podman_have_names_by_attempt_and_rank(node: Path) -> None:
    put(node, "podman")
    env = {"PADDOCK_ALLOCATION": "k3v.0", "PADDOCK_TASK": "k3v-1", "PADDOCK_ATTEMPT": "2"}
    argv = containers.wrapped(ContainerImage("lab/torch"), [], "/", env, {})
    assert f"--name={containers.name_of(env)}" in argv
    assert containers.name_of(env) == "paddock-k3v.0-k3v-1-2"
    assert containers.name_of({"PADDOCK_TASK": "a;b c"}) == "paddock--a_b_c-"
    assert f"--name={containers.name_of(env)}-3" in containers.of_rank(argv, 3)
    assert containers.of_rank(["ch-run", "/image", "--"], 3) == ["ch-run", "/image", "--"]
    assert containers.is_apart(ContainerImage("lab/torch"))
    assert not containers.is_apart(ContainerImage("lab/torch", "apptainer")), "it is not there"


def test_a_container_is_removed_by_its_name(node: Path, tmp_path: Path) -> None:
    (node / "podman").write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n')
    (node / "podman").chmod(0o755)
    containers.remove("paddock-a-b-1")
    assert (tmp_path / "asked").read_text() == "rm --force --ignore --time=0 paddock-a-b-1\n"
    (node / "podman").unlink()
    containers.remove("paddock-a-b-1")  # nothing can be done


def test_helpers_of_engines_are_told_from_programs(tmp_path: Path) -> None:
    helper = tmp_path / "squashfuse_ll"
    shutil.copy(shutil.which("sleep") or "", helper)
    with subprocess.Popen([str(helper), "60"]) as one, subprocess.Popen(["sleep", "60"]) as other:
        try:
            wait_for(lambda: containers.is_helper(one.pid), what="the program to be executed")
            wait_for(lambda: not containers.is_helper(other.pid), what="the program to be executed")
        finally:
            one.kill()
            other.kill()


@pytest.mark.parametrize(
    "given", [5, {}, {"image": 1}, {"image": "a", "mounts": "/data"}, {"image": "a", "options": [1]}]
)
def test_a_manifest_with_something_else_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match="container"):
        containers.parsed(given)
