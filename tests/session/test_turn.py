"""However a turn ends, what had arrived is kept, the row says how it ended, and the ending is told once."""

from __future__ import annotations

import asyncio
import time

import pytest

from lingque_tui.domain.errors import (
    BadReply,
    LengthReached,
    LingqueError,
    RateLimited,
    ReplyCut,
    ServerFailed,
    StoreError,
    StoreUnwritable,
    Unauthorized,
)
from lingque_tui.domain.events import ReplyEnded, ReplyGrew, ReplyStarted, RetryScheduled, TurnEnded, TurnFailed
from lingque_tui.domain.messages import MessageState
from lingque_tui.domain.ports import FinishPiece, TextPiece, UsagePiece
from lingque_tui.providers.openai import OpenAIProvider
from lingque_tui.providers.scripted import ScriptedProvider
from lingque_tui.session import turn
from lingque_tui.session.session import Session
from lingque_tui.store import Store
from tests.session.players import Listener, Puppet, chat, config_with, eventually, log
from tests.support.chat_server import ChatServer, cut_mid_chunk, hang_after, reply, silence

SLOW_DOWN = RateLimited(provider="puppet", detail="slow down", retry_after=0)


async def streaming(session: Session, puppet: Puppet, *pieces: str) -> Listener:
    """A listener who has heard `pieces` of a reply that still streams."""
    listener = Listener(session)
    await session.submit("question")
    puppet.say(*pieces)
    await listener.until(ReplyStarted)
    while listener.text != "".join(pieces):
        await listener.until(ReplyGrew)
    return listener


# Stopping


async def test_stop_keeps_what_had_arrived(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = await streaming(session, puppet, "half ", "a sen")
        assert session.live_reply is not None and session.live_reply.text == "half a sen"
        assert session.stop()
        assert not session.stop(), "a second Esc must not cut off the writing of the ending"
        ended = await listener.until(ReplyEnded)
        await listener.turns()
        assert (ended.message.text, ended.message.state, ended.error) == ("half a sen", MessageState.INTERRUPTED, None)
        assert (await log(store, session))[-1] == ended.message
        assert puppet.closed_streams == 1
        assert not session.is_busy and session.live_reply is None and not session.stop()


async def test_stop_before_the_first_word_ends_the_turn_without_a_reply(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        await session.submit("question")
        await puppet.asked()
        assert session.stop()
        await listener.turns()
        assert not listener.all(ReplyStarted) and not listener.all(ReplyEnded) and not listener.all(TurnFailed)
        assert [message.text for message in await log(store, session)] == ["question"]


@pytest.mark.parametrize("steps", range(4))
async def test_stop_at_any_moment_leaves_nothing_half_done(store: Store, steps: int) -> None:
    """Esc after each number of events, and a few steps of the event loop later."""
    for events in range(12):
        provider = ScriptedProvider(["alpha beta gamma"], piece_size=4)
        async with chat(store, provider) as session:
            listener = Listener(session)
            item = await session.submit("question")
            for _ in range(events):
                if isinstance(await listener.until(object), TurnEnded):
                    return
            for _ in range(steps):
                await asyncio.sleep(0)
            session.stop()
            await listener.turns()
            assert session.waiting == () or (session.is_paused and session.waiting[0].id == item.id)
            assert len(listener.all(ReplyEnded)) == len(listener.all(ReplyStarted))
            assert not listener.all(TurnFailed)
            for message in await log(store, session):
                assert message.state is not MessageState.STREAMING
                assert message.text == "question" or "alpha beta gamma".startswith(message.text)
            for ended in listener.all(ReplyEnded):
                assert ended.message.text == listener.text


async def test_stop_during_the_wait_for_another_attempt_ends_it(store: Store, puppet: Puppet) -> None:
    puppet.give(RateLimited(provider="puppet", detail="slow down", retry_after=60))
    async with chat(store, puppet, config=config_with(retries=3)) as session:
        listener = Listener(session)
        await session.submit("question")
        await listener.until(RetryScheduled)
        assert session.stop()
        await listener.turns()
        assert len(puppet.requests) == 1 and not listener.all(TurnFailed)


async def test_closing_the_session_keeps_what_had_arrived_and_sends_nothing_more(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = await streaming(session, puppet, "so far")
        await session.submit("the next one")
    await listener.to_the_end()
    assert [ended.message.text for ended in listener.all(ReplyEnded)] == ["so far"]
    assert len(listener.all(TurnEnded)) == 1
    cut = (await log(store, session))[-1]
    assert (cut.text, cut.state) == ("so far", MessageState.INTERRUPTED)
    assert [item.text for item in await store.queued(session.id)] == ["the next one"]
    assert len(puppet.requests) == puppet.closed_streams == 1


# How a server ends it


async def test_a_cut_stream_is_kept_and_marked(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = await streaming(session, puppet, "cut o")
        puppet.hang_up()
        ended = await listener.until(ReplyEnded)
        assert isinstance(ended.error, ReplyCut) and ended.error.next_step
        assert (ended.message.text, ended.message.state) == ("cut o", MessageState.INTERRUPTED)
        assert (await log(store, session))[-1].state is MessageState.INTERRUPTED


async def test_an_error_in_the_middle_keeps_the_text_and_is_not_retried(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet, config=config_with(retries=3)) as session:
        listener = await streaming(session, puppet, "before the ")
        puppet.give(ServerFailed(provider="puppet", detail="boom"))
        ended = await listener.until(ReplyEnded)
        await listener.turns()
        assert isinstance(ended.error, ServerFailed)
        assert (ended.message.text, ended.message.state) == ("before the ", MessageState.INTERRUPTED)
        assert len(puppet.requests) == 1 and not listener.all(TurnFailed)


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
async def test_a_reply_that_reached_its_limit_says_so(store: Store, puppet: Puppet, reason: str) -> None:
    puppet.give(TextPiece("long"), FinishPiece(reason))
    puppet.hang_up()
    async with chat(store, puppet) as session:
        events = [event async for event in session.send("q")]
        ended = next(event for event in events if isinstance(event, ReplyEnded))
        assert ended.message.state is MessageState.COMPLETE and isinstance(ended.error, LengthReached)


async def test_an_empty_reply_is_a_failure_with_a_next_step(store: Store, puppet: Puppet) -> None:
    puppet.finish()
    async with chat(store, puppet) as session:
        events = [event async for event in session.send("q")]
        failed = next(event for event in events if isinstance(event, TurnFailed))
        assert isinstance(failed.error, BadReply) and "empty" in failed.error.what


async def test_figures_are_kept_with_the_reply(store: Store, puppet: Puppet) -> None:
    puppet.give(TextPiece("x"), UsagePiece(1000, 2000), FinishPiece("stop"))
    puppet.hang_up()
    async with chat(store, puppet, model="gpt-4o") as session:
        async for _ in session.send("q"):
            pass
        figures = (await log(store, session))[-1].figures
    assert figures is not None and (figures.prompt_tokens, figures.completion_tokens) == (1000, 2000)
    assert figures.first_token_s is not None and figures.duration_s is not None
    assert 0 <= figures.first_token_s <= figures.duration_s


# Failing before the first word


async def test_a_failure_before_the_first_word_says_what_to_do(store: Store, puppet: Puppet) -> None:
    puppet.give(Unauthorized(provider="puppet", variable="PUPPET_KEY"))
    async with chat(store, puppet, config=config_with(retries=3)) as session:
        events = [event async for event in session.send("q")]
        failed = next(event for event in events if isinstance(event, TurnFailed))
        assert isinstance(failed.error, Unauthorized) and "PUPPET_KEY" in failed.error.next_step
        assert isinstance(events[-1], TurnEnded) and len(puppet.requests) == 1
        assert [message.text for message in await log(store, session)] == ["q"]
        puppet.finish("now it works")
        listener = Listener(session)
        session.retry()
        assert (await listener.until(ReplyEnded)).message.text == "now it works"
        assert [message.text for message in await log(store, session)] == ["q", "now it works"]


async def test_what_may_work_again_is_sent_again(store: Store, puppet: Puppet) -> None:
    puppet.give(SLOW_DOWN, SLOW_DOWN)
    puppet.finish("at last")
    async with chat(store, puppet, config=config_with(retries=2)) as session:
        events = [event async for event in session.send("q")]
    assert [(e.attempt, e.delay_s) for e in events if isinstance(e, RetryScheduled)] == [(1, 0.0), (2, 0.0)]
    assert len(puppet.requests) == 3 and puppet.requests[0] == puppet.requests[2]
    assert not any(isinstance(event, TurnFailed) for event in events)


async def test_it_is_not_sent_again_for_ever(store: Store, puppet: Puppet) -> None:
    puppet.give(*[SLOW_DOWN] * 3)
    async with chat(store, puppet, config=config_with(retries=2)) as session:
        events = [event async for event in session.send("q")]
    assert len(puppet.requests) == 3
    assert [event.error for event in events if isinstance(event, TurnFailed)] == [SLOW_DOWN]


# Errors of our own


async def test_an_unexpected_error_becomes_an_event_that_gives_no_key_away(store: Store, puppet: Puppet) -> None:
    key = "sk-proj-abcdefghijklmnop1234"
    puppet.give(RuntimeError(f"header 'Bearer {key}' to https://me:pass@example.invalid\x1b[2J"))
    async with chat(store, puppet) as session:
        events = [event async for event in session.send("q")]
        failed = next(event for event in events if isinstance(event, TurnFailed))
        assert "RuntimeError" in failed.error.what and failed.error.next_step
        for secret in (key, "abcdefgh", "me:pass", "\x1b"):
            assert secret not in failed.error.what + str(failed.error)
        puppet.finish("alive")
        assert [event async for event in session.send("still there?") if isinstance(event, ReplyEnded)]


async def test_an_unexpected_error_in_the_middle_keeps_the_text(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = await streaming(session, puppet, "kept")
        puppet.give(RuntimeError("bug"))
        ended = await listener.until(ReplyEnded)
        await listener.turns()
        assert type(ended.error) is LingqueError and not listener.all(TurnFailed)
        assert (await log(store, session))[-1].state is MessageState.INTERRUPTED


async def test_a_full_disk_at_the_end_still_tells_the_ending(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chat(store, puppet) as session:
        listener = await streaming(session, puppet, "in sight")
        monkeypatch.setattr(store, "finish", _full_disk)
        puppet.finish()
        ended = await listener.until(ReplyEnded)
        await listener.turns()
        assert isinstance(ended.error, StoreUnwritable)
        assert (ended.message.text, ended.message.state) == ("in sight", MessageState.INTERRUPTED)
        assert not session.is_busy


async def test_a_failed_checkpoint_does_not_spoil_a_good_reply(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn, "CHECKPOINT_EVERY_S", 0.001)
    tried: list[str] = []
    kept = store.checkpoint

    def fail_once(message_id: str, text: str, reasoning: str) -> object:
        tried.append(text)
        return kept(message_id, text, reasoning) if len(tried) > 1 else _full_disk()

    monkeypatch.setattr(store, "checkpoint", fail_once)
    async with chat(store, puppet) as session:
        listener = await streaming(session, puppet, "one ", "two")
        await eventually(lambda: len(tried) > 1)
        puppet.finish(" three")
        ended = await listener.until(ReplyEnded)
        assert (ended.message.text, ended.message.state, ended.error) == (
            "one two three",
            MessageState.COMPLETE,
            None,
        )


async def test_while_the_server_pauses_the_text_reaches_the_disk_within_a_second(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = await streaming(session, puppet, "first ", "second")
        began = time.monotonic()
        while (await log(store, session))[-1].text != "first second":
            assert time.monotonic() - began < 1.0
            await asyncio.sleep(0.01)
        assert (await log(store, session))[-1].state is MessageState.STREAMING
        puppet.finish()
        await listener.turns()


# Over real HTTP


async def test_stop_closes_the_connection_within_200_ms(store: Store) -> None:
    async with ChatServer() as server:
        server.queue(hang_after("partial"))
        provider = OpenAIProvider("test", server.url, "key")
        async with chat(store, provider, model="m") as session:
            listener = Listener(session)
            await session.submit("q")
            await listener.until(ReplyStarted)
            stopped_at = time.monotonic()
            session.stop()
            async with asyncio.timeout(2):
                await server.exchanges[0].gone.wait()
            assert server.exchanges[0].gone_at is not None
            assert server.exchanges[0].gone_at - stopped_at < 0.2
            await listener.turns()
            stopped = (await log(store, session))[-1]
            assert (stopped.text, stopped.state) == ("partial", MessageState.INTERRUPTED)
        await provider.close()


async def test_stop_before_any_answer_closes_the_connection(store: Store) -> None:
    async with ChatServer() as server:
        server.queue(silence())
        provider = OpenAIProvider("test", server.url, "key")
        async with chat(store, provider, model="m") as session:
            listener = Listener(session)
            await session.submit("q")
            async with asyncio.timeout(5):
                await server.arrived.wait()
            stopped_at = time.monotonic()
            session.stop()
            async with asyncio.timeout(2):
                await server.exchanges[0].gone.wait()
            assert (server.exchanges[0].gone_at or 0) - stopped_at < 0.2
            await listener.turns()
        await provider.close()


async def test_a_connection_that_breaks_leaves_its_part_in_the_store(store: Store) -> None:
    async with ChatServer() as server:
        server.queue(cut_mid_chunk("the first part"), reply("whole"))
        provider = OpenAIProvider("test", server.url, "key")
        async with chat(store, provider, model="m") as session:
            events = [event async for event in session.send("q")]
            ended = next(event for event in events if isinstance(event, ReplyEnded))
            assert isinstance(ended.error, LingqueError) and ended.error.next_step
            stored = (await log(store, session))[-1]
            assert (stored.text, stored.state) == ("the first part", MessageState.INTERRUPTED)
            session.retry()
            listener = Listener(session)
            assert (await listener.until(ReplyEnded)).message.text == "whole"
            await listener.turns()
        assert server.requests[1]["messages"] == server.requests[0]["messages"]
        await provider.close()


def _full_disk(*_: object, **__: object) -> StoreError:
    raise StoreUnwritable(path="lingque.db", detail="disk full")
