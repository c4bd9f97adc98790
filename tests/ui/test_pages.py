"""The pages over the conversation: help, commands, models, themes; and the question before leaving."""

from __future__ import annotations

import tomllib

import pytest

from lingque_tui.ui.confirm import Confirm
from lingque_tui.ui.prose import Prose
from tests.support.chat_server import ChatServer, reply
from tests.support.scripts import Home
from tests.ui.chat import Chat, Puppet, chatting, history


def saved_theme(home: Home) -> object:
    return tomllib.loads(home.paths.config_file.read_text(encoding="utf-8"))["ui"]["theme"]


async def test_help_lists_every_command_and_closes_again(home: Home) -> None:
    async with chatting(home, size=(120, 50)) as chat:
        await chat.press("f1")
        await chat.shown("Keys and commands")
        commands = chat.conversation.registry.commands.values()
        assert commands
        assert [command.name for command in commands if f"/{command.name} " not in chat.text] == []
        assert [command.name for command in commands if command.summary not in chat.text] == []
        await chat.press("escape")
        await chat.until(lambda: chat.page is chat.window)


async def test_the_page_of_commands_runs_the_one_taken(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.press("ctrl+p")
        await chat.shown("/theme")
        await chat.type("/help", "enter")
        await chat.shown("Keys and commands")


# Models


async def test_another_model_answers_from_now_on(home: Home) -> None:
    async with ChatServer() as server:
        server.queue(reply("Hello from afar."))
        home.configure(f'[providers.afar]\nbase_url = "{server.url}"\nmodels = ["big", "small"]\n')
        async with chatting(home) as chat:
            await chat.send("/model afar/small")
            await chat.until(lambda: "afar/small" in chat.line_of("title"))
            await chat.send("anybody there?")
            await chat.shown("Hello from afar.")
        assert server.exchanges[0].json["model"] == "small"
        async with chatting(home) as chat:
            assert "afar/small" in chat.line_of("title")


async def test_an_unknown_provider_is_a_clear_error_and_changes_nothing(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("/model nowhere/small")
        await chat.shown("nowhere")
        assert any("▌" in line and "nowhere" in line for line in chat.lines)
        assert "scripted/scripted" in chat.line_of("title")


async def test_the_page_of_models_marks_the_current_one(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("/model")
        await chat.shown("● scripted/scripted")


# Themes


async def test_a_theme_is_used_at_once_and_kept(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("/theme lingque-light")
        await chat.until(lambda: chat.app.theme == "lingque-light")
        assert saved_theme(home) == "lingque-light"
    async with chatting(home) as chat:
        assert chat.app.theme == "lingque-light"


async def test_an_unknown_theme_is_refused_with_those_there_are(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("/theme plaid")
        await chat.shown("There is no theme “plaid”")
        assert chat.app.theme == "lingque-dark"
        assert not home.paths.config_file.exists()


async def test_the_page_of_themes_shows_each_one_at_once_and_escape_takes_it_back(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("/theme")
        await chat.shown("● lingque-dark")
        await chat.press("down")
        await chat.until(lambda: chat.app.theme != "lingque-dark")
        await chat.press("escape")
        await chat.until(lambda: chat.app.theme == "lingque-dark")
        assert not home.paths.config_file.exists()


async def test_the_page_of_themes_keeps_the_one_taken(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("/theme")
        await chat.shown("● lingque-dark")
        await chat.type("contrast", "enter")
        await chat.until(lambda: chat.page is chat.window)
        assert chat.app.theme == "lingque-contrast"
        assert saved_theme(home) == "lingque-contrast"


# Leaving, and copying by the same key


async def asked(chat: Chat) -> None:
    await chat.press("ctrl+c")
    await chat.until(lambda: isinstance(chat.page, Confirm))


async def test_ctrl_c_asks_before_leaving_and_n_stays(home: Home) -> None:
    async with chatting(home) as chat:
        await asked(chat)
        assert "Leave Lingque? Everything is saved." in chat.text
        await chat.press("n")
        await chat.until(lambda: chat.page is chat.window)
        assert chat.app.is_running
        await chat.type("still here")
        assert chat.composer.text == "still here"


@pytest.mark.parametrize("key", ["y", "ctrl+c"])
async def test_ctrl_c_and_yes_leaves(home: Home, key: str) -> None:
    async with chatting(home) as chat:
        await asked(chat)
        await chat.press(key)
        await chat.until(lambda: not chat.app.is_running)


async def test_leaving_in_the_middle_of_a_reply_says_what_becomes_of_it(home: Home, puppet: Puppet) -> None:
    async with chatting(home, puppet) as chat:
        await chat.send("hello")
        puppet.say("The beginning")
        await chat.shown("The beginning")
        await asked(chat)
        assert "A reply is still coming" in chat.text
        await chat.press("y")
    assert home.messages()[-1].text == "The beginning"


async def test_ctrl_c_copies_what_is_selected_in_the_composer(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("copy me")
        chat.composer.select_all()
        await chat.press("ctrl+c")
        assert chat.app.clipboard == "copy me"
        assert chat.page is chat.window


async def test_ctrl_c_copies_what_is_selected_in_the_transcript(home: Home) -> None:
    home.fill(history(1))
    async with chatting(home) as chat:
        said = chat.window.query_one(Prose)
        await chat.pilot.mouse_down(said, offset=(0, 0))
        await chat.pilot.hover(said, offset=(7, 0))
        await chat.pilot.mouse_up(said, offset=(7, 0))
        await chat.press("ctrl+c")
        assert chat.app.clipboard == "question"
        await chat.shown("Copied 8 characters")
        assert chat.page is chat.window
