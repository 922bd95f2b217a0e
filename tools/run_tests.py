"""Run pytest; if a few tests fail beside all the others, run these once more, alone.

Thousands of tests run side by side on a small machine, with real schedulers, browsers and databases. One that fails
there may have found a race of the product or be itself in a hurry: both are printed, as UNSTABLE, and are to be mended.
But they are no reason to take all the rest for broken. A test that fails alone as well fails the run.
"""

import subprocess
import sys

import pytest

FEW = 5  # more than this many failures are not bad luck


class Failures:
    """Collects the ids of tests that failed, from all workers."""

    def __init__(self) -> None:
        self.ids: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.ids[report.nodeid] = None


def main(arguments: list[str]) -> int:
    failures = Failures()
    code = int(pytest.main(arguments, plugins=[failures]))
    failed = list(failures.ids)
    if code != pytest.ExitCode.TESTS_FAILED or not 0 < len(failed) <= FEW:
        return code
    print(f"\n== {len(failed)} failed beside all others: once more, alone", flush=True)
    code = subprocess.run([sys.executable, "-m", "pytest", "-v", *failed], check=False).returncode
    if code == 0:
        print("".join(f"UNSTABLE {one}: failed beside others, passed alone; see above why\n" for one in failed), end="")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
