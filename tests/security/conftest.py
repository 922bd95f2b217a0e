"""What several files of these tests are given."""

from tests.unit.conftest import rig

__all__ = ["rig"]
