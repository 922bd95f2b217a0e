"""What is true of every deal: nothing twice, no more than fits, nobody idle while another has too much."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from paddock.rules.dealing import DealableAttempt, Deals, Hand, deal

NODES = ("gpu1", "gpu2", "gpu3")


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Hand], list[DealableAttempt]]:
    numbers = iter(range(1, 10_000))

    def attempts(most: int, node: str | None = None) -> list[DealableAttempt]:
        pins = st.sampled_from([None, None, node]) if node else st.sampled_from([None, None, *NODES])
        return [DealableAttempt(next(numbers), draw(pins)) for _ in range(draw(st.integers(0, most)))]

    hands = []
    for number in range(draw(st.integers(0, 6))):
        node, seats = draw(st.sampled_from(NODES)), draw(st.integers(1, 4))
        ahead = draw(st.sampled_from([1, 1, 12]))
        running = draw(st.integers(0, seats))
        waiting = tuple(attempts(seats + ahead - running, node))
        hands.append(
            Hand(f"a{number}.0", node, seats, running, waiting, ahead, draw(st.booleans()) or draw(st.booleans()))
        )
    return hands, attempts(20)


def carried_out(
    hands: list[Hand], waiting: list[DealableAttempt], deals: Deals
) -> tuple[list[Hand], list[DealableAttempt]]:
    """Return what there is when everything was given, and everything taken back has arrived."""
    known = {one.id: one for one in [*waiting, *(one for hand in hands for one in hand.waiting)]}
    after = []
    for hand in hands:
        kept = [one for one in hand.waiting if one.id not in deals.taken]
        after.append(replace(hand, waiting=(*kept, *(known[i] for i, key in deals.given.items() if key == hand.key))))
    back = [replace(known[i], not_to=known[i].not_to | {key}) for i, key in deals.taken.items()]
    return after, [one for one in waiting if one.id not in deals.given] + back


@given(tables())
def test_every_deal(table: tuple[list[Hand], list[DealableAttempt]]) -> None:
    hands, waiting = table
    by_key = {one.key: one for one in hands}
    pins = {one.id: one.node for one in waiting}
    deals = deal(hands, waiting)

    assert deals.given.keys() <= pins.keys()
    for attempt, key in deals.given.items():
        assert by_key[key].open
        assert pins[attempt] in (None, by_key[key].node)
    for attempt, key in deals.taken.items():
        assert attempt in {one.id for one in by_key[key].waiting}
    load = Counter(deals.given.values())
    for hand in hands:
        assert not load[hand.key] or hand.load + load[hand.key] <= hand.seats + hand.ahead

    # Nobody has room while something waits that may go there.
    after, left = carried_out(hands, waiting, replace_taken(deals))
    for hand in after:
        if hand.open and hand.load < hand.seats + hand.ahead:
            assert not [one for one in left if one.node in (None, hand.node)]
    # Even: no one gets something ahead while another that could have it has a free seat.
    free = [hand for hand in after if hand.open and hand.load < hand.seats]
    for hand in after:
        mine = [one for one in hand.waiting if deals.given.get(one.id) == hand.key and one.node is None]
        assert not (mine and free and hand.load > hand.seats)
    # Taken back only from where it would wait, and only for somebody idle.
    idle = sum(hand.seats - hand.load for hand in free)
    for hand in after:
        gone = sum(key == hand.key for key in deals.taken.values())
        assert not hand.open or hand.load - gone >= min(hand.load, hand.seats)
    assert sum(by_key[key].open for key in deals.taken.values()) <= idle


def replace_taken(deals: Deals) -> Deals:
    return Deals(deals.given, {})


@given(tables())
def test_it_comes_to_rest(table: tuple[list[Hand], list[DealableAttempt]]) -> None:
    hands, waiting = table
    everything = sorted(one.id for one in [*waiting, *(one for hand in hands for one in hand.waiting)])
    for _ in range(4):
        deals = deal(hands, waiting)
        if not deals.given and not deals.taken:
            break
        hands, waiting = carried_out(hands, waiting, deals)
        assert sorted(one.id for one in [*waiting, *(x for hand in hands for x in hand.waiting)]) == everything
    assert deal(hands, waiting) == Deals()
    # Whoever has a free seat would not get one from any other.
    for idle in hands:
        for other in hands:
            if idle.open and idle.load < idle.seats and other.open and other.load > other.seats:
                usable = [one for one in other.waiting if one.node in (None, idle.node) and idle.key not in one.not_to]
                assert not usable


@given(tables())
def test_what_is_being_taken_back_is_not_asked_for_twice(table: tuple[list[Hand], list[DealableAttempt]]) -> None:
    hands, waiting = table
    deals = deal(hands, waiting)
    known = {one.id: one for hand in hands for one in hand.waiting}
    coming = [replace(known[i], not_to=frozenset([key])) for i, key in deals.taken.items()]
    after, left = carried_out(hands, waiting, deals)
    left = [one for one in left if one.id not in deals.taken]
    again = deal(after, left, coming)
    assert not again.taken
    # What waits for one node may now go ahead to where something was taken from, and nowhere else.
    assert set(again.given.values()) <= set(deals.taken.values())


def test_nothing_is_asked_of_a_node_that_does_not_answer() -> None:
    ahead = tuple(DealableAttempt(number) for number in (1, 2))
    silent = Hand("a1.0", "gpu1", 1, 1, ahead[:1], answers=False)
    closed = Hand("a2.0", "gpu2", 1, 1, ahead[1:], answers=False, open=False)
    assert deal([silent, closed, Hand("a3.0", "gpu3", 1)], []) == Deals()
    assert deal([silent], [DealableAttempt(3)]) == Deals()
    assert deal([replace(silent, answers=True), Hand("a3.0", "gpu3", 1)], []).taken == {1: "a1.0"}


def test_an_attempt_never_goes_back_to_where_it_was_taken_from() -> None:
    one = DealableAttempt(1, not_to=frozenset(["a1.0"]))
    assert deal([Hand("a1.0", "gpu1", 1)], [one]) == Deals()
    assert deal([Hand("a1.0", "gpu1", 1), Hand("a1.1", "gpu1", 1)], [one]).given == {1: "a1.1"}
