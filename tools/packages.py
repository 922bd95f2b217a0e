"""Install the Debian packages that the tests need if run as root; otherwise print what is missing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def have_postgres() -> bool:
    return shutil.which("postgres") is not None or any(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def have_program(name: str) -> Callable[[], bool]:
    """Return a check for a program, also in folders of daemons that are not in every user's PATH."""
    return lambda: shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin") is not None


def have_slurm_mysql() -> bool:
    return any(Path("/usr/lib").glob("*/slurm*/accounting_storage_mysql.so"))


NEEDED: dict[str, Callable[[], bool]] = {
    "postgresql": have_postgres,
    "git": have_program("git"),
    "chromium": lambda: shutil.which("chromium") is not None or shutil.which("google-chrome") is not None,
    # For tests/slurm: a Slurm with several nodes and accounting.
    "munge": have_program("munged"),
    "slurmctld": have_program("slurmctld"),
    "slurmd": have_program("slurmd"),
    "slurm-client": have_program("sbatch"),
    "slurmdbd": have_program("slurmdbd"),
    "slurm-wlm-mysql-plugin": have_slurm_mysql,
    "mariadb-server-core": have_program("mariadbd"),
    "mariadb-client-core": have_program("mariadb"),
    # For jobs in containers.
    "charliecloud": have_program("ch-run"),
    # For tests/team: accounts, directories, tasks that run as other users.
    "slapd": have_program("slapd"),
    "ldap-utils": have_program("ldapwhoami"),
    "sudo": have_program("sudo"),
    "openssh-server": have_program("sshd"),
}


def main() -> int:
    missing = [package for package, present in NEEDED.items() if not present()]
    if not missing:
        return 0
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(f"Some tests will be skipped: please install {', '.join(missing)}.", file=sys.stderr)
        return 0
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment)
    # No package may start a daemon: tests start what they need themselves.
    policy = Path("/usr/sbin/policy-rc.d")
    made = not policy.exists()
    if made:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    try:
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True, env=environment
        )
    finally:
        if made:
            policy.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
