"""`make demo`: the server, a sample sweep in it, the best configuration, the page's address.

On a terminal it serves until Ctrl-C. Without one it ends after the sweep: 0 when every task finished, else 1.
"""

import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path

from paddock import Client
from paddock.errors import PaddockError
from paddock.paths import Home

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "examples" / "sweep.yaml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=54322)
    parser.add_argument("--home", type=Path, default=ROOT / ".demo")
    arguments = parser.parse_args()
    home = Home(arguments.home.absolute())
    paddock = [sys.executable, "-m", "paddock", "--home", str(home.root)]
    server = subprocess.Popen([*paddock, "up", "--port", str(arguments.port)], process_group=0)
    try:
        url = _address(home, server)
        if url is None:
            return 1
        print(
            f"\nSubmitting the sample sweep {SAMPLE.relative_to(ROOT)}: 8 configurations of a small network\n",
            flush=True,
        )
        sweep = [*paddock, "submit", str(SAMPLE), "--python", sys.executable, "--follow"]
        code = subprocess.run(sweep, check=False).returncode
        _conclude(home, paddock, url)
        if sys.stdin.isatty() and sys.stdout.isatty():
            print("The server goes on. Press Ctrl-C to end it.", flush=True)
            server.wait()
        return code
    except KeyboardInterrupt:
        return 0
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
            server.wait()


def _address(home: Home, server: subprocess.Popen[bytes]) -> str | None:
    """The server's address, once it answers; None when it has ended (it has said why)."""
    while server.poll() is None:
        try:
            client = Client(home=home.root)
            client.version()
            return str(client.url)
        except PaddockError:
            time.sleep(0.1)
    return None


def _conclude(home: Home, paddock: list[str], url: str) -> None:
    latest = Client(home=home.root).jobs(limit=1).items[0]
    print("\nThe best configurations:", flush=True)
    subprocess.run([*paddock, "best", latest.id], check=False)
    shown = " ".join(["paddock", "--home", str(home.root)])
    print(f"\nThe page: {url}/?token={home.read_token()}")
    print(f"Look around: {shown} show {latest.id}   {shown} logs {latest.id}-1   {shown} --help\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
