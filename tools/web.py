"""Build the page if it is out of date (`build`), and check its sources (`check`), with npm from the path or PyPI."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import hatch_build  # noqa: E402

WEB = ROOT / "web"
BUILT = ROOT / "src" / "paddock" / "web_dist" / "index.html"
CHECKS = ("lint", "types", "schema:check", "test", "size")


def main() -> int:
    if sys.argv[1:] not in (["build"], ["check"]):
        print("usage: web.py build|check", file=sys.stderr)
        return 2
    if hatch_build.stale(WEB, BUILT):
        hatch_build.build(WEB)
    if sys.argv[1] == "build":
        return 0
    npm, path = hatch_build.npm()
    # npm's schema script asks for the OpenAPI document of this Python's Paddock.
    environment = os.environ | {"PATH": path, "PYTHON": sys.executable}
    for name in CHECKS:
        print(f"== web: {name}", flush=True)
        code = subprocess.run([*npm, "run", "--silent", name], cwd=WEB, env=environment, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
