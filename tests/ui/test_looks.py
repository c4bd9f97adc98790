"""How it looks, as text: the characters of each screen, and for the themes the colours as well.

Kept as text rather than pictures, so that a change can be read in a review and does not depend on a font, a
machine or a version of the exporter. `pytest tests/ui/test_looks.py --snapshot-update` takes them anew.
"""

from __future__ import annotations

import string
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.style import Style
from syrupy.assertion import SnapshotAssertion

from lingque_tui.domain.errors import Unreachable
from lingque_tui.store import NewMessage
from lingque_tui.ui import conversation, figures
from lingque_tui.ui.gauge import Gauge
from scripts.scenes import ANSWER, CHINESE, ENGLISH
from tests.support.scripts import Home
from tests.ui.chat import Chat, Puppet, chatting

LETTERS = string.ascii_lowercase + string.ascii_uppercase


@pytest.fixture(autouse=True)
def timeless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "clock", lambda moment, now: "09:05")
    monkeypatch.setattr(figures, "turn_line", lambda turn: "")
    monkeypatch.setattr(conversation, "time", SimpleNamespace(monotonic=lambda: 1.0))


@pytest.fixture
def talk(home: Home) -> Home:
    home.fill([NewMessage(role, text) for role, text in ENGLISH], "Auth service in three layers")
    return home


@pytest.fixture
def chinese(home: Home) -> Home:
    home.fill([NewMessage(role, text) for role, text in CHINESE], "重构认证服务")
    return home


async def at_rest(chat: Chat) -> None:
    """All that moves by itself has come to its end, the gauge included."""
    session, gauge = chat.conversation.session, chat.window.query_one(Gauge)

    def is_measured() -> bool:
        bill = gauge.bill
        return bill is not None and bill == session.gauge.bill() and bool(bill.recent) == bool(chat.views)

    await chat.until(lambda: all(worker.is_finished for worker in chat.app.workers if worker.group != "listen"))
    await chat.until(is_measured)
    await chat.pilot.pause()


async def seen(chat: Chat) -> str:
    await at_rest(chat)
    return "\n".join(line.rstrip() for line in chat.lines)


async def painted(chat: Chat) -> str:
    """The characters; below them a letter for the style of each cell; below that what each letter means."""
    chat.composer.cursor_blink = False
    characters = await seen(chat)
    letters: dict[str, str] = {}
    rows = []
    for strip in chat.page._compositor.render_strips():
        names = ((segment.cell_length, _name(segment.style)) for segment in strip)
        rows.append("".join(letters.setdefault(name, LETTERS[len(letters)]) * width for width, name in names))
    return "\n".join([characters, *rows, *(f"{letter} {name}" for name, letter in letters.items())])


def _name(style: Style | None) -> str:
    """Colours and weight; what a click would do is not looks."""
    return str(style.without_color + Style.from_color(style.color, style.bgcolor)).split(" link")[0] if style else ""


async def test_an_empty_session(home: Home, snapshot: SnapshotAssertion) -> None:
    async with chatting(home) as chat:
        assert await seen(chat) == snapshot


async def test_an_empty_session_in_chinese(home: Home, snapshot: SnapshotAssertion) -> None:
    async with chatting(home, language="zh") as chat:
        assert await seen(chat) == snapshot


@pytest.mark.parametrize("theme", ["lingque-dark", "lingque-light", "lingque-contrast"])
async def test_a_conversation_in_each_theme(
    home: Home, puppet: Puppet, theme: str, snapshot: SnapshotAssertion
) -> None:
    home.environment["LINGQUE_UI_THEME"] = theme
    home.fill([NewMessage(role, text.split("```")[0]) for role, text in ENGLISH], "Auth service")
    async with chatting(home, puppet, size=(80, 30)) as chat:
        await chat.type("what was the third point", "enter")
        puppet.say(ANSWER)
        puppet.end()
        await chat.idle()
        assert await painted(chat) == snapshot


async def test_code_and_tables_in_chinese_on_a_small_terminal(chinese: Home, snapshot: SnapshotAssertion) -> None:
    async with chatting(chinese, size=(80, 24), language="zh") as chat:
        last = await seen(chat)
        await chat.press("pageup")
        assert f"{await seen(chat)}\n{'=' * 80}\n{last}" == snapshot


async def test_waiting_messages_under_a_reply(talk: Home, puppet: Puppet, snapshot: SnapshotAssertion) -> None:
    async with chatting(talk, puppet) as chat:
        await chat.send("what was the third point")
        puppet.say(ANSWER[:100])
        await chat.shown("guessing on grap")
        await chat.send("and the middleware")
        await chat.send("then write the tests")
        await chat.shown("then write the tests")
        assert await seen(chat) == snapshot


async def test_a_stopped_reply(talk: Home, puppet: Puppet, snapshot: SnapshotAssertion) -> None:
    async with chatting(talk, puppet) as chat:
        await chat.send("what was the third point")
        puppet.say("The third point was the password hash: **Argon2id**, wi")
        await chat.shown("Argon2id, wi")
        await chat.press("escape")
        await chat.shown("■ stopped")
        await chat.idle()
        assert await seen(chat) == snapshot


async def test_an_error(talk: Home, puppet: Puppet, snapshot: SnapshotAssertion) -> None:
    talk.environment["LINGQUE_CHAT_RETRIES"] = "0"
    async with chatting(talk, puppet) as chat:
        await chat.send("hello")
        puppet.fail(Unreachable(provider="scripted", url="http://127.0.0.1:9", detail="connection refused"))
        await chat.shown("connection refused")
        await chat.idle()
        assert await seen(chat) == snapshot


async def test_nobody_to_talk_to(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    async with chatting(Home(tmp_path), size=(110, 36)) as chat:
        await chat.shown("Who should answer?")
        assert await seen(chat) == snapshot


async def test_help(home: Home, snapshot: SnapshotAssertion) -> None:
    async with chatting(home) as chat:
        await chat.press("f1")
        await chat.shown("Keys and commands")
        assert await seen(chat) == snapshot


async def test_the_page_of_sessions(chinese: Home, talk: Home, snapshot: SnapshotAssertion) -> None:
    async with chatting(talk) as chat:
        await chat.press("ctrl+s")
        await chat.shown("重构认证服务")
        assert await seen(chat) == snapshot


async def test_completion(talk: Home, snapshot: SnapshotAssertion) -> None:
    async with chatting(talk) as chat:
        await chat.type("/")
        await chat.press("down", "down")
        await chat.until(lambda: "▒" in chat.line_of("gauge"))
        assert await seen(chat) == snapshot
