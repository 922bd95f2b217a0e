"""Tell a person something: in the transaction of what has happened, so that it is told exactly once.

What is sent outside the page is written here too, and sent later: see `outbox`.
"""

from typing import Any

from paddock.models import NoticeKind
from paddock.server.notify import addresses, texts
from paddock.server.store import notices, team
from paddock.server.store.db import Connection
from paddock.settings import Settings


def tell(
    c: Connection,
    settings: Settings,
    *kinds: NoticeKind,
    user: str,
    words: tuple[str, str],
    link: str,
    now: float,
    job: str | None = None,
) -> None:
    """Add a notice of the first of these kinds; who wants any of them outside the page gets it there.

    `user`: the owner of what it is about, and the only one who is told. Without accounts, that is the owner of the
    server. `words`: title and text, as `texts` makes them; `link`: a path of the page.
    """
    whom = user if team.is_on(c) else settings.owner
    only = notices.wanted(c, job) if job else None
    title, text = words
    about: dict[str, Any] = {"user": whom, "kind": kinds[0].value, "title": title, "text": text, "link": link}
    notices.add(c, now, list(addresses.wanted(c, settings, whom, kinds, only)), **about, job_id=job)


def tell_of_job(
    c: Connection, settings: Settings, *kinds: NoticeKind, job: str, owner: str, words: tuple[str, str], now: float
) -> None:
    """Tell the owner of a job something about it."""
    tell(c, settings, *kinds, user=owner, words=words, link=f"/jobs/{job}", now=now, job=job)


def needs_attention(c: Connection, settings: Settings, job: str, why: str, now: float) -> None:
    """Tell the owner of a job, in the transaction of what has just happened to it, that it needs somebody."""
    found = notices.owner_and_name(c, job)
    if found is not None:
        owner, name = found
        words = texts.attention(name, why)
        tell_of_job(c, settings, NoticeKind.ATTENTION, job=job, owner=owner, words=words, now=now)
