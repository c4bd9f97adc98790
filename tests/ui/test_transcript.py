"""A window onto the log: it follows the end, stands still for a reader, and is never larger than it must be."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from lingque_tui.domain.messages import Role
from lingque_tui.store import NewMessage
from lingque_tui.ui.message_views import MessageView, ReadOn
from tests.support.scripts import Home
from tests.ui.chat import Chat, Puppet, chatting, history

MOST_WIDGETS = 350


def uneven(exchanges: int) -> list[NewMessage]:
    """Answers of one line, of many, of lists and of code, the same ones every time."""
    dice = random.Random(7)
    shapes = (
        "one line",
        "word " * 120,
        "- item\n" * 12,
        "```\ncode\n" + "line\n" * 9 + "```",
        "# Title\n\ntext\n\ntext",
    )
    return [
        replace(message, text=f"{message.text}\n\n{dice.choice(shapes)}") if message.role is Role.ASSISTANT else message
        for message in history(exchanges)
    ]


async def settled(chat: Chat) -> None:
    """Nothing loads any more, and all of it is drawn."""
    await chat.until(lambda: all(worker.is_finished for worker in chat.app.workers if worker.group == "edge"))
    await chat.pilot.pause()


async def press(chat: Chat, *keys: str) -> None:
    for key in keys:
        await chat.press(key)
        await settled(chat)


def in_sight(chat: Chat) -> list[MessageView]:
    area = chat.transcript.region
    return [view for view in chat.views if view.region.overlaps(area)]


def rows(chat: Chat) -> dict[int, int]:
    """Where on the screen each message begins, those out of sight included."""
    return {view.seq: view.region.y for view in chat.views}


def is_at_end(chat: Chat) -> bool:
    return chat.transcript.max_scroll_y - chat.transcript.scroll_y < 1


def widgets(chat: Chat) -> int:
    return len(list(chat.window.walk_children()))


async def streaming(chat: Chat, puppet: Puppet) -> None:
    await chat.send("tell me all")
    puppet.say("It begins.\n\n")
    await chat.shown("It begins.")


async def say_lines(chat: Chat, puppet: Puppet, count: int) -> None:
    for number in range(count):
        puppet.say(f"line {number}\n\n")
    live = chat.conversation.session
    await chat.until(lambda: live.live_reply is not None and f"line {count - 1}\n" in live.live_reply.text)
    await settled(chat)


async def test_the_view_follows_a_reply(home: Home, puppet: Puppet) -> None:
    home.fill(history(10))
    async with chatting(home, puppet) as chat:
        await streaming(chat, puppet)
        for count in (5, 40):
            await say_lines(chat, puppet, count)
            await chat.shown(f"line {count - 1}")
            assert is_at_end(chat)
        puppet.end()
        await chat.idle()
        assert is_at_end(chat)


async def test_a_short_conversation_begins_at_the_top(home: Home) -> None:
    home.fill(history(1))
    async with chatting(home) as chat:
        assert chat.views[0].region.y == chat.transcript.region.y + 1
        assert "question 0001" in chat.lines[chat.views[0].region.y + 1]


async def test_scrolled_up_the_view_stands_still_while_a_reply_comes(home: Home, puppet: Puppet) -> None:
    home.fill(history(40))
    async with chatting(home, puppet) as chat:
        await streaming(chat, puppet)
        await press(chat, "pageup", "pageup")
        before = {view.seq: view.region.y for view in in_sight(chat)}
        assert before
        for count in (5, 40):
            await say_lines(chat, puppet, count)
            assert {seq: row for seq, row in rows(chat).items() if seq in before} == before
        puppet.end()
        await chat.idle()
        assert {seq: row for seq, row in rows(chat).items() if seq in before} == before


async def test_two_thousand_messages_take_few_widgets_wherever_one_is(home: Home) -> None:
    home.fill(history(1000))
    async with chatting(home) as chat:
        await settled(chat)
        assert "answer 1000" in chat.text
        assert widgets(chat) < MOST_WIDGETS
        await press(chat, "pageup", "pageup", "pageup")
        assert widgets(chat) < MOST_WIDGETS
        await press(chat, "home", "pagedown", "pagedown")
        assert widgets(chat) < MOST_WIDGETS


async def test_home_shows_the_first_message_and_end_the_last(home: Home) -> None:
    home.fill(history(200))
    async with chatting(home) as chat:
        await press(chat, "home")
        assert "question 0001" in chat.text
        assert chat.transcript.scroll_y == 0
        await press(chat, "end")
        assert "answer 0200" in chat.text
        assert is_at_end(chat)


async def page_through(chat: Chat, key: str, is_there: Callable[[], bool]) -> set[int]:
    """To the end by `key`, one page at a time and nothing else; every message that was in sight on the way."""
    page = chat.transcript.scrollable_content_region.height
    seen = {view.seq for view in in_sight(chat)}
    while not is_there():
        before = rows(chat)
        await press(chat, key)
        after = rows(chat)
        assert list(after) == list(range(min(after), max(after) + 1))
        (moved,) = {abs(after[seq] - before[seq]) for seq in before.keys() & after.keys()}
        assert moved == page or (is_there() and 0 < moved < page)
        seen |= {view.seq for view in in_sight(chat)}
    return seen


async def test_paging_moves_by_a_page_and_shows_every_message_in_order(home: Home) -> None:
    said = home.fill(uneven(16))
    with home.store() as store:
        everything = {message.seq for message in store.messages(said.id).result()}
    async with chatting(home, size=(80, 24)) as chat:
        await settled(chat)
        assert await page_through(chat, "pageup", lambda: chat.transcript.scroll_y == 0) == everything
        assert await page_through(chat, "pagedown", lambda: is_at_end(chat)) == everything


async def test_a_reply_does_not_move_somebody_who_reads_the_beginning(home: Home, puppet: Puppet) -> None:
    home.fill(history(100))
    async with chatting(home, puppet) as chat:
        await streaming(chat, puppet)
        await press(chat, "home")
        before = rows(chat)
        await say_lines(chat, puppet, 20)
        puppet.end()
        await chat.until(lambda: not chat.conversation.is_busy)
        await settled(chat)
        assert rows(chat) == before
        await press(chat, "end")
        await chat.shown("line 19")


async def test_sending_goes_to_the_end_from_wherever_one_was(home: Home, puppet: Puppet) -> None:
    home.fill(history(100))
    async with chatting(home, puppet) as chat:
        await press(chat, "home")
        await chat.send("and now?")
        await chat.shown("and now?")
        puppet.say("Now this.")
        puppet.end()
        await chat.shown("Now this.")
        await settled(chat)
        assert is_at_end(chat)


MONSTERS = {
    "a line of a megabyte": NewMessage(Role.USER, "x" * 1_000_000),
    "five thousand lines": NewMessage(Role.ASSISTANT, "\n".join(f"line {number}" for number in range(5000))),
    "a table of 60 by 300": NewMessage(
        Role.ASSISTANT, "\n".join(["|" + "c|" * 60, "|" + "-|" * 60, *["|" + "v|" * 60] * 300])
    ),
}


@pytest.mark.parametrize("name", MONSTERS)
async def test_a_monster_opens_at_once_and_is_read_on_by_a_click(home: Home, name: str) -> None:
    home.fill([MONSTERS[name]])
    began = time.process_time()  # not the clock on the wall: a busy machine is no reason to fail
    async with chatting(home) as chat:
        assert time.process_time() - began < 2
        (more,) = chat.window.query(ReadOn)
        height = chat.views[0].region.height
        await chat.click(more)
        await chat.until(lambda: chat.views[0].region.height > height)


def left(chat: Chat) -> list[str]:
    """What is said of the parts that are not shown yet."""
    return [str(more.content) for more in chat.window.query(ReadOn)]


async def read_on(chat: Chat) -> None:
    before = left(chat)
    chat.window.query_one(ReadOn).action_more()
    await chat.until(lambda: left(chat) != before)


async def test_a_monster_is_read_to_its_very_end_and_stays_open(home: Home) -> None:
    home.fill([NewMessage(Role.USER, "\n".join(f"line {number}" for number in range(1500)))])
    async with chatting(home) as chat:
        while left(chat):
            await read_on(chat)
        await press(chat, "home", "end")
        await chat.shown("line 1499")
