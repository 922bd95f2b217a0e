"""Start a server, run the sample sweep in it, and print the best configurations: `make demo`.

On a terminal the server runs until Ctrl-C. Without a terminal it ends after the sweep; the exit code is 0 if every task
finished, else 1. Further arguments are given to `paddock submit`: `make demo DEMO_ARGS="-p epochs=5"`.
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
    arguments, more = parser.parse_known_args()
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
        sweep = [*paddock, "submit", str(SAMPLE), "--python", sys.executable, "--follow", *more]
        code = subprocess.run(sweep, check=False).returncode
        stays = sys.stdin.isatty() and sys.stdout.isatty()
        _conclude(home, paddock, url if stays else None)
        if stays:
            server.wait()
        return code
    except KeyboardInterrupt:
        return 0
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
            server.wait()


def _address(home: Home, server: subprocess.Popen[bytes]) -> str | None:
    """Return the server's address once it answers, or None if the server has ended (it has printed why)."""
    while server.poll() is None:
        try:
            client = Client(home=home.root)
            client.version()
            return str(client.url)
        except PaddockError:
            time.sleep(0.1)
    return None


def _conclude(home: Home, paddock: list[str], url: str | None) -> None:
    """Print the best configurations and, if the server stays at `url`, where to look next."""
    latest = next(iter(Client(home=home.root).jobs(limit=1).items), None)
    if latest is None:
        return  # it was not submitted, and why was printed
    print("\nThe best configurations:", flush=True)
    subprocess.run([*paddock, "best", latest.id], check=False)
    if url is None:
        print("\nThere is no terminal: the server ends now. `make demo` in a terminal keeps it running.", flush=True)
        return
    command = f"{Path(sys.executable).parent / 'paddock'} --home {home.root}"
    print(f"\nThe page:  {url}/?token={home.read_token()}")
    print(f"In a second terminal:\n  {command} show {latest.id}\n  {command} logs {latest.id}-1\n  {command} --help")
    print("The server runs until you press Ctrl-C.", flush=True)


if __name__ == "__main__":
    sys.exit(main())
