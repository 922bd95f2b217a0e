"""Run a command and print the seconds of a processor by program, as the kernel accounts for it (root; Linux).

$ python -m benchmarks.processes bash .ci/run

Every process of the machine that ends meanwhile counts: let nothing else run.
"""

import ctypes
import os
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SHOWN = 20
# struct acct_v3: of it only the times in user and system mode, and the name.
RECORD = struct.Struct("<32x2H12x16s")
TICKS = 100


def _seconds(coded: int) -> float:
    """Thirteen bits of a number, and how often it is to be multiplied by eight."""
    return ((coded & 0x1FFF) << (3 * (coded >> 13))) / TICKS


def main(command: list[str]) -> int:
    if not command:
        sys.exit("What is to be measured? python -m benchmarks.processes COMMAND [ARGUMENT ...]")
    libc = ctypes.CDLL(None, use_errno=True)
    used: Counter[str] = Counter()
    count: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "accounting"
        file.touch()
        if libc.acct(os.fsencode(file)) != 0:
            sys.exit(f"The kernel's accounting cannot be switched on: {os.strerror(ctypes.get_errno())}. Are you root?")
        try:
            code = subprocess.run(command, check=False).returncode
        finally:
            libc.acct(None)
        for user, system, name in RECORD.iter_unpack(file.read_bytes()):
            program = name.split(b"\0")[0].decode(errors="replace")
            used[program] += round(1000 * (_seconds(user) + _seconds(system)))
            count[program] += 1
    print(f"\n{used.total() / 1000:.0f} s of a processor in {count.total()} processes")
    for program, spent in used.most_common(SHOWN):
        print(f"{program:16} {spent / 1000:8.1f} s {count[program]:7} processes")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
