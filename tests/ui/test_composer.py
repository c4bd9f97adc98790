"""Where a person writes: keys, history, pastes, drafts."""

from __future__ import annotations

from textual import events

from lingque_tui.domain.messages import Role
from lingque_tui.store import NewMessage
from tests.support.scripts import Home
from tests.ui.chat import Chat, chatting

BIG = "\n".join(f"line {number}" for number in range(100))


async def paste(chat: Chat, text: str) -> None:
    chat.app.post_message(events.Paste(text))
    await chat.pilot.pause()


async def test_the_newline_keys_and_a_backslash_before_enter_make_new_lines_and_send_nothing(home: Home) -> None:
    async with chatting(home) as chat:
        for key in ("ctrl+j", "alt+enter", "shift+enter", "ctrl+enter"):
            await chat.type(key, key)
        await chat.type("backslash\\", "enter")
        assert chat.composer.text == "ctrl+j\nalt+enter\nshift+enter\nctrl+enter\nbackslash\n"
        assert not chat.conversation.is_busy
        assert chat.said == []


async def test_a_message_of_nothing_but_space_is_not_sent(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("   ", "enter")
        assert not chat.conversation.is_busy
        assert chat.said == []


async def test_the_composer_grows_to_ten_rows_and_shrinks_again(home: Home) -> None:
    async with chatting(home) as chat:
        heights = []
        for _ in range(5):
            heights.append(chat.composer.size.height)
            await chat.press("ctrl+j", "ctrl+j", "ctrl+j")
        assert heights == [1, 4, 7, 10, 10]
        await chat.type("end", "enter")
        await chat.until(lambda: chat.composer.size.height == 1)


async def test_up_and_down_walk_through_what_was_said_and_back_to_what_was_being_written(home: Home) -> None:
    home.fill([NewMessage(Role.USER, text) for text in ("oldest", "older", "newest")])
    async with chatting(home) as chat:
        await chat.type("half a thought")
        walked = []
        for key in ("up", "up", "up", "up", "down", "down", "down", "down"):
            await chat.press(key)
            walked.append(chat.composer.text)
        assert walked[:4] == ["newest", "older", "oldest", "oldest"]
        assert walked[4:] == ["older", "newest", "half a thought", "half a thought"]


async def test_what_was_just_sent_is_one_up_away(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.send("again please")
        await chat.idle()
        await chat.press("up")
        assert chat.composer.text == "again please"


async def test_up_inside_several_lines_moves_the_cursor(home: Home) -> None:
    home.fill([NewMessage(Role.USER, "said before")])
    async with chatting(home) as chat:
        await chat.type("one", "ctrl+j")
        await chat.type("two", "up")
        assert chat.composer.text == "one\ntwo"
        assert chat.composer.cursor_location[0] == 0


async def test_a_big_paste_stands_as_a_placeholder_and_is_sent_whole(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("look: ")
        await paste(chat, BIG)
        assert chat.composer.text == f"look: ⟦1 pasted: 100 lines, {len(BIG)} characters⟧"
        await chat.type(" why?", "enter")
        await chat.idle()
        await chat.until(lambda: chat.said)
        assert chat.said[0] == ("user", f"look: {BIG} why?")


async def test_a_small_paste_is_inserted_cleaned(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("<")
        await paste(chat, "a\x1b[2Jb\r\nc\u202e\x07")
        await chat.type(">")
        assert chat.composer.text == "<ab\nc>"


async def test_a_draft_is_there_again_after_a_restart(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("half a thought")
    async with chatting(home) as chat:
        assert chat.composer.text == "half a thought"
        await chat.type(", finished")
        assert chat.composer.text == "half a thought, finished"


async def test_a_pasted_draft_is_whole_after_a_restart(home: Home) -> None:
    async with chatting(home) as chat:
        await paste(chat, BIG)
    async with chatting(home) as chat:
        assert chat.composer.draft == BIG
        assert "⟦1 pasted" in chat.composer.text


async def test_completion_opens_on_a_slash_and_tab_completes(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("/")
        assert "/help" in chat.text
        assert "/new [title]" in chat.text
        await chat.type("ren", "tab")
        assert chat.composer.text == "/rename "
        assert "/new [title]" not in chat.text


async def test_arrows_move_through_the_completion_and_enter_runs_the_chosen_one(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("/")
        names = sorted(chat.conversation.registry.commands)
        target = names.index("help")
        await chat.press(*["down"] * (target + 1), "up")
        assert any(line.lstrip().startswith("❯ /help") for line in chat.lines)
        await chat.press("enter")
        await chat.shown("Keys and commands")
        assert chat.composer.text == ""


async def test_escape_closes_the_completion_and_leaves_what_was_typed(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("/he", "escape")
        assert "/help" not in chat.text
        assert chat.composer.text == "/he"


async def test_a_command_that_needs_words_waits_for_them(home: Home) -> None:
    async with chatting(home) as chat:
        await chat.type("/rena", "enter")
        assert chat.composer.text == "/rename "
        await chat.type("A better title", "enter")
        await chat.until(lambda: "A better title" in chat.line_of("title"))
