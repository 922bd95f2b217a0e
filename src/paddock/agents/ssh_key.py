"""The key with which the server signs in on hosts, if it has one of its own."""

import os
import pwd
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from paddock.errors import InvalidInput

_DEFAULTS = ("id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk")


def key_file(home: Path) -> Path:
    """Return where the private key is, or would be."""
    return home / "ssh_key"


def authorized_line(home: Path) -> str:
    """Return the line for authorized_keys that lets the server in; make the key if there is none.

    `restrict` forbids terminals and forwarding: the server needs neither.
    """
    path = key_file(home)
    if not path.exists():
        _make(path)
    kind, key = _run("-y", "-P", "", "-f", str(path)).split()[:2]
    return f"restrict {kind} {key} paddock@{socket.gethostname()}"


def identity_options(home: Path) -> list[str]:
    """Return options of ssh that offer the key, if there is one, beside those that ssh offers anyway."""
    own = key_file(home)
    if not own.exists():
        return []
    folder = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".ssh"  # not HOME: that is what ssh does
    usual = [folder / name for name in _DEFAULTS]  # ssh leaves them out as soon as another one is named
    return [part for one in (own, *usual) if one is own or one.exists() for part in ("-o", f'IdentityFile="{one}"')]


def _make(path: Path) -> None:
    """Make a key that only its owner can read. Of two at the same time, the first one counts."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(prefix=".key-", dir=path.parent) as folder:
        made = Path(folder) / "key"
        _run("-q", "-t", "ed25519", "-N", "", "-C", "paddock", "-f", str(made))
        with suppress(FileExistsError):
            os.link(made, path)


def _run(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["ssh-keygen", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60
        )
    except FileNotFoundError:
        raise InvalidInput("There is no ssh-keygen here: install openssh-client.") from None
    except (OSError, subprocess.SubprocessError) as error:
        why = str(getattr(error, "stderr", None) or error).strip()
        raise InvalidInput(f"ssh-keygen failed: {why}") from None
    return done.stdout
