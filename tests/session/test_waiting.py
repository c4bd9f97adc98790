"""Messages written while a reply streams: in order, changeable, held under the pen, kept over a restart."""

from __future__ import annotations

import asyncio

import pytest

from lingque_tui.domain.errors import ServerFailed, StoreUnwritable, Unauthorized
from lingque_tui.domain.events import MessageAdded, QueueChanged, ReplyEnded, TurnEnded, TurnFailed
from lingque_tui.domain.messages import MessageState, Role
from lingque_tui.session.session import Session
from lingque_tui.session.waiting import WaitingLine
from lingque_tui.store import Store
from tests.session.players import Listener, Puppet, chat, eventually, log, texts

REFUSED = Unauthorized(provider="puppet", variable="PUPPET_KEY")


async def with_waiting(session: Session, puppet: Puppet, *waiting: str) -> tuple[Listener, list[str]]:
    """A session whose first question is being answered while others wait; their ids."""
    listener = Listener(session)
    await session.submit("first")
    await puppet.asked()
    ids = [(await session.submit(text)).id for text in waiting]
    return listener, ids


def waiting_texts(session: Session) -> list[str]:
    return [item.text for item in session.waiting]


async def test_messages_go_out_in_the_order_in_which_they_were_written(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener, _ = await with_waiting(session, puppet, "second", "third")
        assert waiting_texts(session) == ["second", "third"]
        changes = []
        for number in range(3):
            puppet.finish(f"reply {number}")
            await listener.turns()
            changes.append(waiting_texts(session))
        assert await texts(store, session) == ["first", "reply 0", "second", "reply 1", "third", "reply 2"]
        assert [added.message.text for added in listener.all(MessageAdded)] == ["first", "second", "third"]
        assert session.waiting == () and await store.queued(session.id) == ()
        assert listener.all(QueueChanged)[-1].waiting == ()


async def test_submits_at_the_same_moment_keep_their_order(store: Store, puppet: Puppet) -> None:
    numbers = [f"message {number}" for number in range(12)]
    async with chat(store, puppet) as session:
        listener = Listener(session)
        await asyncio.gather(*map(session.submit, numbers))
        for _ in numbers:
            puppet.finish("ok")
        await listener.turns(len(numbers))
        assert [m.text for m in await log(store, session) if m.role is Role.USER] == numbers


async def test_a_waiting_message_is_edited_in_place(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener, ids = await with_waiting(session, puppet, "second", "third")
        assert session.hold_queued(ids[0]) == "second"
        assert await session.edit_queued(ids[0], "better\x1b[2J")
        assert waiting_texts(session) == ["better", "third"]
        assert [item.text for item in await store.queued(session.id)] == ["better", "third"]
        for _ in range(3):
            puppet.finish("ok")
        await listener.turns(3)
        assert (await texts(store, session))[::2] == ["first", "better", "third"]


@pytest.mark.parametrize("emptied", ["", " \n", "\x1b[0m"])
async def test_a_waiting_message_emptied_is_taken_back(store: Store, puppet: Puppet, emptied: str) -> None:
    async with chat(store, puppet) as session:
        listener, ids = await with_waiting(session, puppet, "second", "third")
        session.hold_queued(ids[0])
        assert await session.edit_queued(ids[0], emptied)
        assert waiting_texts(session) == ["third"]
        puppet.finish("ok")
        puppet.finish("ok")
        await listener.turns(2)
        assert (await texts(store, session))[::2] == ["first", "third"]


async def test_a_held_message_stays_and_nothing_overtakes_it(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener, ids = await with_waiting(session, puppet, "second", "third")
        session.hold_queued(ids[0])
        puppet.finish("ok")
        await listener.turns()
        await session.submit("fourth")
        assert waiting_texts(session) == ["second", "third", "fourth"]
        assert not session.is_going_on and not session.is_busy and len(puppet.requests) == 1
        session.release_queued()
        assert session.is_going_on
        for _ in range(3):
            puppet.finish("ok")
        await listener.turns(3)
        assert (await texts(store, session))[::2] == ["first", "second", "third", "fourth"]


async def test_what_has_gone_can_be_neither_held_nor_changed(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        item = await session.submit("gone")
        await puppet.asked()
        assert session.hold_queued(item.id) is None
        assert not await session.edit_queued(item.id, "too late")
        assert not await session.edit_queued(item.id, "")
        puppet.finish("ok")
        await listener.turns()
        assert await texts(store, session) == ["gone", "ok"]


async def test_taking_a_message_back_at_any_moment_is_never_a_failure(store: Store, puppet: Puppet) -> None:
    """It is removed, or it goes out; never an error, never a ghost that stays in the line."""
    async with chat(store, puppet) as session:
        for steps in range(12):
            listener = Listener(session)
            item = await session.submit("now or never")
            for _ in range(steps):
                await asyncio.sleep(0)
            was_removed = await session.edit_queued(item.id, "")
            if not was_removed:
                puppet.finish("ok")
                await listener.turns()
            assert session.waiting == () and await store.queued(session.id) == ()
            assert not listener.all(TurnFailed)
            assert bool(await store.message(item.id)) is not was_removed


async def test_send_ends_when_its_message_is_taken_back(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        await with_waiting(session, puppet)
        heard = []
        async with asyncio.timeout(5):
            async for event in session.send("never mind"):
                heard.append(event)
                if isinstance(event, QueueChanged) and event.waiting:
                    await session.edit_queued(event.waiting[0].id, "")
        assert not any(isinstance(event, TurnEnded | MessageAdded) for event in heard)


async def test_send_waits_for_its_own_turn(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        await with_waiting(session, puppet, "second")
        puppet.finish("to first")
        puppet.finish("to second")
        puppet.finish("to third")
        async with asyncio.timeout(5):
            ended = [event async for event in session.send("third") if isinstance(event, ReplyEnded)]
        assert [event.message.text for event in ended] == ["to first", "to second", "to third"]


async def test_a_failure_pauses_what_waits_and_retry_goes_on(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener, _ = await with_waiting(session, puppet, "second")
        puppet.give(REFUSED)
        assert (await listener.until(TurnFailed)).error is REFUSED
        await listener.turns()
        assert session.is_paused and not session.is_going_on and waiting_texts(session) == ["second"]
        puppet.finish("to first")
        puppet.finish("to second")
        session.retry()
        assert session.is_going_on
        await listener.turns(2)
        assert await texts(store, session) == ["first", "to first", "second", "to second"]
        assert [wire["content"] for wire in puppet.requests[1].messages[1:]] == ["first"]


async def test_a_reply_that_broke_off_pauses_what_waits(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener, _ = await with_waiting(session, puppet, "second")
        puppet.say("half")
        puppet.give(ServerFailed(provider="puppet", detail="boom"))
        await listener.turns()
        assert session.is_paused and waiting_texts(session) == ["second"]


async def test_a_new_message_lets_what_waits_go_on(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener, _ = await with_waiting(session, puppet, "second")
        puppet.give(REFUSED)
        await listener.turns()
        puppet.finish("ok")
        puppet.finish("ok")
        await session.submit("third")
        await listener.turns(2)
        assert (await texts(store, session)) == ["first", "second", "ok", "third", "ok"]


async def test_stopping_a_reply_sends_the_next_one(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener, _ = await with_waiting(session, puppet, "second")
        session.stop()
        await listener.turns()
        puppet.finish("ok")
        await listener.turns()
        assert await texts(store, session) == ["first", "second", "ok"]


async def test_retry_with_nothing_said_is_harmless(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        session.retry()
        await listener.turns()
        assert puppet.requests == [] and not session.is_busy


async def test_a_store_that_fails_keeps_the_message_waiting(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        with monkeypatch.context() as full:
            full.setattr(store, "promote", _full_disk)
            await session.submit("kept")
            assert isinstance((await listener.until(TurnFailed)).error, StoreUnwritable)
            await listener.turns()
        assert session.is_paused and waiting_texts(session) == ["kept"]
        puppet.finish("ok")
        session.retry()
        await listener.until(ReplyEnded)
        assert await texts(store, session) == ["kept", "ok"]


@pytest.mark.parametrize("broken", ["rename_session", "save_counts", "counted", "messages"])
async def test_a_store_that_fails_in_between_does_not_end_the_pump(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        with monkeypatch.context() as full:
            full.setattr(store, broken, _full_disk)
            await session.submit("first") if broken != "messages" else session.retry()
            assert isinstance((await listener.until(TurnFailed)).error, StoreUnwritable)
            await listener.turns()
        puppet.finish("ok")
        await session.submit("second")
        assert (await listener.until(ReplyEnded)).message.text == "ok"
        assert puppet.requests[-1].messages[-1]["content"] == "second"


async def test_a_removal_that_fails_leaves_the_message_in_its_place(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = await store.create_session()
    line = WaitingLine(store, info.id)
    items = [await line.add(text) for text in ("a", "b", "c")]
    monkeypatch.setattr(store, "remove_queued", _full_disk)
    with pytest.raises(StoreUnwritable):
        await line.remove(items[1].id)
    assert [item.text for item in line.items] == ["a", "b", "c"]


async def test_an_edit_elsewhere_does_not_release_what_is_held(store: Store) -> None:
    info = await store.create_session()
    line = WaitingLine(store, info.id)
    first, second = [await line.add(text) for text in ("a", "b")]
    line.hold(first.id)
    await line.edit(second.id, "B")
    assert line.take() is None
    line.release()
    assert line.take() == first
    assert line.hold(first.id) is None and line.items == (first, line.items[1])


# Over a restart


async def test_a_restart_finds_everything_and_sends_nothing_by_itself(store: Store, puppet: Puppet) -> None:
    info = await store.create_session()
    await store.append(info.id, Role.USER, "asked")
    await store.append(info.id, Role.ASSISTANT, "half a rep", state=MessageState.STREAMING)
    await store.enqueue(info.id, "waiting 1")
    await store.enqueue(info.id, "waiting 2")
    await store.save_draft(info.id, "not yet sent")
    async with chat(store, puppet, info=info) as session:
        cut = (await log(store, session))[-1]
        assert (cut.text, cut.state) == ("half a rep", MessageState.INTERRUPTED)
        assert waiting_texts(session) == ["waiting 1", "waiting 2"] and session.is_paused
        assert session.draft == "not yet sent"
        await eventually(lambda: session.gauge.bill().draft > 0)
        assert puppet.requests == [] and not session.is_busy
        listener = Listener(session)
        for _ in range(3):
            puppet.finish("ok")
        session.retry()
        await listener.turns(3)
        assert await texts(store, session) == ["asked", "half a rep", "ok", "waiting 1", "ok", "waiting 2", "ok"]


async def test_retry_after_a_restart_does_not_ask_again_what_was_answered(store: Store, puppet: Puppet) -> None:
    info = await store.create_session()
    await store.append(info.id, Role.USER, "asked")
    await store.append(info.id, Role.ASSISTANT, "answered")
    await store.enqueue(info.id, "waiting")
    async with chat(store, puppet, info=info) as session:
        listener = Listener(session)
        puppet.finish("ok")
        session.retry()
        await listener.until(ReplyEnded)
        assert await texts(store, session) == ["asked", "answered", "waiting", "ok"]


async def test_retry_asks_again_what_was_answered_when_nothing_waits(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        puppet.finish("one way to say it")
        puppet.finish("another")
        await session.submit("tell me")
        await listener.turns()
        session.retry()
        await listener.turns()
        assert await texts(store, session) == ["tell me", "one way to say it", "another"]
        assert puppet.requests[1].messages == puppet.requests[0].messages


def _full_disk(*_: object, **__: object) -> None:
    raise StoreUnwritable(path="lingque.db", detail="disk full")
