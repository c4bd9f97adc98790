"""From a start's wishes to a session: the one asked for, with the model asked for, or the reason why not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from lingque_tui.config.boot import Boot
from lingque_tui.config.loading import load_config
from lingque_tui.config.paths import find_paths
from lingque_tui.domain.errors import CommandError, NoModel, UnknownProvider
from lingque_tui.domain.events import ReplyEnded, TurnFailed
from lingque_tui.providers import connections
from lingque_tui.session.engine import Engine

Start = Callable[..., AbstractAsyncContextManager[Engine]]


@pytest.fixture(autouse=True)
def without_embedded_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "can_run_local", lambda: False)


@pytest.fixture
def start(tmp_path: Path) -> Start:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"replies": ["hi"]}), encoding="utf-8")

    @asynccontextmanager
    async def started(
        *, session: str = "", is_new: bool = False, model: str = "", connected: bool = True
    ) -> AsyncIterator[Engine]:
        environment = {"LINGQUE_HOME": str(tmp_path)}
        if connected:
            environment["LINGQUE_SCRIPTED"] = str(script)
        paths = find_paths(environment)
        engine = Engine(Boot(paths, load_config(paths, {}), environment, session=session, is_new=is_new, model=model))
        try:
            await engine.start()
            yield engine
        finally:
            await engine.close()

    return started


async def test_the_last_session_is_entered_again(start: Start) -> None:
    async with start() as engine:
        first = (await engine.enter_first()).session
        async for _ in first.send("remember this"):
            pass
    async with start() as engine:
        entered = await engine.enter_first()
        assert entered.session.id == first.id and entered.problem is None
        assert len(await entered.session.page()) == 2
    async with start(is_new=True) as engine:
        assert (await engine.enter_first()).session.id != first.id
    async with start(session="remember this") as engine:
        assert (await engine.enter_first()).session.id == first.id


async def test_a_session_that_is_not_there_is_said_so(start: Start) -> None:
    async with start(session="gone\x1b[2J") as engine:
        with pytest.raises(CommandError) as refused:
            await engine.enter_first()
        assert "gone" in refused.value.what and "\x1b" not in refused.value.what


async def test_a_model_that_is_not_there_is_replaced_and_told(start: Start) -> None:
    async with start(model="nowhere/model") as engine:
        entered = await engine.enter_first()
        assert isinstance(entered.problem, UnknownProvider)
        assert entered.session.choice.ref == "scripted/scripted"
        events = [event async for event in entered.session.send("hello")]
        assert any(isinstance(event, ReplyEnded) for event in events)


async def test_with_nobody_to_talk_to_everything_can_be_read_and_sending_says_how_to_connect(start: Start) -> None:
    async with start() as engine:
        async for _ in (await engine.enter_first()).session.send("said before"):
            pass
    async with start(connected=False) as engine:
        entered = await engine.enter_first()
        assert isinstance(entered.problem, NoModel | UnknownProvider)
        assert [message.text for message in await entered.session.page()] == ["said before", "hi"]
        events = [event async for event in entered.session.send("anybody?")]
        failed = next(event for event in events if isinstance(event, TurnFailed))
        assert isinstance(failed.error, NoModel) and "/connect" in failed.error.next_step


async def test_an_engine_that_never_started_can_be_closed(tmp_path: Path) -> None:
    paths = find_paths({"LINGQUE_HOME": str(tmp_path)})
    await Engine(Boot(paths, load_config(paths, {}), {})).close()
