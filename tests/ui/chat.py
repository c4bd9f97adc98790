"""The window as a person meets it: keys in, what stands on the screen out. Every wait is for something to be true."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from unittest.mock import patch

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from lingque_tui import i18n
from lingque_tui.config.boot import Boot
from lingque_tui.config.loading import load_config
from lingque_tui.config.schema import Config
from lingque_tui.domain.messages import Message, Role
from lingque_tui.domain.ports import ChatRequest, FinishPiece, ModelInfo, Piece, Provider, ReasoningPiece, TextPiece
from lingque_tui.providers import connections
from lingque_tui.providers.connections import Connection
from lingque_tui.store import NewMessage
from lingque_tui.ui.app import LingqueApp
from lingque_tui.ui.chat_screen import ChatScreen
from lingque_tui.ui.composer import Composer
from lingque_tui.ui.conversation import Conversation
from lingque_tui.ui.message_views import MessageView, ReplyView
from lingque_tui.ui.transcript import Transcript
from lingque_tui.ui.waiting_view import WaitingView
from tests.support.scripts import Home

DEADLINE_S = 10.0


class Puppet:
    """A model that says what the test hands it, when the test hands it. One reply at a time."""

    name = "scripted"

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []
        self._pieces: asyncio.Queue[Piece | Exception] = asyncio.Queue()

    def think(self, text: str) -> None:
        self._pieces.put_nowait(ReasoningPiece(text))

    def say(self, text: str) -> None:
        self._pieces.put_nowait(TextPiece(text))

    def end(self) -> None:
        self._pieces.put_nowait(FinishPiece("stop"))

    def fail(self, error: Exception) -> None:
        self._pieces.put_nowait(error)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        self.requests.append(request)
        while True:
            piece = await self._pieces.get()
            if isinstance(piece, Exception):
                raise piece
            yield piece
            if isinstance(piece, FinishPiece):
                return

    async def list_models(self) -> tuple[ModelInfo, ...]:
        return (ModelInfo(self.name, "scripted", window=8192),)

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        return None

    async def warm(self) -> None: ...

    async def close(self) -> None: ...


class Chat:
    def __init__(self, pilot: Pilot[None], home: Home) -> None:
        self.pilot = pilot
        self.home = home

    # What there is

    @property
    def app(self) -> LingqueApp:
        assert isinstance(self.pilot.app, LingqueApp)
        return self.pilot.app

    @property
    def page(self) -> Screen[object]:
        """Whatever lies on top."""
        return self.app.screen

    @property
    def window(self) -> ChatScreen:
        window = self.app.screen_stack[0]
        assert isinstance(window, ChatScreen)
        return window

    @property
    def conversation(self) -> Conversation:
        assert self.window.conversation is not None
        return self.window.conversation

    @property
    def composer(self) -> Composer:
        return self.window.query_one(Composer)

    @property
    def transcript(self) -> Transcript:
        return self.window.query_one(Transcript)

    @property
    def waiting(self) -> WaitingView:
        return self.window.query_one(WaitingView)

    @property
    def views(self) -> list[MessageView]:
        return self.transcript.views

    @property
    def replies(self) -> list[ReplyView]:
        return [view for view in self.views if isinstance(view, ReplyView)]

    @property
    def text(self) -> str:
        """The characters on the screen, all pages included."""
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        return lines_of(self.page)

    def line_of(self, id: str) -> str:
        return self.lines[self.window.query_one(f"#{id}").region.y]

    @property
    def said(self) -> list[tuple[str, str]]:
        """What the store holds of the session on the screen."""
        return [(message.role.value, message.text) for message in self.stored]

    @property
    def stored(self) -> tuple[Message, ...]:
        session = self.conversation.session
        return self.conversation.workspace.store.messages(session.id, limit=100).result()

    # What a person does

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str, *keys: str) -> None:
        """Posted at once: the pilot's own `press` rests 50 ms after each key."""
        for character in text:
            self.app.post_message(events.Key(_character_to_key(character), character))
        await self.pilot.pause()
        await self.press(*keys)

    async def send(self, text: str) -> None:
        await self.type(text, "enter")
        await self.until(lambda: not self.composer.text)

    async def click(self, widget: Widget) -> None:
        assert await self.pilot.click(widget)

    # Waiting

    async def until(self, condition: Callable[[], object], seconds: float = DEADLINE_S) -> None:
        await until(self.pilot, condition, seconds)

    async def shown(self, text: str) -> None:
        await self.until(lambda: text in self.text)

    async def idle(self) -> None:
        """No reply is coming, and what was said last is drawn."""
        await self.until(lambda: not self.conversation.is_busy and not self.conversation._turn_began)
        await self.pilot.pause()


async def until(pilot: Pilot[None], condition: Callable[[], object], seconds: float = DEADLINE_S) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("\n".join(["it never came to be true; on the screen:", *lines_of(pilot.app.screen)]))
        if pilot.app._exception:
            raise pilot.app._exception
        await asyncio.sleep(0.005)  # the pilot's own pause asks every widget, each time


def lines_of(screen: Screen[object]) -> list[str]:
    return ["".join(segment.text for segment in strip) for strip in screen._compositor.render_strips()]


@asynccontextmanager
async def chatting(
    home: Home,
    model: Puppet | None = None,
    *,
    size: tuple[int, int] = (100, 30),
    language: str = "en",
    is_awaited: bool = True,
) -> AsyncIterator[Chat]:
    """The app in `home` until the block ends. `model` answers instead of the home's script."""
    i18n.use(language)
    environment = {**home.environment, "LINGQUE_UI_LANGUAGE": language}
    app = LingqueApp(Boot(home.paths, load_config(home.paths, environment), environment))

    def open_provider(connection: Connection, config: Config) -> Provider:
        return model if model and connection.name == model.name else connections.open_provider(connection, config)

    with patch("lingque_tui.session.switchboard.open_provider", open_provider):
        try:
            async with app.run_test(size=size, notifications=True) as pilot:
                chat = Chat(pilot, home)
                await until(pilot, lambda: len(app.screen_stack) > 0)
                if is_awaited:
                    await ready(chat)
                yield chat
        finally:
            await app.close_conversation()


async def ready(chat: Chat) -> None:
    await chat.until(lambda: chat.window.conversation is not None and chat.conversation.is_open)
    await chat.pilot.pause()


def exchange(number: int, reply: str = "") -> list[NewMessage]:
    """One question and its answer, each naming its number."""
    return [
        NewMessage(Role.USER, f"question {number:04d}"),
        NewMessage(Role.ASSISTANT, reply or f"answer **{number:04d}**\n\n- first\n- second"),
    ]


def history(exchanges: int, reply: str = "") -> list[NewMessage]:
    said = [message for number in range(1, exchanges + 1) for message in exchange(number, reply)]
    return [replace(message, created_at=1_700_000_000.0 + place) for place, message in enumerate(said)]
