"""Outside text is text, wherever it is shown: it can't act, can't crash, can't paint outside its place.

One window for each place, all texts through it: a text that does harm is named by the failing assertion. What
the bytes at the terminal look like is another question, asked in `tests/terminal/test_hostile.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from lingque_tui.domain.clean import clean
from lingque_tui.domain.errors import ServerFailed
from lingque_tui.domain.messages import Message, MessageState, Role
from lingque_tui.domain.ports import ModelInfo
from lingque_tui.store import NewMessage
from lingque_tui.store.store import random_id
from lingque_tui.ui.message_views import Thinking
from lingque_tui.ui.picker import Picker
from tests.support.hostile import HOSTILE, SHORT, storable
from tests.support.scripts import Home
from tests.ui.chat import Chat, Puppet, chatting

PIECE = 700
"""Characters at a time, so that whatever has a beginning and an end is cut in two now and then."""


def check(chat: Chat, name: str) -> None:
    """The window is alive, and nothing in it can be clicked but the links of Markdown."""
    assert chat.app.is_running and chat.app._exception is None, name
    assert not actions(chat) - {"link"}, name


def actions(chat: Chat) -> set[str]:
    """Names of what a click anywhere on the screen would do."""
    found: set[str] = set()
    for strip in chat.page._compositor.render_strips():
        for segment in strip:
            action = segment.style.meta.get("@click") if segment.style else None
            if action is not None:
                found.add(action[0] if isinstance(action, tuple) else str(action).partition("(")[0])
    return found


def prefixes(text: str) -> Iterable[str]:
    """`text` as far as it has come, piece by piece."""
    return (text[: end + PIECE] for end in range(0, min(len(text), 40 * PIECE), PIECE))


def batches(texts: Mapping[str, str], size: int = 4) -> Iterator[tuple[str, list[str]]]:
    """A few texts at a time, with their names: a screen takes longer to draw than to look at."""
    items = list(texts.items())
    for start in range(0, len(items), size):
        some = items[start : start + size]
        yield ", ".join(name for name, _ in some), [text for _, text in some]


async def walk_down(chat: Chat, name: str) -> None:
    """Through a list, looking at every page of it."""
    await chat.until(lambda: isinstance(chat.page, Picker) and chat.page._items)
    assert isinstance(chat.page, Picker)
    for _ in range(len(chat.page._items) // 8):
        for _ in range(8):
            chat.page.key_down()
        await chat.pilot.pause()
        check(chat, name)


async def delivered(chat: Chat) -> None:
    await chat.until(lambda: all(worker.is_finished for worker in chat.app.workers if worker.group == "deliver"))
    await chat.pilot.pause()


async def test_pasted_drafted_and_said(home: Home) -> None:
    async with chatting(home) as chat:
        for name, text in HOSTILE.items():
            chat.composer.post_message(events.Paste(text))
            await chat.until(lambda: chat.composer.text)
            check(chat, name)
            assert chat.composer.draft == clean(text), name
            await chat.transcript.add(_message(Role.USER, chat.composer.draft))
            chat.composer.put(clean(text))
            assert chat.composer.draft == clean(text), name
            await chat.pilot.pause()
            check(chat, name)
            chat.composer.empty()
            await chat.views[-1].remove()


async def test_streamed_and_thought(home: Home) -> None:
    async with chatting(home) as chat:
        for name, text in HOSTILE.items():
            reply = _message(Role.ASSISTANT, "")
            await chat.transcript.add(reply)
            for so_far in prefixes(clean(text)):
                reply = replace(reply, text=so_far, reasoning=so_far[:PIECE])
                await chat.transcript.follow(reply)
            await chat.transcript.finish(reply, None)
            for thinking in chat.views[-1].query(Thinking):
                thinking.action_open()
            await chat.pilot.pause()
            check(chat, name)
            await chat.views[-1].remove()


def _message(role: Role, text: str) -> Message:
    return Message(id=random_id(), seq=1, session_id="s", role=role, text=text, created_at=0.0)


async def test_loaded_from_the_store_as_another_program_left_it(home: Home) -> None:
    said = [
        NewMessage(role, storable(text), reasoning=storable(text)[:500])
        for text in HOSTILE.values()
        for role in (Role.USER, Role.ASSISTANT)
    ]
    home.fill([*said, NewMessage(Role.USER, "the end")])
    async with chatting(home) as chat:
        check(chat, "the newest")
        await chat.press("ctrl+home")
        deadline = time.monotonic() + 20
        while chat.views[-1].message.text != "the end" or not chat.transcript.is_vertical_scroll_end:
            assert time.monotonic() < deadline, "the end was never reached"
            chat.transcript.scroll_page_down(animate=False)
            await chat.pilot.pause()
            check(chat, chat.views[-1].message.text[:60])


async def test_monsters_side_by_side_let_the_window_come_to_rest(home: Home) -> None:
    """Too heavy to be mounted together, they must not push each other out for ever."""
    names = ("tabs", "one long line", "five thousand lines", "one long line", "five thousand lines", "huge table")
    home.fill([NewMessage(Role.USER, storable(HOSTILE[name])) for name in names * 3])
    async with chatting(home) as chat:
        await chat.press("ctrl+home")
        for _ in range(4):
            chat.transcript.scroll_page_down(animate=False)
            await chat.pilot.pause()
        looks: list[object] = []
        await chat.until(lambda: _is_still(looks, [view.seq for view in chat.views]))


def _is_still(looks: list[object], look: object, times: int = 40) -> bool:
    looks.append(look)
    return looks[-times:] == [look] * times


async def test_as_titles(home: Home) -> None:
    for text in SHORT.values():
        home.fill([NewMessage(Role.USER, storable(text))], title=storable(text))
    async with chatting(home) as chat:
        for name, text in SHORT.items():
            await chat.conversation.session.rename(text)
            await chat.pilot.pause()
            check(chat, name)
        await chat.press("ctrl+s")
        await walk_down(chat, "the list of sessions")
        await chat.type("mark0")
        check(chat, "a search in the list of sessions")


async def test_as_models_names(home: Home, puppet: Puppet, monkeypatch: pytest.MonkeyPatch) -> None:
    async def list_models() -> tuple[ModelInfo, ...]:
        return tuple(ModelInfo("scripted", name, window=8192) for name in SHORT.values())

    monkeypatch.setattr(puppet, "list_models", list_models)
    async with chatting(home, puppet) as chat:
        await chat.send("/model")
        await walk_down(chat, "the list of models")
        await chat.press("escape")
        for name, text in SHORT.items():
            await chat.conversation.use_model(f"scripted/{storable(text)}")
            await chat.pilot.pause()
            check(chat, name)


async def test_a_server_that_lists_a_model_twice(home: Home, puppet: Puppet, monkeypatch: pytest.MonkeyPatch) -> None:
    async def list_models() -> tuple[ModelInfo, ...]:
        return (ModelInfo("scripted", "twice", window=8192),) * 2

    monkeypatch.setattr(puppet, "list_models", list_models)
    async with chatting(home, puppet) as chat:
        await chat.send("/model")
        await chat.shown("scripted/twice")
        check(chat, "the list of models")


async def test_as_the_words_of_an_error(home: Home) -> None:
    async with chatting(home) as chat:
        for names, texts in batches(SHORT):
            for text in texts:
                error = ServerFailed(provider=text, detail=text)
                reply = _message(Role.ASSISTANT, "half an ans")
                await chat.transcript.add(reply)
                await chat.transcript.finish(replace(reply, state=MessageState.INTERRUPTED), error)
                await chat.transcript.tell(f"{error.what} {error.next_step}", "error")
            await chat.pilot.pause()
            check(chat, names)
            await chat.transcript.remove_children()


async def test_as_notices(home: Home) -> None:
    async with chatting(home) as chat:
        for names, texts in batches(SHORT):
            for text in texts:
                chat.conversation.say(text)
            await chat.pilot.pause()
            check(chat, names)
            chat.app.clear_notifications()


async def test_as_arguments_of_commands(home: Home) -> None:
    async with chatting(home) as chat:
        for names, texts in batches(SHORT):
            for text in texts:
                for command in ("/theme", "/model", "/rename", "/no-such"):
                    chat.conversation.send(f"{command} {text}")
            await delivered(chat)
            check(chat, names)
            await chat.transcript.remove_children()


async def test_as_names_of_theme_files(home: Home) -> None:
    home.paths.themes.mkdir(parents=True)
    for number, text in enumerate(SHORT.values()):
        _write_theme(home.paths.themes, storable(text).replace("/", "∕").replace("\x00", ""), good=bool(number % 2))
    home.configure('[ui]\ntheme = "[/] [@click=app.quit]x"\n')
    async with chatting(home) as chat:
        check(chat, "the start")
        await chat.send("/theme")
        await walk_down(chat, "the list of themes")
        await chat.press("enter")
        await chat.pilot.pause()
        check(chat, "such a theme")


def _write_theme(folder: Path, name: str, *, good: bool) -> None:
    stem = name.encode()[:200].decode("utf-8", "ignore")
    (folder / f"{stem}.toml").write_text('primary = "#abcdef"\n' if good else f"primary = '[/]'\n# {len(name)}\n")


async def test_as_mistakes_in_the_config(home: Home) -> None:
    home.configure(
        "".join(f"{_toml(text)} = {_toml(text)}\n" for text in SHORT.values())
        + "[ui]\n"
        + "".join(f"{_toml(text)} = {_toml(text)}\n" for text in SHORT.values())
        + f"language = {_toml(SHORT['click action'])}\n"
        + "".join(f"[providers.{_toml(text)}]\nbase_url = 5\n" for text in SHORT.values())
    )
    async with chatting(home) as chat:
        await chat.pilot.pause()
        check(chat, "the notices of a start")


def _toml(text: str) -> str:
    escaped = "".join(
        letter if letter.isalnum() and letter.isascii() else f"\\U{ord(letter):08X}" for letter in storable(text)
    )
    return f'"{escaped}"'


async def test_as_what_waits(home: Home, puppet: Puppet) -> None:
    async with chatting(home, puppet) as chat:
        await chat.send("first")
        puppet.say("a reply that takes its time")
        await chat.shown("takes its time")
        for names, texts in batches(SHORT):
            for text in texts:
                await chat.conversation.session.submit(text)
            await chat.pilot.pause()
            check(chat, names)
        await chat.until(lambda: chat.waiting.display)
