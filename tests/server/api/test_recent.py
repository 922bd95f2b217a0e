"""Test that large answers are kept for a while, and only a few of them."""

from paddock.server.api.recent import MOST, RecentAnswers


def test_an_answer_holds_for_a_while() -> None:
    now = 100.0
    made = RecentAnswers(lambda: now)
    asked: list[int] = []

    def ask(what: int) -> bytes:
        return made.get(what, 5.0, lambda: asked.append(what) or b"%d" % len(asked))  # type: ignore[func-returns-value]

    assert [ask(1), ask(1), ask(2)] == [b"1", b"1", b"2"]
    now = 105.0
    assert ask(1) == b"3"
    for other in range(10, 10 + MOST):
        ask(other)
    assert ask(1) == b"%d" % (3 + MOST + 1), "it was dropped for later ones"
