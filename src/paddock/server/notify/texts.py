"""The words of notices: short, plain, and safe to put into a mail or a chat. Pure."""

import unicodedata
from collections.abc import Sequence
from datetime import datetime

from paddock.models import Expected, Job
from paddock.models.units import words

LONGEST_TITLE = 150
LONGEST_TEXT = 600
LONGEST_NAME = 60
IN_DIGEST = 20
_STATES = (("finished", "finished"), ("error", "in error"), ("stopped", "stopped"), ("pruned", "pruned"))


def one_line(text: str, longest: int) -> str:
    """Return a text in one line without control characters, and not longer than this.

    Names, reasons and metrics are of users: a line end would be another header of a mail, and characters that turn
    the direction of text would show something else.
    """
    plain = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text)
    short = " ".join(plain.split())
    return short if len(short) <= longest else short[: longest - 1].rstrip() + "…"


def ended(job: Job, others: int = 0, rest: Expected | None = None) -> tuple[str, str]:
    """Return title and text about a job that has ended. `rest`: when the `others` of its owner will be done."""
    name, errors = _name(job.name), job.counts.error
    if not errors:
        title = f"{name} has ended"
    elif errors == job.counts.total:
        title = f"{name} has failed"
    else:
        title = f"{name} has ended, {errors:,} of {job.counts.total:,} tasks in error"
    whose = f"Your other {others} jobs" if others > 1 else "Your other job"
    return title, _sentences(_counts(job), _best(job), _why(job), _took(job), _done(whose, rest))


def failing(job: Job) -> tuple[str, str]:
    """Return title and text about a job of which tasks are in error, while it goes on."""
    title = f"{_name(job.name)}: {job.counts.error:,} of {job.counts.total:,} tasks in error"
    return title, _sentences(_why(job), _counts(job), _best(job), _done("The rest", job.expected_end))


def attention(name: str, why: str) -> tuple[str, str]:
    """Return title and text about a job that needs somebody."""
    return f"{_name(name)} needs attention", one_line(why, LONGEST_TEXT)


def idle(names: Sequence[str], seconds: float) -> tuple[str, str]:
    """Return title and text about a reservation that is not used now."""
    title = f"Your reservation of {_several(names)} is idle"
    text = f"Nothing has run there for {words(round(seconds / 60) * 60)}. If you are done, release the rest of its time"
    return title, _sentences(text)


def unused(names: Sequence[str], minutes: float) -> tuple[str, str]:
    """Return title and text about a reservation that was never used and will be released."""
    title = f"Your reservation of {_several(names)} is not used"
    text = f"Nothing has run there since it began. It will be released in {round(minutes)} minutes if nothing does"
    return title, _sentences(text)


def released_unused(names: Sequence[str]) -> tuple[str, str]:
    """Return title and text about a reservation that was released, as it was never used."""
    return f"Your reservation of {_several(names)} was released", _sentences("Nothing had run there since it began")


def reclaimed(seconds: float) -> str:
    """Return why work makes way whose GPUs are idle."""
    return f"its GPUs were idle for {words(round(seconds / 60) * 60)}, and others wait for GPUs"


def _several(names: Sequence[str]) -> str:
    return one_line(", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else ""), LONGEST_NAME)


def of_reservation(what: str, title: str, since: datetime, until: datetime, why: str = "") -> tuple[str, str]:
    """Return title and text about a reservation; `what` has happened. Mails have no reader's time zone: UTC."""
    named = f" ({one_line(title, LONGEST_NAME)})" if title.strip() else ""
    when = f"From {_moment(since)} until {_moment(until)}{named}"
    return one_line(what, LONGEST_TITLE), _sentences(when, one_line(why, LONGEST_TEXT).rstrip(". "))


def _done(what: str, when: Expected | None) -> str:
    if when is None:
        return ""
    if when.unsure:
        return f"{what} should be done about {_moment(when.likely)}, but that is unsure"
    same_day = when.early.date() == when.late.date()
    last = f"{when.late:%H:%M} UTC" if same_day else _moment(when.late)
    return f"{what} should be done between {_moment(when.early).removesuffix(' UTC')} and {last}"


def _moment(at: datetime) -> str:
    return f"{at:%a %Y-%m-%d %H:%M} UTC"


def not_enforced(title: str, node: str, why: str) -> tuple[str, str]:
    """Return title and text about a reservation that the scheduler of a cluster does not enforce."""
    name = _name(title) if title else f"Your reservation of {one_line(node, LONGEST_NAME)}"
    return f"{name}: others are not kept away", one_line(f"The scheduler refused it: {why}", LONGEST_TEXT)


def unsent(count: int, where: str, problem: str) -> tuple[str, str]:
    """Return title and text about notices that could not be sent for a day."""
    what = "A notice" if count == 1 else f"{count:,} notices"
    title = f"{what} could not be sent to {one_line(where, LONGEST_NAME)}"
    return title, one_line(f"It was tried for a day: {problem}", LONGEST_TEXT)


def message(title: str, text: str, link: str) -> tuple[str, str]:
    """Return subject and body of a message about one notice."""
    return f"Paddock: {title}", "\n\n".join(filter(None, (text, link))) or title


def digest(several: Sequence[tuple[str, str, str]]) -> tuple[str, str]:
    """Return subject and body of one message about several notices, each with title, text and link."""
    lines = ["\n".join(filter(None, (f"{title}. {text}".strip(), link))) for title, text, link in several[-IN_DIGEST:]]
    if len(several) > IN_DIGEST:
        lines.insert(0, f"The last {IN_DIGEST} of {len(several):,}:")
    return f"Paddock: {len(several):,} notices", "\n\n".join(lines)


def _name(name: str) -> str:
    return one_line(name, LONGEST_NAME) or "A job"


def _sentences(*parts: str) -> str:
    return one_line(" ".join(f"{part}." for part in parts if part), LONGEST_TEXT)


def _counts(job: Job) -> str:
    found = [(getattr(job.counts, name), word) for name, word in _STATES]
    shown = [f"{count:,} {word}" for count, word in found if count]
    if job.counts.unended:
        shown.append(f"{job.counts.unended:,} to go")
    if job.counts.total == 1 and not job.counts.unended:
        return ""
    return f"{job.counts.total:,} tasks: {', '.join(shown)}"


def _best(job: Job) -> str:
    if job.best_value is None or not job.objective.metric:
        return ""
    spread = "" if job.best_spread is None else f" ± {job.best_spread:.2g}"
    task = f" ({job.best_task})" if job.best_task and job.counts.total > 1 else ""
    return f"Best {job.objective.metric}: {job.best_value:.5g}{spread}{task}"


def _why(job: Job) -> str:
    return f"Why: {job.failure.reason}".rstrip(". ") if job.failure else ""


def _took(job: Job) -> str:
    if job.ended_at is None:
        return ""
    seconds = (job.ended_at - job.created_at).total_seconds()
    return f"After {words(seconds if seconds < 3600 else round(seconds / 60) * 60)}" if seconds > 0 else ""
