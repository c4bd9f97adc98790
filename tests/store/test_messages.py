"""The log keeps what was said, as it was said, in the order in which it was said."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.messages import Message, MessageState, Role, SessionInfo, ToolCall, TurnFigures
from lingque_tui.store import NewMessage, Store, messages, sessions
from lingque_tui.store.migrations import migrate
from tests.store.conftest import Clock, numbered


@pytest.fixture
def session(store: Store) -> SessionInfo:
    return store.create_session("talk").result()


def texts(found: tuple[Message, ...]) -> list[str]:
    return [message.text for message in found]


def test_a_message_comes_back_as_it_was_appended(store: Store, session: SessionInfo) -> None:
    calls = (ToolCall("c1", "weather", '{"city": "北京"}'), ToolCall("c2", "time", ""))
    said = store.append(
        session.id, Role.ASSISTANT, "看看", reasoning="hm", model="a/b", tool_calls=calls, created_at=5.5, id="mine"
    ).result()
    answer = store.append(session.id, Role.TOOL, "晴", tool_call_id="c1").result()
    assert said.tool_calls == calls
    assert (said.id, said.created_at, answer.tool_call_id) == ("mine", 5.5, "c1")
    assert store.messages(session.id).result() == (said, answer)
    assert store.message("mine").result() == said
    assert store.message("nobody").result() is None


def test_order_is_that_of_saying_whatever_the_clock_does(store: Store, session: SessionInfo, clock: Clock) -> None:
    clock.step = -60
    said = [store.append(session.id, Role.USER, str(number)).result() for number in range(5)]
    assert said[0].created_at > said[-1].created_at
    assert texts(store.messages(session.id).result()) == ["0", "1", "2", "3", "4"]
    assert [store.ordinal(session.id, message.seq).result() for message in said] == [1, 2, 3, 4, 5]


def test_ten_thousand_messages_go_in_at_once_and_fast(store: Store, session: SessionInfo) -> None:
    other = store.create_session().result()
    store.append(other.id, Role.USER, "elsewhere").result()
    fresh = [NewMessage(Role.USER, f"number {number}") for number in range(10_000)]
    start = time.monotonic()
    added = store.append_many(session.id, fresh).result()
    assert time.monotonic() - start < 2
    assert len({message.id for message in added}) == store.count(session.id).result() == 10_000
    assert store.messages(session.id, limit=10_000).result() == added
    assert store.ordinal(session.id, added[-1].seq).result() == 10_000
    assert store.count(other.id).result() == 1


def test_of_many_messages_all_go_in_or_none(store: Store, session: SessionInfo) -> None:
    store.append(session.id, Role.USER, "first", id="taken").result()
    with pytest.raises(StoreError):
        store.append_many(session.id, [NewMessage(Role.USER, "a"), NewMessage(Role.USER, "b", id="taken")]).result()
    assert texts(store.messages(session.id).result()) == ["first"]
    assert store.count(session.id).result() == 1
    assert store.append_many(session.id, []).result() == ()


def test_a_reply_grows_by_checkpoints_and_is_never_rewritten_after_its_end(store: Store, session: SessionInfo) -> None:
    reply = store.append(session.id, Role.ASSISTANT, "", state=MessageState.STREAMING).result()
    store.checkpoint(reply.id, "half", "thought").result()
    growing = store.message(reply.id).result()
    assert growing is not None
    assert (growing.text, growing.reasoning, growing.state) == ("half", "thought", MessageState.STREAMING)

    figures = TurnFigures(prompt_tokens=7, completion_tokens=2, duration_s=0.5, cost=0.001, currency="CNY")
    ended = store.finish(reply.id, text="whole", reasoning="t", state=MessageState.COMPLETE, figures=figures).result()
    assert (ended.text, ended.state, ended.figures) == ("whole", MessageState.COMPLETE, figures)

    store.checkpoint(reply.id, "late", "").result()
    again = store.finish(reply.id, text="x", reasoning="", state=MessageState.INTERRUPTED, figures=None).result()
    assert again == ended == store.message(reply.id).result()
    assert again.figures == figures


def test_words_that_grow_count_as_talk_in_their_session(store: Store, session: SessionInfo) -> None:
    reply = store.append(session.id, Role.ASSISTANT, "", state=MessageState.STREAMING).result()
    store.create_session("newer").result()
    store.checkpoint(reply.id, "half", "").result()
    last = store.last_session().result()
    assert last is not None
    assert last.id == session.id
    assert last.updated_at > reply.created_at


def test_ending_a_reply_that_is_not_there_is_an_error(store: Store) -> None:
    with pytest.raises(StoreError, match="nobody"):
        store.finish("nobody", text="", reasoning="", state=MessageState.COMPLETE, figures=None).result()


def test_recovery_marks_what_streamed_in_this_session_only(store: Store, session: SessionInfo) -> None:
    other = store.create_session().result()
    cut = store.append(session.id, Role.ASSISTANT, "half", state=MessageState.STREAMING).result()
    theirs = store.append(other.id, Role.ASSISTANT, "half", state=MessageState.STREAMING).result()
    assert store.recover(session.id).result() == 1
    assert store.recover(session.id).result() == 0
    states = {message.state for message in store.messages(session.id).result()}
    assert states == {MessageState.INTERRUPTED}
    assert store.message(theirs.id).result() == theirs
    kept = store.message(cut.id).result()
    assert kept is not None
    assert kept.text == "half"


def test_prompts_are_the_persons_words_newest_first_and_each_once(store: Store, session: SessionInfo) -> None:
    other = store.create_session().result()
    for text in ("one", "two", "one"):
        store.append(session.id, Role.USER, text).result()
    store.append(session.id, Role.ASSISTANT, "reply").result()
    store.append(other.id, Role.USER, "three").result()
    assert store.prompts().result() == ("three", "one", "two")
    assert store.prompts(limit=2).result() == ("three", "one")


def test_text_that_cannot_be_encoded_is_refused_and_the_writer_goes_on(store: Store, session: SessionInfo) -> None:
    with pytest.raises(StoreError):
        store.append(session.id, Role.USER, "lone \ud800").result()
    assert store.append(session.id, Role.USER, "fine").result().text == "fine"
    assert store.count(session.id).result() == 1


@contextmanager
def log(interleaving: list[bool]) -> Iterator[tuple[apsw.Connection, list[int]]]:
    """A log in memory whose sessions `s` and `other` took turns; and the seqs of `s`."""
    db = apsw.Connection(":memory:")
    migrate(db, 0)
    new_id = numbered("m")
    for name in ("s", "other"):
        sessions.create(db, name, "", "", 0)
    seqs = []
    for is_ours in interleaving:
        (said,) = messages.append(db, "s" if is_ours else "other", [NewMessage(Role.USER, "x")], 0, new_id)
        seqs += [said.seq] if is_ours else []
    yield db, seqs
    db.close()


@settings(deadline=None)
@given(st.lists(st.booleans(), max_size=40), st.integers(1, 9))
def test_paging_either_way_gives_exactly_the_log_once_and_in_order(interleaving: list[bool], size: int) -> None:
    with log(interleaving) as (db, seqs):
        backwards: list[int] = []
        while page := messages.page(db, "s", backwards[0] if backwards else None, None, size):
            assert len(page) <= size
            backwards = [message.seq for message in page] + backwards
        forwards: list[int] = []
        while page := messages.page(db, "s", None, forwards[-1] if forwards else 0, size):
            assert len(page) <= size
            forwards += [message.seq for message in page]
        assert backwards == forwards == seqs
        assert messages.count(db, "s") == len(seqs)
        newest = messages.page(db, "s", None, None, size)
        assert [message.seq for message in newest] == seqs[-size:]


@settings(deadline=None)
@given(st.text(), st.text(), st.lists(st.builds(ToolCall, st.text(), st.text(), st.text()), max_size=3))
def test_any_text_survives(text: str, reasoning: str, calls: list[ToolCall]) -> None:
    with log([]) as (db, _):
        fresh = NewMessage(Role.ASSISTANT, text, reasoning=reasoning, tool_calls=tuple(calls))
        (said,) = messages.append(db, "s", [fresh], 0, lambda: "m")
        assert messages.get(db, "m") == said
        assert (said.text, said.reasoning, said.tool_calls) == (text, reasoning, tuple(calls))
