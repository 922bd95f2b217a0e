"""`paddock.report(...)`: report metrics to Paddock from inside a training script.

Standard library only, Python 3.8 or newer, and complete in this file: it is copied into jobs whose environment does not
have Paddock. Outside of a Paddock task it does nothing, so that the script still runs by hand.
"""

import json
import os
from typing import Any, Optional


def report(step: Optional[float] = None, **values: Any) -> None:
    """Report metrics: `report(epoch=3, val_loss=0.12)`.

    The step is `epoch=` or `step=`; without either, calls are counted. Values may be Python, NumPy, PyTorch or
    TensorFlow scalars; anything else raises TypeError.
    """
    path = os.environ.get("PADDOCK_REPORT")
    record = {name: _number(name, value) for name, value in values.items()}
    if step is not None:
        record["step"] = _number("step", step)
    if not path:
        return
    line = json.dumps(record) + "\n"
    # One write in append mode: several processes of one task may report.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"paddock.report: {name}={value!r} is not a number") from None
