"""Who is logged in on this node: from utmp, or from what systemd keeps where there is no utmp any more."""

from __future__ import annotations

import os
import platform
import struct
from typing import Any, Dict, List, Optional

from . import processes

UTMP = "/var/run/utmp"
SESSIONS = "/run/systemd/sessions"
_MOST = 64  # people that are reported
_MOST_BYTES = 1 << 20  # of utmp
_USER_PROCESS = 7
# type, pid, line, id, user, host, exit, session, seconds, microseconds, address; sizes of glibc
_OLD = struct.Struct("=h2xi32s4s32s256s2hiii16s20x")  # where times had 32 bits once: x86, POWER
_NEW = struct.Struct("=h2xi32s4s32s256s2hqqq16s20x4x")
_RECORD = _OLD if platform.machine() in ("x86_64", "i686", "ppc64le", "ppc64") else _NEW


def people() -> List[Dict[str, Any]]:
    """Return who is logged in, on which terminal and since when. None are known where nothing is recorded."""
    found = _of_utmp() if os.path.exists(UTMP) else _of_systemd()
    return found[:_MOST]


def _of_utmp() -> List[Dict[str, Any]]:
    data = processes.read(UTMP, _MOST_BYTES)
    found = []
    for at in range(0, len(data) - _RECORD.size + 1, _RECORD.size):
        kind, pid, line, _, user, *rest = _RECORD.unpack_from(data, at)
        if kind == _USER_PROCESS and processes.started(pid) is not None:  # else nobody has removed the entry
            found.append(_person(_text(user), _text(line), float(rest[4])))
    return [one for one in found if one is not None]


def _of_systemd() -> List[Dict[str, Any]]:
    try:
        names = sorted(name for name in os.listdir(SESSIONS) if "." not in name)
    except OSError:
        return []
    found = []
    for name in names[: 4 * _MOST]:
        lines = processes.read(os.path.join(SESSIONS, name), 16_384).decode("utf-8", "replace").splitlines()
        given = dict(line.split("=", 1) for line in lines if "=" in line)
        if given.get("CLASS") == "user" and given.get("STATE") in ("active", "online"):
            since = int(given["REALTIME"]) / 1e6 if given.get("REALTIME", "").isdigit() else None
            found.append(_person(given.get("USER", ""), given.get("TTY", ""), since))
    return [one for one in found if one is not None]


def _person(user: str, terminal: str, since: Optional[float]) -> Optional[Dict[str, Any]]:
    """Return a person as JSON has it; None if the entry makes no sense."""
    if not user or not (user + terminal).isprintable() or len(user) > 64 or len(terminal) > 64:
        return None
    return {"user": user, "terminal": terminal, "since": since}


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", "replace")
