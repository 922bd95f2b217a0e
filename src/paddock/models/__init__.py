"""Every type that crosses a boundary: REST, the job folder, the command line, the database's columns.

They are imported when the first of them is used: that takes 0.3 s, and the quick commands do without.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paddock.models.every import *


def __getattr__(name: str) -> Any:
    if not name[0].isupper():  # a module of this package, which Python imports itself
        raise AttributeError(name)
    from paddock.models import every

    globals()[name] = found = getattr(every, name)
    return found
