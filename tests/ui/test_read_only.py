"""A session that another window writes to: everything can be read here, and commands work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.scripts import Home
from tests.ui.chat import chatting, history


@pytest.fixture
def shared(home: Home) -> Iterator[Home]:
    """A home whose only session somebody else has open."""
    info = home.fill(history(2), "shared")
    with home.store() as other:
        assert other.lock_session(info.id) is not None
        yield home


async def test_it_says_that_it_can_only_be_read_and_by_whom_it_is_written(shared: Home) -> None:
    async with chatting(shared) as chat:
        assert "[read-only]" in chat.line_of("title")
        assert "answer 0002" in chat.text
        assert "Read-only: open in another window (process" in chat.line_of("composer")


async def test_a_message_is_refused_with_the_reason_and_not_lost(shared: Home) -> None:
    async with chatting(shared) as chat:
        await chat.type("let me in", "enter")
        await chat.shown("This session is open in another window")
        assert chat.composer.text == "let me in"
        assert len(chat.said) == 4


async def test_commands_work_and_new_starts_one_that_can_be_written(shared: Home) -> None:
    async with chatting(shared) as chat:
        await chat.send("/new")
        await chat.until(lambda: "[read-only]" not in chat.line_of("title"))
        await chat.send("hello")
        await chat.shown("Hello.")


async def test_renaming_is_refused_with_the_reason(shared: Home) -> None:
    async with chatting(shared) as chat:
        await chat.send("/rename mine")
        await chat.shown("This session is open in another window")
        assert "shared" in chat.line_of("title")
