"""The first moments: the shell is there before the engine, and nothing typed into it is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual import events

from lingque_tui.domain.errors import StoreDamaged
from lingque_tui.domain.messages import Role
from lingque_tui.session.engine import Engine
from lingque_tui.session.workspace import Workspace
from lingque_tui.store import NewMessage
from lingque_tui.ui.gauge import Gauge
from lingque_tui.ui.lines import HintLine
from tests.support.scripts import Home
from tests.ui.chat import chatting, history, ready


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """The engine starts when the test says so, and not before."""
    gate = asyncio.Event()
    start = Engine.start

    async def start_late(engine: Engine) -> Workspace:
        await gate.wait()
        return await start(engine)

    monkeypatch.setattr(Engine, "start", start_late)
    return gate.set


async def test_the_first_start_on_an_empty_store_welcomes(home: Home) -> None:
    async with chatting(home) as chat:
        assert "Every word you exchange is saved" in chat.text
        assert "scripted/scripted" in chat.line_of("title")
        await chat.send("hello")
        await chat.shown("Hello.")
        assert "Every word you exchange is saved" not in chat.text


async def test_a_start_goes_on_with_the_last_session(home: Home) -> None:
    home.fill([NewMessage(Role.USER, "of an older day")], "older")
    home.fill([NewMessage(Role.USER, "of yesterday")], "newer")
    async with chatting(home) as chat:
        assert "of yesterday" in chat.text
        assert "newer" in chat.line_of("title")


async def test_what_is_typed_before_the_session_is_open_is_kept(home: Home, go: Callable[[], None]) -> None:
    async with chatting(home, is_awaited=False) as chat:
        await chat.type("typed early")
        assert chat.composer.text == "typed early"
        go()
        await ready(chat)
        assert chat.composer.text == "typed early"
    assert home.draft() == "typed early"


async def test_a_paste_before_the_session_is_open_stays_whole(home: Home, go: Callable[[], None]) -> None:
    info = home.fill(history(1))
    with home.store() as store:
        store.save_draft(info.id, "a draft, ").result()
    text = "word " * 1000
    async with chatting(home, is_awaited=False) as chat:
        chat.app.post_message(events.Paste(text))
        await chat.pilot.pause()
        go()
        await ready(chat)
        assert chat.composer.draft == "a draft, " + text


async def test_enter_before_the_session_is_open_sends_afterwards(home: Home, go: Callable[[], None]) -> None:
    async with chatting(home, is_awaited=False) as chat:
        await chat.type("sent early", "enter")
        await chat.type("and this", "enter")
        assert chat.composer.text == ""
        go()
        await ready(chat)
        await chat.until(lambda: len(chat.said) == 4)
        assert [text for role, text in chat.said if role == "user"] == ["sent early", "and this"]


async def test_a_command_before_the_session_is_open_runs_afterwards(home: Home, go: Callable[[], None]) -> None:
    async with chatting(home, is_awaited=False) as chat:
        await chat.type("/help", "enter")
        go()
        await chat.shown("Keys and commands")


async def test_a_store_that_cannot_be_opened_is_said_and_what_is_typed_stays(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start(engine: Engine) -> Workspace:
        raise StoreDamaged(path="lingque.db", detail="page 7")

    monkeypatch.setattr(Engine, "start", start)
    async with chatting(home, is_awaited=False) as chat:
        await chat.shown("The store lingque.db is damaged: page 7.")
        await chat.type("hello", "enter")
        assert chat.composer.text == "hello"


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_composer_gauge_and_hints_are_in_sight(home: Home, size: tuple[int, int]) -> None:
    home.fill(history(20))
    async with chatting(home, size=size) as chat:
        width, height = size
        await chat.until(lambda: "8.2k" in chat.line_of("gauge"))
        rows = [chat.window.query_one(kind).region for kind in ("#composer", Gauge, HintLine)]
        assert [row.y for row in rows] == [height - 3, height - 2, height - 1]
        assert all(row.right <= width for row in rows)
        assert "answer 0020" in chat.text
        assert "f1 help" in chat.line_of("hints")


async def test_the_chinese_interface_is_chinese(home: Home) -> None:
    async with chatting(home, language="zh") as chat:
        assert "灵雀" in chat.line_of("title")
        assert "发送" in chat.line_of("hints")
        await chat.press("f1")
        await chat.shown("按键与命令")
        assert "新建会话" in chat.text
