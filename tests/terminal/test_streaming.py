"""While a reply streams: stopping it, losing the window's size, writing ahead."""

from __future__ import annotations

import asyncio
import time

from lingque_tui.domain.messages import MessageState, Role
from tests.support.chat_server import Behaviour, ChatServer, Pause, Step, chunk
from tests.support.hostile import HOSTILE
from tests.support.scripts import READY, Home, newest_number, numbered
from tests.support.terminal import Condition, Terminal

ESCAPE = "\x1b"
BACKSPACE = "\x7f"
CLOSED_WITHIN_S = 0.2
KEY_WITHIN_S = 0.5
"""Felt as slow, but not as dead; without a monster it is a twentieth of that."""


def has_number(least: int) -> Condition:
    return lambda screen: newest_number(screen) >= least


def endless() -> Behaviour:
    steps: list[Step] = []
    for number in range(1, 3000):
        steps += [chunk(f"{number:07d} "), Pause(0.01)]
    return Behaviour(tuple(steps))


def start_streaming(home: Home, *, columns: int = 120, rows: int = 36) -> Terminal:
    """Hands over a terminal in which a long reply is under way."""
    home.script(numbered(3000), delay_s=0.01)
    terminal = home.start(columns=columns, rows=rows)
    terminal.wait_for(READY)
    terminal.send("count, please\r")
    terminal.wait_for(has_number(20))
    return terminal


def test_escape_stops_the_reply_and_keeps_what_had_arrived(home: Home) -> None:
    with start_streaming(home) as terminal:
        seen = newest_number(terminal.screen())
        terminal.send(ESCAPE)
        terminal.wait_for("stopped")
        terminal.wait_for("first word")  # the figures of the turn: it has ended
        shown = newest_number(terminal.screen())
    question, answer = home.messages()
    assert (question.text, answer.state) == ("count, please", MessageState.INTERRUPTED)
    assert newest_number(answer.text) >= shown >= seen


async def test_escape_hangs_up_on_the_server_at_once(home: Home) -> None:
    async with ChatServer() as server:
        server.default = endless()
        home.configure(f'[chat]\nmodel = "near/m"\n[providers.near]\nbase_url = "{server.url}"\nmodels = ["m"]\n')
        with home.start() as terminal:
            await asyncio.to_thread(terminal.wait_for, "near/m")
            terminal.send("count, please\r")
            await asyncio.to_thread(terminal.wait_for, has_number(5))
            pressed = time.monotonic()
            terminal.send(ESCAPE)
            async with asyncio.timeout(5):
                await server.exchanges[0].gone.wait()
            assert server.exchanges[0].gone_at is not None
            assert server.exchanges[0].gone_at - pressed < CLOSED_WITHIN_S
            await asyncio.to_thread(terminal.wait_for, "stopped")
    assert home.messages()[-1].state is MessageState.INTERRUPTED


def test_what_is_written_during_a_reply_waits_and_goes_out_after_it(home: Home) -> None:
    home.script(numbered(60), "Second answer.", delay_s=0.01)
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("first\r")
        terminal.wait_for(has_number(5))
        terminal.send("second\r")
        terminal.wait_for("you (waiting)  second")
        terminal.wait_for("Second answer.")
    assert [message.text for message in home.messages() if message.role is Role.USER] == ["first", "second"]


def test_a_monster_on_its_way_stops_nobody_from_typing(home: Home) -> None:
    monsters = [HOSTILE[name][:18_000] for name in ("huge table", "five thousand lines", "one long line")]
    home.script(*monsters, delay_s=0.01, piece_size=150)
    with home.start() as terminal:
        terminal.wait_for(READY)
        for number, rare in enumerate(("龘靐齉", "爩籲癵", "麣纞虋")):
            terminal.send(f"monster {number}\r")
            terminal.wait_for(f"▌ monster {number}")
            assert max(terminal.keystroke_latency(rare)) < KEY_WITHIN_S
            terminal.send(BACKSPACE * len(rare))
            _wait_until_said(home, terminal, 2 * number + 2)


def _wait_until_said(home: Home, terminal: Terminal, count: int, within_s: float = 8.0) -> None:
    """All that was said has arrived whole, and the composer is free again."""
    deadline = terminal.elapsed + within_s
    while not (said := home.messages())[count - 1 :] or said[-1].state is MessageState.STREAMING:
        assert terminal.elapsed < deadline, terminal.screen()


def test_resizing_back_and_forth_during_a_reply_changes_nothing_but_the_picture(home: Home) -> None:
    with start_streaming(home, columns=80, rows=24) as terminal:
        for columns, rows in ((200, 50), (80, 24), (30, 8), (200, 50), (80, 24)):
            terminal.resize(columns, rows)
            terminal.wait_for("\n" + "─" * columns)  # the composer's upper edge, from side to side
            # A narrower terminal cuts what stood there to the same look: wait until the program has drawn on.
            terminal.wait_for(has_number(newest_number(terminal.screen()) + 15))
        seen = newest_number(terminal.screen())
        terminal.wait_for(has_number(seen + 20))
        terminal.send(ESCAPE)
        terminal.wait_for("stopped")
    text = home.messages()[-1].text
    assert text == numbered(newest_number(text))
    assert newest_number(text) >= seen + 20
