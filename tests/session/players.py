"""Those who play along in the engine's tests: somebody who answers on cue, somebody who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from lingque_tui.config.schema import Chat, Config, ModelSettings
from lingque_tui.domain.events import Event, ReplyGrew, ReplyStarted, TurnEnded
from lingque_tui.domain.messages import Message, SessionInfo
from lingque_tui.domain.ports import ChatRequest, FinishPiece, ModelInfo, Piece, Provider, TextPiece
from lingque_tui.session.session import Session, opened
from lingque_tui.session.switchboard import Choice
from lingque_tui.store import Store

DEADLINE_S = 5.0
MODEL = "scripted"
E = TypeVar("E")


class Puppet:
    """A provider that says the next thing when the test lets it."""

    name = "puppet"

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []
        self.closed_streams = 0
        self._asked = asyncio.Event()
        self._cues: asyncio.Queue[Piece | Exception | None] = asyncio.Queue()

    def say(self, *texts: str) -> None:
        for text in texts:
            self._cues.put_nowait(TextPiece(text))

    def give(self, *pieces: Piece | Exception) -> None:
        for piece in pieces:
            self._cues.put_nowait(piece)

    def finish(self, text: str = "") -> None:
        if text:
            self.say(text)
        self.give(FinishPiece("stop"))
        self.hang_up()

    def hang_up(self) -> None:
        """End the stream; without `finish` before, that is a cut."""
        self._cues.put_nowait(None)

    async def asked(self) -> ChatRequest:
        """The next request, as soon as it is there."""
        async with asyncio.timeout(DEADLINE_S):
            await self._asked.wait()
        self._asked.clear()
        return self.requests[-1]

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        self.requests.append(request)
        self._asked.set()
        try:
            while (cue := await self._cues.get()) is not None:
                if isinstance(cue, Exception):
                    raise cue
                yield cue
        finally:
            self.closed_streams += 1

    async def list_models(self) -> tuple[ModelInfo, ...]:
        return ()

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        return None

    async def warm(self) -> None: ...

    async def close(self) -> None: ...


class WordCounter(Puppet):
    """One whose server can count: a token a word. `counted` keeps what it was asked."""

    def __init__(self, name: str = "counting") -> None:
        super().__init__()
        self.name = name
        self.counted: list[str] = []

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        self.counted += texts
        return [len(text.split()) for text in texts]


class Listener:
    """All that one subscriber heard, in order."""

    def __init__(self, session: Session) -> None:
        self._events = session.subscribe()
        self.heard: list[Event] = []

    async def until(self, kind: type[E], fits: Callable[[E], bool] = lambda event: True) -> E:
        """Listen on until such an event comes, or the deadline."""
        async with asyncio.timeout(DEADLINE_S):
            async for event in self._events:
                self.heard.append(event)
                if isinstance(event, kind) and fits(event):
                    return event
        raise AssertionError(f"the session closed without {kind.__name__}: {self.heard}")

    async def turns(self, count: int = 1) -> None:
        for _ in range(count):
            await self.until(TurnEnded)

    async def to_the_end(self) -> None:
        async with asyncio.timeout(DEADLINE_S):
            self.heard += [event async for event in self._events]

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.heard if isinstance(event, kind)]

    @property
    def text(self) -> str:
        """What the replies said, as far as it was heard."""
        texts = (event.message.text if isinstance(event, ReplyStarted) else event.text for event in self._words)
        return "".join(texts)

    @property
    def _words(self) -> list[ReplyStarted | ReplyGrew]:
        return [event for event in self.heard if isinstance(event, ReplyStarted | ReplyGrew)]


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until `condition` holds, for things that tell nobody when they are done."""
    async with asyncio.timeout(DEADLINE_S):
        while not condition():
            await asyncio.sleep(0.002)


def config_with(window: int | None = None, retries: int = 0, model: str = MODEL) -> Config:
    models = {model: ModelSettings(window=window)} if window else {}
    return Config(chat=Chat(retries=retries), models=models)


@asynccontextmanager
async def chat(
    store: Store,
    provider: Provider,
    *,
    info: SessionInfo | None = None,
    config: Config | None = None,
    model: str = MODEL,
) -> AsyncIterator[Session]:
    config = config or config_with()
    info = info or await store.create_session()
    async with opened(store, info, Choice(provider, model, config), config) as session:
        yield session


async def log(store: Store, session: Session | SessionInfo) -> list[Message]:
    return list(await store.messages(session.id, limit=10_000))


async def texts(store: Store, session: Session | SessionInfo) -> list[str]:
    return [message.text for message in await log(store, session)]
