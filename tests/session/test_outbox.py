"""However slowly somebody listens: every text arrives whole, every ending arrives, nothing overtakes."""

from __future__ import annotations

import asyncio
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.context import ContextBill
from lingque_tui.domain.events import ContextMeasured, Event, QueueChanged, ReplyEnded, ReplyGrew, TurnEnded
from lingque_tui.domain.messages import Message, Role
from lingque_tui.session.outbox import Outbox, Subscription

END = Message("m", 1, "s", Role.ASSISTANT, "all of it", 0.0)

events = st.one_of(
    st.builds(ReplyGrew, st.sampled_from("ab"), st.text(max_size=3), st.text(max_size=2)),
    st.builds(ContextMeasured, st.builds(ContextBill, recent=st.integers(0, 9))),
    st.builds(TurnEnded, st.sampled_from("xyz")),
    st.just(ReplyEnded(END)),
    st.just(QueueChanged(())),
)
script = st.lists(st.tuples(events, st.integers(0, 2)), max_size=40)
"""Each event, and how many the listener manages to read after it."""


def essence(heard: list[Event]) -> list[object]:
    """What must be the same however deltas were merged: what they say between two events that are none."""
    rows: list[object] = []
    for may_merge, run in groupby(heard, key=lambda event: isinstance(event, ReplyGrew | ContextMeasured)):
        same = list(run)
        rows += [_sum_of(same)] if may_merge else same
    return rows


def _sum_of(deltas: list[Event]) -> tuple[dict[str, tuple[str, str]], list[ContextMeasured]]:
    grown: dict[str, tuple[str, str]] = {}
    for event in deltas:
        if isinstance(event, ReplyGrew):
            text, reasoning = grown.get(event.message_id, ("", ""))
            grown[event.message_id] = (text + event.text, reasoning + event.reasoning)
    return grown, [event for event in deltas if isinstance(event, ContextMeasured)][-1:]


@given(script)
def test_a_slow_listener_gets_the_same_story(script: list[tuple[Event, int]]) -> None:
    async def play() -> list[Event]:
        outbox, heard = Outbox(), list[Event]()
        with outbox.subscribe() as subscription:
            for event, reads in script:
                outbox.emit(event)
                heard += [await anext(subscription) for _ in range(min(reads, len(subscription._pending)))]
            outbox.close()
            return heard + [event async for event in subscription]

    assert essence(asyncio.run(play())) == essence([event for event, _ in script])


async def test_deltas_of_a_listener_who_reads_nothing_become_one() -> None:
    outbox = Outbox()
    with outbox.subscribe() as subscription:
        for number in range(1000):
            outbox.emit(ReplyGrew("m", f"{number} "))
            outbox.emit(ReplyGrew("m", "", "thought"))
        outbox.emit(ReplyEnded(END))
        outbox.close()
        grown, ended = [event async for event in subscription]
    assert grown == ReplyGrew("m", "".join(f"{number} " for number in range(1000)), "thought" * 1000)
    assert ended == ReplyEnded(END)


async def test_two_listeners_both_hear_everything_and_one_may_go() -> None:
    outbox = Outbox()
    staying = outbox.subscribe()
    with outbox.subscribe() as leaving:
        outbox.emit(TurnEnded("1"))
    outbox.emit(TurnEnded("2"))
    outbox.close()
    assert [event async for event in staying] == [TurnEnded("1"), TurnEnded("2")]
    assert await anext(leaving) == TurnEnded("1")
    assert not leaving._pending


async def test_whoever_comes_after_the_end_is_told_so_at_once() -> None:
    outbox = Outbox()
    outbox.close()
    assert await _everything(outbox.subscribe()) == []


async def test_an_event_wakes_a_listener_that_waits() -> None:
    outbox = Outbox()
    waiting = asyncio.create_task(anext(outbox.subscribe()))
    await asyncio.sleep(0)
    assert not waiting.done()
    outbox.emit(TurnEnded("1"))
    async with asyncio.timeout(5):
        assert await waiting == TurnEnded("1")


async def _everything(subscription: Subscription) -> list[Event]:
    async with asyncio.timeout(5):
        return [event async for event in subscription]
