"""A conversation as its listeners see it: what is on disk when, what arrives, in which order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from lingque_tui.domain.errors import CommandError, SessionReadOnly
from lingque_tui.domain.events import (
    Event,
    MessageAdded,
    ReplyEnded,
    ReplyGrew,
    ReplyStarted,
    SessionChanged,
    TurnEnded,
)
from lingque_tui.domain.messages import MessageState, Role
from lingque_tui.domain.ports import ChatRequest, Piece
from lingque_tui.providers.scripted import ScriptedProvider
from lingque_tui.session.switchboard import Choice
from lingque_tui.store import Store
from tests.session.players import Listener, Puppet, chat, config_with, log, texts


def told(events: list[Event]) -> list[str]:
    """The kinds of events in order, without the two that may come at any time, runs shortened."""
    names = [type(event).__name__ for event in events]
    names = [name for name in names if name not in ("ContextMeasured", "QueueChanged")]
    return [name for index, name in enumerate(names) if index == 0 or names[index - 1] != name]


class Witness(ScriptedProvider):
    """Looks into the store at the moment when it is asked."""

    def __init__(self, store: Store, session_id: str) -> None:
        super().__init__(["seen"])
        self._store = store
        self._session_id = session_id
        self.found: list[str] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        self.found = [message.text for message in await self._store.messages(self._session_id)]
        async for piece in super().stream(request):
            yield piece


async def test_a_turn_tells_its_story_in_order(store: Store) -> None:
    async with chat(store, ScriptedProvider(["Hello there, you."])) as session:
        events = [event async for event in session.send("hi")]
        added = next(event for event in events if isinstance(event, MessageAdded))
        ended = next(event for event in events if isinstance(event, ReplyEnded))
        assert told(events) == [
            "MessageAdded",
            "SessionChanged",
            "TurnStarted",
            "ReplyStarted",
            "ReplyGrew",
            "ReplyEnded",
            "TurnEnded",
        ]
        assert events[-1] == TurnEnded(added.message.id)
        assert (ended.message.text, ended.message.state, ended.error) == (
            "Hello there, you.",
            MessageState.COMPLETE,
            None,
        )
        assert ended.message.model == "scripted/scripted"
        assert ended.message.figures is not None and ended.message.figures.completion_tokens == 3
        assert [(m.role, m.text) for m in await log(store, session)] == [
            (Role.USER, "hi"),
            (Role.ASSISTANT, "Hello there, you."),
        ]
        assert not session.is_busy


async def test_the_message_is_on_disk_before_the_provider_is_asked(store: Store) -> None:
    info = await store.create_session()
    witness = Witness(store, info.id)
    async with chat(store, witness, info=info) as session:
        async for _ in session.send("kept first"):
            pass
    assert witness.found == ["kept first"]


async def test_what_was_submitted_is_on_disk_when_submit_returns(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        await session.submit("first")
        await puppet.asked()
        item = await session.submit("second")
        assert await store.queued(session.id) == (item,)


async def test_two_listeners_both_hear_everything(store: Store) -> None:
    async with chat(store, ScriptedProvider(["one two three"], piece_size=3)) as session:
        first, second = Listener(session), Listener(session)
        await session.submit("hi")
        await asyncio.gather(first.turns(), second.turns())
    assert first.text == second.text == "one two three"
    assert told(first.heard) == told(second.heard)


async def test_the_model_sees_the_conversation_so_far(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        for question, answer in (("q1", "a1"), ("q2", "a2"), ("q3", "a3")):
            await session.submit(question)
            puppet.finish(answer)
            await listener.turns()
    contents = [[wire["content"] for wire in request.messages[1:]] for request in puppet.requests]
    assert contents == [["q1"], ["q1", "a1", "q2"], ["q1", "a1", "q2", "a2", "q3"]]
    assert all(request.messages[0]["role"] == "system" for request in puppet.requests)


async def test_the_first_message_becomes_the_title(store: Store) -> None:
    async with chat(store, ScriptedProvider(["ok"])) as session:
        events = [event async for event in session.send("  Plan the\ngarden  \x1b[31mnow ")]
        assert [event.info.title for event in events if isinstance(event, SessionChanged)] == ["Plan the garden now"]
        assert [event async for event in session.send("something else") if isinstance(event, SessionChanged)] == []
        assert session.info.title == "Plan the garden now"


async def test_a_title_that_was_given_stays(store: Store) -> None:
    async with chat(store, ScriptedProvider(["ok"])) as session:
        await session.rename("Mine\n\x1b[2J")
        async for _ in session.send("hello"):
            pass
        assert (await store.sessions())[0].title == session.info.title == "Mine"


async def test_escapes_in_a_message_reach_neither_disk_nor_model(store: Store) -> None:
    provider = ScriptedProvider(["ok"])
    async with chat(store, provider) as session:
        async for _ in session.send("a\x1b]52;c;ZXZpbA==\x07b"):
            pass
        assert (await texts(store, session))[0] == "ab"
    assert provider.requests[0].messages[-1]["content"] == "ab"


@pytest.mark.parametrize("text", ["", "  \n ", "\x1b[2J"])
async def test_nothing_is_not_sent(store: Store, puppet: Puppet, text: str) -> None:
    async with chat(store, puppet) as session:
        with pytest.raises(CommandError):
            await session.submit(text)
        assert session.waiting == ()


async def test_a_switch_during_a_reply_concerns_the_next_request(store: Store, puppet: Puppet) -> None:
    other = ScriptedProvider(["from the other"])
    async with chat(store, puppet) as session:
        listener = Listener(session)
        await session.submit("q1")
        await puppet.asked()
        puppet.say("still ")
        await listener.until(ReplyStarted)
        await session.use_model(Choice(other, "other-model", config_with()))
        puppet.finish("me")
        ended = await listener.until(ReplyEnded)
        assert (ended.message.text, ended.message.model) == ("still me", "puppet/scripted")
        await session.submit("q2")
        ended = await listener.until(ReplyEnded)
        assert (ended.message.text, ended.message.model) == ("from the other", "scripted/other-model")
        stored = await store.session(session.id)
        assert stored is not None and stored.model == "scripted/other-model" == session.info.model
    assert other.requests[0].model == "other-model"


async def test_switches_in_the_middle_of_assembling_never_mix_two_models(store: Store, puppet: Puppet) -> None:
    """Provider, model name and label belong together, whenever the switch comes."""
    choices = [Choice(puppet, f"model-{number}", config_with()) for number in range(4)]
    async with chat(store, puppet) as session:
        listener = Listener(session)
        for number in range(12):
            puppet.finish("ok")
            await session.submit(f"q{number}")
            for step in range(number):
                await asyncio.sleep(0)
                session.gauge.reload() if step % 2 else await session.use_model(choices[step % 4])
            ended = await listener.until(ReplyEnded)
            assert ended.message.model == f"puppet/{puppet.requests[-1].model}"
            assert puppet.requests[-1].messages[-1]["content"] == f"q{number}"
            await listener.turns()


async def test_a_second_opener_reads_and_cannot_write(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        await session.submit("mine")
        await puppet.asked()
        with Store.open(store.path) as elsewhere:
            async with chat(elsewhere, Puppet(), info=session.info) as other:
                assert other.is_read_only and not session.is_read_only
                assert [message.text for message in await other.page()] == ["mine"]
                with pytest.raises(SessionReadOnly) as refused:
                    await other.submit("intruder")
                assert other.owner in refused.value.what
                with pytest.raises(SessionReadOnly):
                    other.retry()
                with pytest.raises(SessionReadOnly):
                    await other.rename("stolen")
                with pytest.raises(SessionReadOnly):
                    other.import_messages([{"role": "user", "content": "x"}])
                other.note_draft("not kept")
                assert other.draft == ""
                await other.use_model(Choice(puppet, "any", config_with()))
        assert session.is_busy, "the reader's coming and going disturbs nobody"
        assert (await texts(store, session)) == ["mine"]
        stored = await store.session(session.id)
        assert stored is not None and stored.model == ""


async def test_the_lock_is_free_again_when_the_session_has_closed(store: Store, puppet: Puppet) -> None:
    info = await store.create_session()
    for _ in range(2):
        async with chat(store, puppet, info=info) as session:
            assert not session.is_read_only


async def test_the_lock_is_free_again_when_opening_failed(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = await store.create_session()
    with monkeypatch.context() as broken:
        broken.setattr(store, "recover", _explode)
        with pytest.raises(RuntimeError):
            async with chat(store, puppet, info=info):
                raise AssertionError("it must not open")
    async with chat(store, puppet, info=info) as session:
        assert not session.is_read_only


async def test_listeners_hear_the_end_of_the_session(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
    await listener.to_the_end()
    late = Listener(session)
    await late.to_the_end()
    assert late.heard == []


async def test_reasoning_streams_beside_the_text(store: Store) -> None:
    from lingque_tui.providers.scripted import Reply

    async with chat(store, ScriptedProvider([Reply("answer", reasoning="let me think")], piece_size=4)) as session:
        events = [event async for event in session.send("hi")]
        started = next(event for event in events if isinstance(event, ReplyStarted))
        grown = "".join(event.reasoning for event in events if isinstance(event, ReplyGrew))
        assert started.message.reasoning + grown == "let me think"
        (_, reply) = await log(store, session)
        assert (reply.text, reply.reasoning) == ("answer", "let me think")


def _explode(*_: object) -> None:
    raise RuntimeError("broken")
