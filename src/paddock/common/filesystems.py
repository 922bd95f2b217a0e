"""The kind of file system that a path is on: on network file systems, locks and shared memory are not reliable."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

MOUNTS = Path("/proc/self/mounts")
_NETWORK = {
    *("nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "lustre", "beegfs", "gpfs", "mmfs", "panfs"),
    *("ceph", "glusterfs", "afs", "coda", "ncpfs", "9p", "virtiofs", "pvfs2", "orangefs", "wekafs", "vastfs", "dvs"),
}


def is_network(kind: str | None) -> bool:
    """Return True for a network file system, and for all in user space (`fuse.sshfs`), as any may be behind those."""
    return kind is not None and (kind in _NETWORK or kind.startswith("fuse.") or kind == "fuse")


def kind_of(path: Path, mounts: Path = MOUNTS) -> str | None:
    """Return the type of the file system that a path is on, or will be once it exists; None if it is not known."""
    best: tuple[int, str] | None = None
    real = path.resolve()
    for point, kind in _mounts(mounts):
        if real.is_relative_to(point) and (best is None or len(point) >= best[0]):
            best = (len(point), kind)
    return best[1] if best else None


def on_network(path: Path, mounts: Path = MOUNTS) -> bool:
    return is_network(kind_of(path, mounts))


def _mounts(mounts: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = mounts.read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        parts = line.split()
        if len(parts) > 2:
            yield parts[1].replace("\\040", " "), parts[2]
