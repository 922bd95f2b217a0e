"""Test what a person sees when the database is damaged."""

from tests.support.up import Cli


def test_a_damaged_database_is_told_in_one_sentence(alone: Cli) -> None:
    alone.home.mkdir(mode=0o700)
    (alone.home / "paddock.db").write_bytes(b"rubbish" * 2000)
    said = [line for line in alone("up", "--port", "0", code=5).err.splitlines() if line.startswith("error: ")]
    assert len(said) == 1
    assert f"error: The database {alone.home}/paddock.db is damaged (" in said[0]
    assert f"put the newest file of {alone.home}/backups in its place" in said[0]
    assert "is damaged" in alone.quick("doctor", code=1).out
