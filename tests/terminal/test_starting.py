"""What a start finds: another window, a config with mistakes, a conversation that was cut off."""

from __future__ import annotations

from lingque_tui.domain.messages import MessageState, Role
from lingque_tui.store import NewMessage
from tests.support.scripts import READY, Home


def test_a_second_window_on_the_same_session_reads_along(home: Home) -> None:
    home.fill([NewMessage(Role.USER, "said earlier")], title="shared")
    with home.start() as first:
        first.wait_for("said earlier")
        with home.start() as second:
            second.wait_for("read-only")
            second.wait_for("said earlier")  # the title says whose it is before the conversation is there
            second.send("not to be sent\r")
            second.send("\x1bOP")
            second.wait_for("Keys and commands")
        first.send("still mine\r")
        first.wait_for("fox answers.")
    assert [message.text for message in home.messages()][:2] == ["said earlier", "still mine"]


def test_a_config_with_mistakes_is_a_notice_and_no_obstacle(home: Home) -> None:
    home.configure('[ui]\ntheme = 5\nlangauge = "zh"\n')
    with home.start() as terminal:
        terminal.wait_for("ui.theme")
        terminal.wait_for("langauge")
        terminal.send("hello\r")
        terminal.wait_for("fox answers.")


def test_a_config_that_is_no_toml_is_a_notice_and_no_obstacle(home: Home) -> None:
    home.configure("[ui\ntheme == ")
    with home.start() as terminal:
        terminal.wait_for("can't be read")
        terminal.send("hello\r")
        terminal.wait_for("fox answers.")


def test_a_reply_that_a_crash_cut_off_is_shown_as_cut_off(home: Home) -> None:
    home.fill(
        [
            NewMessage(Role.USER, "tell me"),
            NewMessage(Role.ASSISTANT, "Once upon a ti", state=MessageState.STREAMING),
        ]
    )
    with home.start() as terminal:
        terminal.wait_for("Once upon a ti")
        terminal.wait_for("stopped; the part that arrived is kept")


def test_the_language_of_the_locale_is_spoken(home: Home) -> None:
    home.environment["LANG"] = "zh_CN.UTF-8"
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.wait_for("灵雀")
        assert "Type a message" not in terminal.screen()
