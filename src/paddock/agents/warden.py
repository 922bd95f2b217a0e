#!/usr/bin/python3 -IS
"""Do for the server the few things that need root's rights.

It checks the passwords of this machine's accounts, writes a message to the terminals of a person, and ends a process of
a person. Started as a person, without root's rights, it writes to that person's terminals and ends their processes.

`paddock team install` copies this file to a folder of root's, and `sudo` lets the server start it without arguments.
It takes one request, a line of JSON on standard input, and gives one answer, a line of JSON on standard output:
`{"ok": true, ...}`, or `{"ok": false, "error": "..."}` if it cannot tell or will not do it.

Standard library only, Python 3.8 or newer, nothing of Paddock and nothing of a virtual environment: what runs as root
must not import what somebody else can write.
"""

import ctypes
import grp
import json
import os
import pwd
import re
import resource
import signal
import stat
import sys
import textwrap
from typing import Any, Callable, Dict, List, Optional

PROTOCOL = 1
MAX_REQUEST = 16384
SECONDS = 30  # then this process ends, whatever a module of PAM is waiting for: the server cannot end a process of root
FIRST_UID = 1000  # below are the accounts of the system
MAX_GROUPS = 500
NAME = re.compile(r"[a-z_][a-z0-9_.-]{0,63}")
SERVICE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
TERMINAL = re.compile(r"pts/[0-9]{1,9}|tty[0-9]{1,3}")
DEVICES = "/dev"
MAX_TERMINALS = 64
MAX_TEXT = 1000
SIGNALS = {"TERM": signal.SIGTERM, "KILL": signal.SIGKILL}

Request = Dict[str, Any]


class RequestRefused(Exception):
    """The request is not one that the warden answers, or it cannot tell; the text goes to the server."""


# --- PAM ------------------------------------------------------------------------------------------------------------

PROMPT_HIDDEN, PROMPT_SHOWN = 1, 2
CONVERSATION_ERROR, OUT_OF_MEMORY = 19, 5
SILENT, DISALLOW_NULL = 0x8000, 0x1
ITEM_USER, ITEM_FAIL_DELAY = 2, 10
UNSURE = {1, 2, 3, 9, 26, 28}  # a module is missing or failed, or what it asks does not answer: neither yes nor no


class PamMessage(ctypes.Structure):
    _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]


class PamResponse(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]


MESSAGES, RESPONSES = ctypes.POINTER(ctypes.POINTER(PamMessage)), ctypes.POINTER(ctypes.c_void_p)
TALK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, MESSAGES, RESPONSES, ctypes.c_void_p)
DELAY = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)


class PamConversation(ctypes.Structure):
    _fields_ = [("talk", TALK), ("data", ctypes.c_void_p)]


def conversation(password: bytes) -> PamConversation:
    """Return what answers the questions of PAM's modules: each hidden prompt with the password, no other prompt."""
    libc = ctypes.CDLL(None)
    libc.calloc.restype = libc.strdup.restype = ctypes.c_void_p
    libc.calloc.argtypes, libc.strdup.argtypes = [ctypes.c_size_t, ctypes.c_size_t], [ctypes.c_char_p]

    def talk(count: int, messages: Any, responses: Any, _: Any) -> int:
        styles = [messages[i].contents.style for i in range(count)]
        if not 0 < count <= 32 or PROMPT_SHOWN in styles:
            return CONVERSATION_ERROR
        given = libc.calloc(count, ctypes.sizeof(PamResponse))  # PAM frees it, and the texts in it
        if not given:
            return OUT_OF_MEMORY
        answers = (PamResponse * count).from_address(given)
        for i in range(count):
            answers[i].text = libc.strdup(password) if styles[i] == PROMPT_HIDDEN else None
        responses[0] = given
        return 0

    return PamConversation(TALK(talk), None)


def pam(service: str, name: str, password: str, confdir: Optional[str] = None) -> int:
    """Return PAM's code: 0 if the password is right and the account may be used now. No PAM session is opened."""
    library = ctypes.CDLL("libpam.so.0")
    handle, talker = ctypes.c_void_p(), conversation(password.encode())
    begin = [service.encode(), name.encode(), ctypes.byref(talker)]
    if confdir is None:
        code = library.pam_start(*begin, ctypes.byref(handle))
    else:
        code = library.pam_start_confdir(*begin, confdir.encode(), ctypes.byref(handle))
    if code:
        return int(code)
    # Whoever asked makes all failures take equally long; a pause that only some have would tell them apart.
    no_delay = DELAY(lambda code, microseconds, data: None)
    library.pam_set_item(handle, ITEM_FAIL_DELAY, no_delay)
    code = library.pam_authenticate(handle, SILENT | DISALLOW_NULL)
    code = code or library.pam_acct_mgmt(handle, SILENT | DISALLOW_NULL)
    if not code:
        user = ctypes.c_char_p()
        code = library.pam_get_item(handle, ITEM_USER, ctypes.byref(user))
        if not code and user.value != name.encode():
            code = 6  # a module made somebody else of the name: permission denied
    library.pam_end(handle, code)
    return int(code)


# --- requests -------------------------------------------------------------------------------------------------------


def hello(request: Request, confdir: Optional[str]) -> Request:
    return {"protocol": PROTOCOL, "uid": os.geteuid(), "python": sys.version.split()[0]}


def check(request: Request, confdir: Optional[str]) -> Request:
    """Return who has this name and password, `{"who": null}` if nobody has."""
    service, name, password = (_text(request, key) for key in ("service", "name", "password"))
    if not SERVICE.fullmatch(service):
        raise RequestRefused("the PAM service has no valid name")
    if not NAME.fullmatch(name) or not password:
        return {"who": None}
    try:
        known = pwd.getpwnam(name)
    except KeyError:
        return {"who": None}
    if known.pw_name != name or known.pw_uid < FIRST_UID:
        return {"who": None}
    try:
        code = pam(service, name, password, confdir)
    except (OSError, AttributeError) as error:  # AttributeError: this libpam lacks a function
        raise RequestRefused("PAM cannot be used: %s" % error) from None
    if code in UNSURE:
        raise RequestRefused("PAM cannot check passwords with the service %s (code %d)" % (service, code))
    return {"who": None if code else _person(known)}


def write(request: Request, confdir: Optional[str]) -> Request:
    """Write a message to the terminals of a person; return to how many, and how many take no messages."""
    uid = _account(_text(request, "name")).pw_uid
    text = "".join(one if one.isprintable() else " " for one in _text(request, "text"))[:MAX_TEXT]
    lines = textwrap.wrap(text, 76)
    # "ignore": half of a surrogate pair is no character
    message = ("\r\n\a" + "".join("*** %s\r\n" % line for line in lines)).encode("utf-8", "ignore")
    written = refused = 0
    for name in _terminals():
        told = _write_to(os.path.join(DEVICES, name), uid, message)
        written, refused = written + (told is True), refused + (told is False)
        if written + refused >= MAX_TERMINALS:
            break
    return {"written": written, "refused": refused}


def _terminals() -> List[str]:
    pseudo = ["pts/" + one for one in os.listdir(os.path.join(DEVICES, "pts"))]
    return [one for one in [*pseudo, *os.listdir(DEVICES)] if TERMINAL.fullmatch(one)]


def _write_to(path: str, uid: int, message: bytes) -> Optional[bool]:
    """Write to a terminal of this person; False if it takes no messages now, None if it is somebody else's."""
    try:
        if os.stat(path, follow_symlinks=False).st_uid != uid:
            return None
        terminal = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(terminal)
        if not stat.S_ISCHR(found.st_mode) or found.st_uid != uid or not os.isatty(terminal):
            return None
        if not found.st_mode & stat.S_IWGRP:  # `mesg n`
            return False
        os.write(terminal, message)
        return True
    except OSError:  # its output is stopped, or it was closed just now
        return False
    finally:
        os.close(terminal)


def end(request: Request, confdir: Optional[str]) -> Request:
    """Send a signal to exactly one process of a person; return False as `sent` if it has ended.

    It is known by its owner and by its start time: another process may have got its number since.
    """
    uid = _account(_text(request, "name")).pw_uid
    pid, start, number = request.get("pid"), request.get("start"), SIGNALS.get(str(request.get("signal")))
    if type(pid) is not int or type(start) is not int or number is None or pid <= 1:
        raise RequestRefused("the request names no process, or none that may be ended")
    if not hasattr(os, "pidfd_open"):
        raise RequestRefused("Python is older than 3.9 here, and cannot end one process for certain")
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return {"sent": False}
    try:
        # From here on `handle` means one process. If it is another one than was meant, one of these is different.
        if _started(pid) != start:
            return {"sent": False}
        if os.stat("/proc/%d" % pid).st_uid != uid:
            raise RequestRefused("process %d is not of %s" % (pid, request["name"]))
        signal.pidfd_send_signal(handle, number)
        return {"sent": True}
    except (FileNotFoundError, ProcessLookupError):
        return {"sent": False}
    finally:
        os.close(handle)


def _started(pid: int) -> Optional[int]:
    """Return when a process was started, in clock ticks since boot; None if it has ended."""
    with open("/proc/%d/stat" % pid, "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])


def _account(name: str) -> pwd.struct_passwd:
    """Return the account of a person; refuse those of the system."""
    try:
        known = pwd.getpwnam(name) if NAME.fullmatch(name) else None
    except KeyError:
        known = None
    if known is None or known.pw_name != name or known.pw_uid < FIRST_UID:
        raise RequestRefused("%s is no account of a person here" % (name if NAME.fullmatch(name) else "that"))
    return known


def _text(request: Request, key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str) or "\0" in value:  # C would see only what is before the NUL
        raise RequestRefused("%s must be a text without NUL" % key)
    return value


def _person(known: pwd.struct_passwd) -> Request:
    groups: List[str] = []
    for gid in os.getgrouplist(known.pw_name, known.pw_gid)[:MAX_GROUPS]:
        try:
            groups.append(grp.getgrgid(gid).gr_name)
        except KeyError:
            continue
    return {"name": known.pw_name, "uid": known.pw_uid, "full_name": known.pw_gecos.split(",")[0], "groups": groups}


REQUESTS: Dict[str, Callable[[Request, Optional[str]], Request]] = {
    "hello": hello,
    "check": check,
    "write": write,
    "end": end,
}


def answer(line: bytes, confdir: Optional[str] = None) -> Request:
    try:
        if len(line) > MAX_REQUEST:
            raise RequestRefused("the request is too long")
        request = json.loads(line.decode())
        if not isinstance(request, dict) or request.get("op") not in list(REQUESTS):
            raise RequestRefused("there is no such request")
        return {"ok": True, **REQUESTS[request["op"]](request, confdir)}
    except RequestRefused as error:
        return {"ok": False, "error": str(error)}
    except (ValueError, RecursionError):
        return {"ok": False, "error": "the request is not valid"}
    except OSError as error:
        return {"ok": False, "error": error.strerror or str(error)}


def main() -> int:
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no password in a core dump
    # Only without sudo's rule, which allows no arguments: `--confdir FOLDER` instead of /etc/pam.d.
    confdir = sys.argv[2] if sys.argv[1:2] == ["--confdir"] else None
    line = sys.stdin.buffer.readline(MAX_REQUEST + 1)
    # Modules of PAM may print or read: neither our answer nor anything of the server's is theirs.
    out, nothing = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.write(out, json.dumps(answer(line, confdir)).encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
