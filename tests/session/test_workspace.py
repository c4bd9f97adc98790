"""Several sessions at once: leaving one never costs an answer, coming back finds it as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from lingque_tui.config.schema import Config
from lingque_tui.domain.errors import NoModel, StoreError, UnknownProvider
from lingque_tui.domain.events import ReplyStarted
from lingque_tui.domain.messages import MessageState, SessionInfo
from lingque_tui.providers import connections
from lingque_tui.session.switchboard import Choice, Switchboard
from lingque_tui.session.workspace import Workspace, working
from lingque_tui.store import Store
from tests.session.players import DEADLINE_S, MODEL, Listener, Puppet, config_with, eventually, log, texts


@pytest.fixture(autouse=True)
def without_embedded_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "can_run_local", lambda: False)


@pytest.fixture
async def workspace(store: Store) -> AsyncIterator[Workspace]:
    async with working(store, Switchboard(Config(), {}, {}), Config()) as workspace:
        yield workspace


@pytest.fixture
async def info(store: Store) -> SessionInfo:
    return await store.create_session()


@pytest.fixture
def choice(puppet: Puppet) -> Choice:
    return Choice(puppet, MODEL, config_with())


def is_free(store: Store, info: SessionInfo) -> bool:
    if lock := store.lock_session(info.id):
        lock.release()
    return lock is not None


async def test_a_busy_session_that_is_left_finishes_its_reply(
    workspace: Workspace, store: Store, info: SessionInfo, choice: Choice, puppet: Puppet
) -> None:
    session = await workspace.open(info, choice)
    await session.submit("q1")
    await puppet.asked()
    await session.submit("q2")
    workspace.leave(session)
    assert not is_free(store, info)
    puppet.finish("a1")
    await puppet.asked()
    assert not is_free(store, info), "what waits goes out too"
    puppet.finish("a2")
    await eventually(lambda: is_free(store, info))
    assert await texts(store, info) == ["q1", "a1", "q2", "a2"]


async def test_a_message_sent_in_the_moment_of_leaving_is_answered(
    workspace: Workspace, store: Store, choice: Choice, puppet: Puppet
) -> None:
    for steps in range(15):
        info = await store.create_session()
        session = await workspace.open(info, choice)
        await session.submit("last word")
        for _ in range(steps):
            await asyncio.sleep(0)
        workspace.leave(session)
        puppet.finish("answered")
        await eventually(lambda info=info: is_free(store, info))  # type: ignore[misc]
        assert await texts(store, info) == ["last word", "answered"]


async def test_an_idle_session_that_is_left_is_closed(
    workspace: Workspace, store: Store, info: SessionInfo, choice: Choice
) -> None:
    session = await workspace.open(info, choice)
    workspace.leave(session)
    await eventually(lambda: is_free(store, info))
    again = await workspace.open(info, choice)
    assert again is not session and not again.is_read_only


async def test_coming_back_while_it_still_answers_finds_the_same_live_session(
    workspace: Workspace, store: Store, info: SessionInfo, choice: Choice, puppet: Puppet
) -> None:
    session = await workspace.open(info, choice)
    listener = Listener(session)
    await session.submit("q")
    puppet.say("so ")
    await listener.until(ReplyStarted)
    workspace.leave(session)
    workspace.leave(session)
    again = await workspace.open(info, choice)
    assert again is session and session.live_reply is not None
    puppet.finish("far")
    await listener.turns()
    await asyncio.sleep(0)
    assert not is_free(store, info), "who came back stays"
    assert await texts(store, info) == ["q", "so far"]


async def test_opening_twice_gives_one_session(workspace: Workspace, info: SessionInfo, choice: Choice) -> None:
    first, second = await asyncio.gather(workspace.open(info, choice), workspace.open(info, choice))
    assert first is second and not first.is_read_only


async def test_coming_back_twice_while_it_closes_gives_one_writable_session(
    workspace: Workspace, store: Store, info: SessionInfo, choice: Choice
) -> None:
    session = await workspace.open(info, choice)
    workspace.leave(session)
    room = workspace._open[info.id]
    await eventually(lambda: room.is_over)
    first, second = await asyncio.gather(workspace.open(info, choice), workspace.open(info, choice))
    assert first is second is not session and not first.is_read_only


async def test_a_session_that_could_not_be_opened_can_be_tried_again(
    workspace: Workspace, store: Store, info: SessionInfo, choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(store, "recover", _fail)
        with pytest.raises(StoreError):
            await workspace.open(info, choice)
    assert not (await workspace.open(info, choice)).is_read_only


async def test_closing_ends_everything_and_keeps_what_had_arrived(
    store: Store, info: SessionInfo, choice: Choice, puppet: Puppet
) -> None:
    other = await store.create_session()
    async with working(store, Switchboard(Config(), {}, {}), Config()) as workspace:
        busy, left = await workspace.open(info, choice), await workspace.open(other, choice)
        listener = Listener(busy)
        await busy.submit("q")
        puppet.say("part")
        await listener.until(ReplyStarted)
        workspace.leave(left)
    assert is_free(store, info) and is_free(store, other)
    assert [(m.text, m.state) for m in await log(store, info)][-1] == ("part", MessageState.INTERRUPTED)
    assert puppet.closed_streams == 1


async def test_closing_while_a_left_session_still_has_messages_waiting_returns(
    store: Store, info: SessionInfo, choice: Choice, puppet: Puppet
) -> None:
    workspace = Workspace(store, Switchboard(Config(), {}, {}), Config())
    session = await workspace.open(info, choice)
    await session.submit("q1")
    await puppet.asked()
    await session.submit("q2")
    workspace.leave(session)
    await asyncio.sleep(0)
    async with asyncio.timeout(DEADLINE_S):
        await workspace.close()
    assert [item.text for item in await store.queued(info.id)] == ["q2"]
    assert len(puppet.requests) == 1


async def test_a_session_left_with_a_message_under_the_pen_sends_it_to_nobody(
    workspace: Workspace, store: Store, info: SessionInfo, choice: Choice, puppet: Puppet
) -> None:
    session = await workspace.open(info, choice)
    await session.submit("q1")
    await puppet.asked()
    held = await session.submit("not so")
    session.hold_queued(held.id)
    workspace.leave(session)
    puppet.finish("a1")
    await eventually(lambda: is_free(store, info))
    again = await workspace.open(info, choice)
    assert again.is_paused and [item.text for item in again.waiting] == ["not so"]


# Which model


async def scripted_workspace(store: Store, script: str, config: Config | None = None) -> Workspace:
    config = config or Config()
    return Workspace(store, Switchboard(config, {"LINGQUE_SCRIPTED": script}, {}), config)


@pytest.fixture
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("script") / "script.json"
    path.write_text('{"replies": ["hi"]}', encoding="utf-8")
    return str(path)


async def test_a_wish_that_cannot_be_met_is_told_and_replaced(store: Store, info: SessionInfo, script: str) -> None:
    workspace = await scripted_workspace(store, script)
    choice, problem = await workspace.choose_for(info, "nowhere/model")
    assert choice.ref == "scripted/scripted" and isinstance(problem, UnknownProvider)
    choice, problem = await workspace.choose_for(info, "scripted/special")
    assert choice.ref == "scripted/special" and problem is None


async def test_the_session_remembers_its_model_and_the_workspace_the_last_one(
    store: Store, info: SessionInfo, script: str
) -> None:
    workspace = await scripted_workspace(store, script)
    own = await store.set_model(info.id, "scripted/own")
    assert (await workspace.choose_for(own))[0].ref == "scripted/own"
    await workspace.remember(await workspace.choose("scripted/last"))
    assert (await workspace.choose("auto")).ref == "scripted/last"
    assert (await workspace.choose_for(info))[0].ref == "scripted/last"


async def test_nobody_at_all_is_an_error_that_helps(workspace: Workspace, info: SessionInfo) -> None:
    with pytest.raises(NoModel) as nobody:
        await workspace.choose_for(info)
    assert "/connect" in nobody.value.next_step


def _fail(*_: object) -> None:
    raise StoreError(path="lingque.db", detail="no luck")
