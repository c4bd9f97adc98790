"""What fingers send and what the composer makes of it, byte for byte as terminals send it."""

from __future__ import annotations

import re

from rich.cells import cell_len

from lingque_tui.domain.messages import Role
from tests.support.scripts import READY, Home
from tests.support.terminal import Condition, Terminal

ALT_ENTER = "\x1b\r"
SHIFT_ENTER = "\x1b[13;2u"
CTRL_J = "\n"
UP = "\x1b[A"
DOWN = "\x1b[B"


def paste(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


def composer(screen: str) -> list[str]:
    """The lines between the rule above the composer and the gauge below it."""
    lines = screen.split("\n")
    rule = max(index for index, line in enumerate(lines) if line.startswith("──"))
    return [line[3:] for line in lines[rule + 1 : -2]]


def has_typed(*lines: str) -> Condition:
    return lambda screen: "──" in screen and composer(screen) == list(lines)


def last_cursor(terminal: Terminal) -> tuple[int, int]:
    """Where the program put the cursor, by its own words: row and column from 1."""
    row, column = re.findall(rb"\x1b\[(\d+);(\d+)H", terminal.raw)[-1]
    return int(row), int(column)


def wait_for_reply(terminal: Terminal, text: str = "fox answers.") -> None:
    terminal.wait_for(text)
    terminal.wait_for("t/s")  # the figures of the finished turn


def test_enter_sends_and_the_reply_appears(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("What does the fox say?\r")
        wait_for_reply(terminal)
        assert terminal.screen().count("What does the fox say?") == 2, "in the transcript and as the title"
    assert [message.text for message in home.messages()] == ["What does the fox say?", "The quick brown fox answers."]


def test_what_is_sent_before_the_session_is_open_waits_for_it(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for("❯")
        terminal.send("early bird\r")
        wait_for_reply(terminal)
    assert home.messages()[0].text == "early bird"


def test_typing_ahead_of_the_program_mixes_nothing_up(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("one\rtwo\rthree\r")
        terminal.wait_for(lambda screen: "▌ three" in screen and screen.count("fox answers.") == 3)
    assert [message.text for message in home.messages() if message.role is Role.USER] == ["one", "two", "three"]


def test_there_are_four_ways_to_type_a_new_line(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        typed = [""]
        for word, keys in (("one", CTRL_J), ("two", ALT_ENTER), ("three", SHIFT_ENTER), ("four", "\\\r")):
            terminal.send(word)
            typed[-1] = word
            terminal.wait_for(has_typed(*typed))
            terminal.send(keys)
            typed.append("")
            terminal.wait_for(has_typed(*typed), 3)
        terminal.send("five\r")
        wait_for_reply(terminal)
    assert home.messages()[0].text == "one\ntwo\nthree\nfour\nfive"


def test_a_paste_of_five_thousand_lines_stands_as_a_placeholder_and_is_sent_whole(home: Home) -> None:
    lines = "\n".join(f"第 {number} 行 of five thousand" for number in range(1, 5001))
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("Sum up: " + paste(lines.replace("\n", "\r")))
        terminal.wait_for("5000 lines")
        assert len(composer(terminal.screen())) == 1
        terminal.send("\r")
        wait_for_reply(terminal)
    assert home.messages()[0].text == f"Sum up: {lines}"


def test_a_paste_cannot_press_enter(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send(paste("rm -rf\r/quit\r"))
        terminal.wait_for(has_typed("rm -rf", "/quit", ""))
        assert terminal.is_alive
    assert home.messages() == ()


def test_tabs_in_a_paste_are_shown_as_room(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send(paste("all:\n\tmake test") + "\r")
        wait_for_reply(terminal)
        assert re.search(r"▌ all:\n ▌ {2,}make test$", terminal.screen(), re.MULTILINE), terminal.screen()
    assert home.messages()[0].text == "all:\n\tmake test"


def test_chinese_takes_two_cells_a_character(home: Home) -> None:
    home.script("灵雀在枝头唱歌。")
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("春眠不觉晓")
        terminal.wait_for(has_typed("春眠不觉晓"))
        column = len(" ❯ ") + 2 * len("春眠不觉晓") + 1
        terminal.wait_for(lambda _: last_cursor(terminal) == (terminal.rows - 2, column))
        terminal.send("\r")
        wait_for_reply(terminal, "灵雀在枝头唱歌。")
        title = terminal.screen().split("\n")[0]
        assert "春眠不觉晓" in title
        assert cell_len(title) == terminal.columns - 1, "what stands at the right edge stands at the right edge"


def test_up_walks_through_what_was_written_and_down_comes_back(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        for question in ("first question", "second question"):
            terminal.send(f"{question}\r")
            terminal.wait_for(f"▌ {question}")
            wait_for_reply(terminal)
        terminal.send("unsent")
        terminal.wait_for(has_typed("unsent"))
        for key, question in ((UP, "second"), (UP, "first"), (DOWN, "second")):
            terminal.send(key)
            terminal.wait_for(has_typed(f"{question} question"))
        terminal.send(DOWN)
        terminal.wait_for(has_typed("unsent"))


def test_f1_shows_the_keys_and_escape_closes_them(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("\x1bOP")
        terminal.wait_for("Keys and commands")
        terminal.wait_for("ctrl+j")
        terminal.send("\x1b")
        terminal.wait_for(lambda screen: "Keys and commands" not in screen)
