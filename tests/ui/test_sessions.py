"""Several sessions, one window: new ones, going from one to another, and what each keeps."""

from __future__ import annotations

import pytest

from lingque_tui.domain.messages import Role
from lingque_tui.store import NewMessage
from tests.support.scripts import Home
from tests.ui.chat import Chat, Puppet, chatting


@pytest.fixture
def two(home: Home) -> Home:
    """One session about tea, and a newer one about coffee."""
    home.fill([NewMessage(Role.USER, "green or black?", created_at=1.0)], "about tea")
    home.fill([NewMessage(Role.USER, "with milk?", created_at=2.0)], "about coffee")
    return home


async def pick(chat: Chat, words: str) -> None:
    """Through the page that ctrl+s opens."""
    await chat.press("ctrl+s")
    await chat.shown("Sessions")
    await chat.type(words, "enter")
    await chat.until(lambda: words in chat.line_of("title"))
    await chat.pilot.pause()


async def test_new_starts_an_empty_session_and_the_old_one_stays(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.send("/new")
        await chat.shown("Every word you exchange is saved")
        assert "with milk?" not in chat.text
        assert "new session" in chat.line_of("title")
        titles = [info.title for info in await chat.conversation.workspace.store.sessions()]
        assert {"about tea", "about coffee"} < set(titles)


async def test_new_takes_a_title(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.send("/new about water")
        await chat.until(lambda: "about water" in chat.line_of("title"))


async def test_rename_changes_the_title(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.send("/rename about mocha")
        await chat.until(lambda: "about mocha" in chat.line_of("title"))
        assert await chat.conversation.workspace.store.find_session("about mocha")


async def test_sessions_with_words_opens_the_only_one_that_fits(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.send("/sessions tea")
        await chat.shown("green or black?")
        assert "about tea" in chat.line_of("title")


async def test_sessions_with_words_that_fit_several_shows_the_page(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.send("/sessions about")
        await chat.shown("Search by title")
        assert "about tea" in chat.text


async def test_the_page_of_sessions_switches_and_each_draft_stays_with_its_own(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.type("half a thought on coffee")
        await pick(chat, "about tea")
        assert "green or black?" in chat.text
        assert chat.composer.text == ""
        await chat.type("tea first")
        await pick(chat, "about coffee")
        assert chat.composer.text == "half a thought on coffee"
        await pick(chat, "about tea")
        assert chat.composer.text == "tea first"


async def test_escape_leaves_the_page_of_sessions_and_changes_nothing(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.press("ctrl+s")
        await chat.shown("Search by title")
        await chat.press("escape")
        await chat.until(lambda: chat.page is chat.window)
        assert "about coffee" in chat.line_of("title")


async def test_a_search_that_finds_nothing_says_so(two: Home) -> None:
    async with chatting(two) as chat:
        await chat.press("ctrl+s")
        await chat.shown("about tea")
        await chat.type("zebra", "enter")
        await chat.shown("nothing found")


async def test_a_reply_in_a_session_that_was_left_is_complete_on_coming_back(two: Home, puppet: Puppet) -> None:
    async with chatting(two, puppet) as chat:
        await chat.send("go on")
        puppet.say("The first half ")
        await chat.shown("The first half")
        await pick(chat, "about tea")
        puppet.say("and the second.")
        puppet.end()
        assert "The first half" not in chat.text
        await pick(chat, "about coffee")
        await chat.shown("The first half and the second.")
        await chat.idle()
        assert chat.said[-1] == ("assistant", "The first half and the second.")


async def test_a_reply_that_still_comes_goes_on_under_the_eyes_of_who_comes_back(two: Home, puppet: Puppet) -> None:
    async with chatting(two, puppet) as chat:
        await chat.send("go on")
        puppet.say("one, ")
        await chat.shown("one,")
        await pick(chat, "about tea")
        puppet.say("two, ")
        await pick(chat, "about coffee")
        await chat.shown("one, two,")
        puppet.say("three")
        await chat.shown("one, two, three")
        assert "esc stop" in chat.line_of("hints")
        puppet.end()
        await chat.idle()
        assert len(chat.replies) == 1


async def test_a_session_that_still_waits_for_its_first_word_does_not_speak_for_another(
    two: Home, puppet: Puppet
) -> None:
    async with chatting(two, puppet) as chat:
        await chat.send("go on")
        puppet.say("one, ")
        await chat.shown("one,")
        await pick(chat, "about tea")
        await chat.send("anybody?")
        await chat.until(lambda: len(puppet.requests) == 2)
        await pick(chat, "about coffee")
        puppet.say("two")
        puppet.end()  # the older request stands first in line
        await chat.idle()
        assert chat.said[-1] == ("assistant", "one, two")
        assert "stopped" not in chat.text
