"""Saying something and what comes of it: replies, stopping, waiting messages, errors."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lingque_tui.domain.errors import ServerFailed, StoreUnwritable
from lingque_tui.domain.messages import MessageState, QueuedMessage
from lingque_tui.session.session import Session
from tests.support.scripts import Home
from tests.ui.chat import Chat, Puppet, chatting


@pytest.fixture
async def chat(home: Home, puppet: Puppet) -> AsyncIterator[Chat]:
    home.environment["LINGQUE_CHAT_RETRIES"] = "0"
    async with chatting(home, puppet) as chat:
        yield chat


def asked(puppet: Puppet) -> list[str]:
    """The last message of each request."""
    return [request.messages[-1]["content"] for request in puppet.requests]


def waiting(chat: Chat) -> list[str]:
    return [item.text for item in chat.conversation.session.waiting]


async def requested(chat: Chat, puppet: Puppet, count: int) -> None:
    await chat.until(lambda: len(puppet.requests) == count)


async def queue_up(chat: Chat, puppet: Puppet, *texts: str) -> None:
    """The first one is being answered, the others wait."""
    await chat.send(texts[0])
    await chat.until(lambda: puppet.requests)
    for text in texts[1:]:
        await chat.send(text)
    await chat.until(lambda: waiting(chat) == list(texts[1:]))
    await chat.pilot.pause()


async def test_enter_sends_and_the_reply_shows_as_markdown(chat: Chat, puppet: Puppet) -> None:
    await chat.type("good morning", "enter")
    await chat.until(lambda: puppet.requests)
    assert chat.composer.text == ""
    puppet.say("It is **early**.\n\n- tea\n- coffee")
    puppet.end()
    await chat.idle()
    assert chat.said == [("user", "good morning"), ("assistant", "It is **early**.\n\n- tea\n- coffee")]
    assert "It is early." in chat.text
    assert "• tea" in chat.text
    assert "**" not in chat.text


async def test_the_first_message_names_the_session(chat: Chat, puppet: Puppet) -> None:
    await chat.send("about the weather")
    await chat.until(lambda: "about the weather" in chat.line_of("title"))


async def test_a_reply_shows_while_it_comes(chat: Chat, puppet: Puppet) -> None:
    await chat.send("count")
    for number in ("one ", "two ", "three "):
        puppet.say(number)
        await chat.shown(number.strip())
    assert "esc stop" in chat.line_of("hints")
    assert "scripted is writing" in chat.line_of("hints")
    puppet.end()
    await chat.idle()
    assert "esc stop" not in chat.line_of("hints")


async def test_escape_stops_the_reply_and_what_had_come_is_kept(chat: Chat, puppet: Puppet) -> None:
    await chat.send("tell me all")
    puppet.say("The beginning")
    await chat.shown("The beginning")
    await chat.press("escape")
    await chat.idle()
    await chat.shown("■ stopped; the part that arrived is kept")
    assert chat.stored[-1].text == "The beginning"
    assert chat.stored[-1].state is MessageState.INTERRUPTED


async def test_escape_before_the_first_word_is_told(chat: Chat, puppet: Puppet) -> None:
    await chat.send("tell me all")
    await chat.until(lambda: puppet.requests)
    await chat.press("escape")
    await chat.idle()
    await chat.shown("stopped before the first word")
    assert chat.text.count("stopped before the first word") == 1
    assert chat.said == [("user", "tell me all")]


async def test_messages_sent_meanwhile_wait_in_sight_and_go_out_in_order(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second", "third")
    rows = [line.split("  ", 1)[1].strip() for line in chat.lines if "(waiting)" in line]
    assert rows == ["second", "third"]
    for number in range(1, 4):
        await requested(chat, puppet, number)
        puppet.say(f"answer {number}")
        puppet.end()
    await chat.until(lambda: len(chat.said) == 6)
    await chat.idle()
    assert asked(puppet) == ["first", "second", "third"]
    assert [text for _, text in chat.said] == ["first", "answer 1", "second", "answer 2", "third", "answer 3"]
    assert not chat.waiting.display


async def test_up_in_the_empty_composer_changes_the_newest_waiting_message_in_place(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second", "third")
    await chat.press("up")
    assert chat.composer.text == "third"
    assert "Editing a waiting message" in chat.line_of("hints")
    await chat.type(", but better", "enter")
    await chat.until(lambda: waiting(chat) == ["second", "third, but better"])
    assert chat.composer.text == ""


async def test_escape_leaves_a_waiting_message_as_it_was(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second")
    await chat.press("up")
    await chat.type(" thoughts", "escape")
    assert chat.composer.text == ""
    assert waiting(chat) == ["second"]
    assert chat.conversation.is_busy


async def test_an_emptied_waiting_message_is_removed(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second", "third")
    await chat.press("up", "ctrl+u", "enter")
    await chat.until(lambda: waiting(chat) == ["second"])


async def test_a_message_under_the_pen_does_not_go_out(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second")
    await chat.press("up")
    puppet.say("answer")
    puppet.end()
    await chat.until(lambda: not chat.conversation.is_busy)
    assert asked(puppet) == ["first"]
    await chat.type(", changed", "enter")
    await chat.until(lambda: asked(puppet) == ["first", "second, changed"])


async def test_a_click_on_a_waiting_message_leaves_the_draft_in_peace(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second")
    await chat.type("half a thought")
    await chat.click(chat.waiting)
    assert chat.composer.text == "second"
    await chat.type("!", "enter")
    await chat.until(lambda: waiting(chat) == ["second!"])
    assert chat.composer.text == "half a thought"


async def test_a_session_left_in_the_middle_of_an_edit_keeps_what_waits(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second")
    left = chat.conversation.session
    await chat.press("up", "ctrl+s")
    await chat.shown("＋ new session")
    await chat.press("up", "enter")
    await chat.until(lambda: chat.conversation.session is not left)
    await chat.until(lambda: chat.composer.text == "")
    await chat.send("elsewhere")
    await chat.until(lambda: "elsewhere" in asked(puppet))
    assert [item.text for item in left.waiting] == ["second"]


async def test_an_error_says_what_and_the_next_step_and_retry_works_after_it(chat: Chat, puppet: Puppet) -> None:
    await chat.send("hello")
    puppet.fail(ServerFailed(provider="scripted", detail="out of order"))
    await chat.idle()
    error = ServerFailed(provider="scripted", detail="out of order")
    words = " ".join(" ".join(line.strip(" ▌") for line in chat.lines).split())
    assert f"{error.what} {error.next_step}" in words
    await chat.send("/retry")
    puppet.say("here I am")
    puppet.end()
    await chat.until(lambda: len(chat.said) == 2)
    assert asked(puppet) == ["hello", "hello"]
    assert chat.said == [("user", "hello"), ("assistant", "here I am")]


async def test_a_second_try_can_be_seen_and_stopped_as_well(chat: Chat, puppet: Puppet) -> None:
    await chat.send("hello")
    puppet.fail(ServerFailed(provider="scripted", detail="out of order"))
    await chat.idle()
    await chat.send("/retry")
    await chat.until(lambda: "waiting for scripted" in chat.line_of("hints"))
    await chat.press("escape")
    await chat.shown("stopped before the first word")
    assert chat.text.count("stopped before the first word") == 1


async def test_an_error_in_the_middle_stands_under_what_had_come(chat: Chat, puppet: Puppet) -> None:
    await chat.send("hello")
    puppet.say("The beginning")
    puppet.fail(ServerFailed(provider="scripted", detail="out of order"))
    await chat.idle()
    await chat.shown("out of order")
    assert chat.stored[-1].text == "The beginning"
    assert chat.stored[-1].state is MessageState.INTERRUPTED


async def test_after_an_error_what_waits_waits_for_retry(chat: Chat, puppet: Puppet) -> None:
    await queue_up(chat, puppet, "first", "second")
    puppet.fail(ServerFailed(provider="scripted", detail="out of order"))
    await chat.shown("waiting; /retry sends it")
    assert asked(puppet) == ["first"]
    await chat.send("/retry")
    await chat.until(lambda: asked(puppet) == ["first", "first"])
    puppet.say("answer")
    puppet.end()
    await chat.until(lambda: asked(puppet) == ["first", "first", "second"])


async def test_what_could_not_be_kept_is_back_in_the_composer(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    async def submit(session: Session, text: str) -> QueuedMessage:
        raise StoreUnwritable(path="lingque.db", detail="disk full")

    monkeypatch.setattr(Session, "submit", submit)
    await chat.type("/usr/bin is full", "enter")
    await chat.shown("disk full")
    assert chat.composer.text == "/usr/bin is full"


async def test_an_unknown_command_names_its_neighbour_and_sends_nothing(chat: Chat, puppet: Puppet) -> None:
    await chat.send("/hepl")
    await chat.shown("There is no command /hepl. Did you mean /help?")
    assert chat.said == []
    assert puppet.requests == []


async def test_a_path_is_sent_as_text(chat: Chat, puppet: Puppet) -> None:
    await chat.send("/usr/bin is a path")
    await chat.until(lambda: asked(puppet) == ["/usr/bin is a path"])


async def test_thinking_is_folded_until_it_is_opened(chat: Chat, puppet: Puppet) -> None:
    await chat.send("why?")
    puppet.think("Let me see about that.")
    puppet.say("Because.")
    puppet.end()
    await chat.idle()
    assert "▸ thinking · 22" in chat.text
    assert "Let me see" not in chat.text
    thinking = chat.replies[0].query_one(".thinking")
    await chat.click(thinking)
    await chat.shown("Let me see about that.")
    await chat.click(thinking)
    await chat.until(lambda: "Let me see" not in chat.text)
