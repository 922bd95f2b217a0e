"""Work that is done as a person, through that person's agent: find and try interpreters, read what scripts wrote."""

import json
import secrets
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard

from paddock.agents.link import Link
from paddock.errors import AgentUnavailable
from paddock.program import environment
from paddock.program.commands import Command

MOST_ANSWER = 32 * 1024**2  # a person can answer anything, and it takes the server's memory
LOCATE_SECONDS = 20.0
ANSWERS = "incoming"  # the folder for answers, in the agent's


class Person(environment.Workbench):
    """The account of one person on one machine, as far as jobs need it."""

    def __init__(self, name: str, link: Link, python: str | None = None) -> None:
        """`python`: the interpreter of jobs that name none; None: as on the server's machine."""
        self.name = name
        self.link = link
        self._python = python

    def with_python(self, python: str) -> "Person":
        """Return the same with another interpreter for jobs that name none."""
        return Person(self.name, self.link, python)

    def locate(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        found = self.call("locate", {**asked, **({"default": self._python} if self._python else {})}, LOCATE_SECONDS)
        given = found if isinstance(found, dict) else {}
        fault, argv, env = given.get("fault"), given.get("argv"), given.get("env")
        if _texts(fault) and len(fault) == len(("field", "message", "beginning")):
            return {"fault": fault}
        if not _texts(argv) or not isinstance(env, dict) or not _texts([*env, *env.values()]):
            raise AgentUnavailable(f"The agent of {self.name} does not work: it looked for no interpreter.")
        return {"argv": argv, "env": env}

    def run(self, command: Command, seconds: float) -> tuple[int, str, str]:
        mark = secrets.token_hex(8)
        argv = environment.limited(self.link.hello().python, command, seconds)
        try:
            result = self.link.run(argv, env={**command.env, environment.MARK: mark}, seconds=seconds, most=65_536)
        finally:
            self.end_marked(environment.MARK, mark)
        if result.code is None:
            raise TimeoutError
        return result.code, result.out.decode(errors="replace"), result.err.decode(errors="replace")

    def end_marked(self, variable: str, mark: str) -> bool:
        """Kill all of the person's processes with this mark. Returns whether none is left."""
        for _ in range(20):
            left = self.link.find(variable, mark)
            if not left:
                return True
            for one in left:
                self.link.signal(one, signal.SIGKILL)
        return False

    def call(self, name: str, argument: Mapping[str, Any], seconds: float) -> Any:
        """Return what a function of `runner/answer.py` returns there. What it returns is not trusted."""
        about = self.link.hello()
        answer = f"{ANSWERS}/{secrets.token_hex(8)}.json"
        self.link.mkdir(ANSWERS)
        argv = [about.python, "-I", "-S", about.program, "--answer", name, f"{about.root}/{answer}"]
        try:
            result = self.link.run(argv, stdin=json.dumps(argument).encode(), seconds=seconds)
            if result.code is None:
                raise TimeoutError(f"{name} took longer than {seconds:g} s")
            if result.code:
                last = result.err.decode(errors="replace").strip().splitlines()[-1:]
                raise OSError(f"{name} failed as {self.name}: {''.join(last)[:300]}")
            return json.loads(self.link.read(answer, 0, MOST_ANSWER).data)
        except (ValueError, RecursionError):
            raise AgentUnavailable(f"The agent of {self.name} does not work: its answer is not JSON.") from None
        finally:
            with suppress(OSError, AgentUnavailable):
                self.link.remove(answer)


@dataclass(frozen=True)
class JobSite:
    """Where the folder of a new job will be."""

    user: str | None  # the Unix account that it runs as; None: the server's, or on hosts the one that ssh signs in as
    fleet: str | None = None  # the backend on whose hosts it has folders; None: it has one folder
    workbench: Person | None = None  # where its Python is looked for and tried; None: as the user of the server


def _texts(given: Any) -> TypeGuard[list[str]]:
    return isinstance(given, list) and all(isinstance(one, str) and "\0" not in one for one in given)
