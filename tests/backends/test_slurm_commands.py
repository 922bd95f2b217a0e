"""Test how Slurm's commands are called: their environment, time-outs, and what their errors mean."""

import json
import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paddock.backends.slurm.commands import Commands, Result, complaint, environment
from paddock.errors import BackendBusy, BackendError, BackendUnavailable
from paddock.settings import SlurmSettings

# Tells its arguments, what it reads and what it sees.
TELLER = """#!{python}
import json, os, sys
read = "" if sys.stdin.isatty() else sys.stdin.read()
print(json.dumps([sys.argv[1:], read, dict(os.environ)]))
print("a word", file=sys.stderr)
sys.exit(int(os.environ.get("CODE", "0")))
"""

Make = Callable[[str, str], Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Puts a program of our own where Slurm's are looked for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def made(name: str, text: str) -> Path:
        path = folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    return made


@pytest.fixture
def teller() -> str:
    import sys

    return TELLER.replace("{python}", sys.executable)


class TestEnvironment:
    @pytest.mark.parametrize(
        "name",
        [
            "PADDOCK_TOKEN",
            "PADDOCK_HOME",
            "PADDOCK_TASK",
            "SLURM_JOB_ID",
            "SLURM_ARRAY_TASK_ID",
            "SBATCH_PARTITION",
            "SLURMD_NODENAME",
            "CUDA_VISIBLE_DEVICES",
            "ROCR_VISIBLE_DEVICES",
            "GITHUB_TOKEN",
            "token",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
            "PGPASSWD",
            "WANDB_API_KEY",
            "OPENAI_APIKEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SSH_PRIVATE_THING",
        ],
    )
    def test_no_secret_and_nothing_of_ours_is_passed_on(self, name: str) -> None:
        assert name not in environment({name: "x"}, SlurmSettings())

    @pytest.mark.parametrize("name", ["PATH", "HOME", "USER", "LANG", "LD_LIBRARY_PATH", "SLURM_CONF", "MY_VAR"])
    def test_all_else_is(self, name: str) -> None:
        assert environment({name: "x"}, SlurmSettings())[name] == "x"

    def test_how_slurm_is_to_write(self) -> None:
        seen = environment({"SLURM_TIME_FORMAT": "relative", "SLURM_CONF": "/a"}, SlurmSettings(conf="/b/slurm.conf"))
        assert seen == {"SLURM_TIME_FORMAT": "%s", "SLURM_BITSTR_LEN": "0", "SLURM_CONF": "/b/slurm.conf"}

    def test_of_a_command_that_is_run(self, make: Make, teller: str, monkeypatch: pytest.MonkeyPatch) -> None:
        make("sbatch", teller)
        monkeypatch.setenv("PADDOCK_TOKEN", "secret-1")
        monkeypatch.setenv("MY_PASSWORD", "secret-2")
        monkeypatch.setenv("SLURM_JOB_ID", "12")
        out = Commands(SlurmSettings()).run("sbatch", "--parsable", text="#!/bin/bash\nü\n")
        argv, read, seen = json.loads(out)
        assert (argv, read) == (["--parsable"], "#!/bin/bash\nü\n")
        assert "secret" not in json.dumps(seen)
        assert "SLURM_JOB_ID" not in seen
        assert seen["SLURM_TIME_FORMAT"] == "%s"


class TestPrefix:
    ARGV = ("squeue", "-o", "%i|%T", "it's", "two words", "$(touch pwned)", "*", "")

    def test_ssh_gets_one_text_that_its_shell_takes_apart_again(self, make: Make, teller: str, tmp_path: Path) -> None:
        """ssh joins its arguments with blanks and gives them to a shell on the other side."""
        make("squeue", teller)
        make("ssh", '#!/bin/bash\necho "$1" >> "$LOG"\nshift\nexec /bin/sh -c "$*"\n')
        os.environ["LOG"] = str(tmp_path / "log")
        try:
            commands = Commands(SlurmSettings(prefix=["ssh", "login1"], conf="/x y/slurm.conf"))
            argv, _, seen = json.loads(commands.run(*self.ARGV))
        finally:
            del os.environ["LOG"]
        assert argv == list(self.ARGV[1:])
        assert (seen["SLURM_CONF"], seen["SLURM_TIME_FORMAT"]) == ("/x y/slurm.conf", "%s")
        assert (tmp_path / "log").read_text() == "login1\n"
        assert not list(tmp_path.rglob("pwned"))

    def test_any_path_of_ssh_is_ssh(self) -> None:
        whole = Commands(SlurmSettings(prefix=["/usr/bin/ssh", "-q", "h"]))._whole(["squeue", "a b"])
        assert whole[:3] == ["/usr/bin/ssh", "-q", "h"]
        assert shlex.split(whole[3])[-2:] == ["squeue", "a b"]
        assert len(whole) == 4

    def test_others_get_the_words_as_they_are(self, make: Make, teller: str) -> None:
        make("squeue", teller)
        make("sudo", '#!/bin/bash\nshift 2\nexec "$@"\n')
        argv, _, seen = json.loads(Commands(SlurmSettings(prefix=["sudo", "-nu", "ml"])).run(*self.ARGV))
        assert argv == list(self.ARGV[1:])
        assert seen["SLURM_BITSTR_LEN"] == "0"

    def test_without_one_nothing_is_added(self) -> None:
        assert Commands(SlurmSettings())._whole(["squeue", "-h"]) == ["squeue", "-h"]


class TestTrouble:
    def test_a_command_that_does_not_answer(self, make: Make) -> None:
        make("squeue", "#!/bin/bash\nexec sleep 60\n")
        began = time.monotonic()
        with pytest.raises(BackendUnavailable, match="`squeue` did not answer within 1 s"):
            Commands(SlurmSettings(command_seconds=1)).run("squeue")
        assert time.monotonic() - began < 20

    def test_a_command_that_is_not_there(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(BackendUnavailable, match=r"`sinfo` cannot be run .*are Slurm's commands installed"):
            Commands(SlurmSettings()).run("sinfo")
        with pytest.raises(BackendUnavailable, match=r"`no-ssh` cannot be run"):
            Commands(SlurmSettings(prefix=["no-ssh", "h"])).run("sinfo")

    def test_junk_is_read_without_harm(self, make: Make) -> None:
        make("squeue", "#!/bin/bash\nprintf 'a\\xff\\x00b\\n'\n")
        assert Commands(SlurmSettings()).run("squeue") == "a\ufffd\0b\n"

    def test_a_failure_is_told_as_the_command_told_it(self, make: Make) -> None:
        make("sbatch", "#!/bin/bash\necho 'sbatch: error: Batch job submission failed: Invalid account' >&2\nexit 1\n")
        commands = Commands(SlurmSettings())
        with pytest.raises(BackendError, match=r"^Batch job submission failed: Invalid account") as caught:
            commands.run("sbatch")
        assert type(caught.value) is BackendError
        assert commands.try_run("sbatch").code == 1
        assert commands.calls == 2

    @pytest.mark.parametrize(
        ("err", "kind", "message"),
        [
            (
                "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n",
                BackendUnavailable,
                "Unable to contact slurm controller",
            ),
            (
                "sbatch: error: QOSMaxSubmitJobPerUserLimit\n"
                "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy "
                "(job submit limit, user's size and/or time limits)\n",
                BackendBusy,
                "QOSMaxSubmitJobPerUserLimit; Batch job submission failed",
            ),
            ("sbatch: error: invalid partition specified: moon\n", BackendError, "invalid partition specified: moon"),
            ("", BackendError, "`sbatch` ended with code 3"),
            ("\n  \n", BackendError, "`sbatch` ended with code 3"),
            ("sbatch: error: no\nsbatch: error: no\n", BackendError, "no"),
        ],
    )
    def test_what_errors_mean(self, err: str, kind: type[BackendError], message: str) -> None:
        error = complaint("sbatch", Result("", err, 3))
        assert type(error) is kind
        assert message in error.message
        assert "\n" not in error.message

    def test_what_a_killed_server_has_started_ends_with_it(self, make: Make, tmp_path: Path) -> None:
        """A submission that comes through later could come through twice."""
        import subprocess
        import sys

        make("sbatch", f"#!/bin/bash\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
        code = (
            "from paddock.backends.slurm.commands import Commands\n"
            "from paddock.settings import SlurmSettings\n"
            "Commands(SlurmSettings()).run('sbatch')\n"
        )
        server = subprocess.Popen([sys.executable, "-c", code])
        try:
            _until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip() != "")
            pid = (tmp_path / "pid").read_text().strip()
        finally:
            server.kill()
            server.wait()
        _until(lambda: _gone(pid))


def _gone(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def _until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
