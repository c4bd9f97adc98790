"""How one message looks. A coloured bar at the left edge and a word say who speaks; nothing is boxed.

Outside text enters only as `Content` or through the Markdown parser with HTML switched off: it is never
parsed as Textual markup, so nothing in it can act.
"""

from __future__ import annotations

import time

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as UiMessage
from textual.widgets import Static

from lingque_tui.domain.errors import LingqueError
from lingque_tui.domain.messages import Message, MessageState, Role
from lingque_tui.i18n import t
from lingque_tui.ui import figures, window
from lingque_tui.ui.prose import Prose

_SPEAKERS = {
    Role.USER: ("you", "$user-bar"),
    Role.ASSISTANT: ("assistant", "$foreground"),
    Role.TOOL: ("tool", "$notice"),
    Role.SYSTEM: ("system", "$notice"),
}


def view_for(message: Message) -> MessageView:
    match message.role:
        case Role.ASSISTANT:
            return ReplyView(message)
        case _:
            return SaidView(message)


class MessageView(Vertical):
    """Any message in the transcript."""

    def __init__(self, message: Message) -> None:
        super().__init__(classes=f"message -{message.role.value}")
        self.message = message

    @property
    def seq(self) -> int:
        return self.message.seq

    @property
    def weight(self) -> int:
        return window.weight(self.message)

    def heading(self) -> Content:
        name, colour = _SPEAKERS[self.message.role]
        moment = figures.clock(self.message.created_at, time.time())
        return Content.assemble((t(name), f"bold {colour}"), ("  " + moment, "$notice"))


class SaidView(MessageView):
    """What the person wrote, word for word."""

    def compose(self) -> ComposeResult:
        yield Static(self.heading(), classes="heading")
        yield text_view(self.message.text)


def text_view(text: str) -> Prose | Parts:
    return Parts(text) if window.is_monster(text) else Prose(text, is_markdown=False)


class Parts(Vertical):
    """A monster, as it is, in parts: each one a click or a key away."""

    def __init__(self, text: str) -> None:
        super().__init__(classes="parts")
        self._parts = window.parts(text)
        self._shown = 0

    def compose(self) -> ComposeResult:
        yield self._next_part()
        if self._rest:
            yield ReadOn(self._rest)

    @property
    def _rest(self) -> int:
        return sum(map(len, self._parts[self._shown :]))

    def _next_part(self) -> Prose:
        self._shown += 1
        return Prose(self._parts[self._shown - 1], is_markdown=False)

    async def on_read_on_wanted(self, event: ReadOn.Wanted) -> None:
        event.stop()
        await self.mount(self._next_part(), before=event.read_on)
        if self._rest:
            event.read_on.left = self._rest
        else:
            await event.read_on.remove()


class ReadOn(Static, can_focus=True):
    """“… more characters”: asks for the next part."""

    BINDINGS = [("enter", "more", "")]

    class Wanted(UiMessage):
        def __init__(self, read_on: ReadOn) -> None:
            super().__init__()
            self.read_on = read_on

    def __init__(self, left: int) -> None:
        super().__init__(self._words(left), classes="read-on")

    @property
    def left(self) -> int:
        return 0

    @left.setter
    def left(self, count: int) -> None:
        self.update(self._words(count))

    @staticmethod
    def _words(left: int) -> Content:
        return Content(t("more_text", count=f"{left:,}"))

    def on_click(self) -> None:
        self.action_more()

    def action_more(self) -> None:
        self.post_message(self.Wanted(self))


class Thinking(Static, can_focus=True):
    """The model's thinking aloud, folded to one line until a click or enter opens it."""

    BINDINGS = [("enter", "open", "")]

    def __init__(self, text: str) -> None:
        super().__init__(classes="thinking")
        self._text = text
        self._open = False

    def on_mount(self) -> None:
        self._draw()

    def set_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self._draw()

    def on_click(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        self._open = not self._open
        self._draw()

    def _draw(self) -> None:
        title = f"{'▾' if self._open else '▸'} {t('thinking')} · {len(self._text):,}"
        shown = f"{title}\n{self._text[: 4 * window.PART_CHARACTERS]}" if self._open else title
        self.update(Content(shown))


class ReplyView(MessageView):
    """A reply, finished or still growing. `follow` catches up with the text as far as it has come."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self._thinking: Thinking | None = None
        self._body: Prose | Parts | None = None

    def compose(self) -> ComposeResult:
        yield Static(self.heading(), classes="heading")
        if self.message.reasoning:
            self._thinking = Thinking(self.message.reasoning)
            yield self._thinking
        text = self.message.text
        self._body = Parts(text) if window.is_monster(text) else Prose(text)
        yield self._body
        if self.message.state is MessageState.INTERRUPTED:
            yield self._ending(t("stopped"))

    async def follow(self, message: Message) -> None:
        grew = len(message.text) > len(self.message.text)
        self.message = message
        await self._follow_thinking(message.reasoning)
        if grew and isinstance(self._body, Prose):
            if window.is_monster(message.text):  # its end, plainly, until all of it is there
                self._body.show_plain("…" + message.text[-window.PART_CHARACTERS :])
            else:
                self._body.grow(message.text)

    async def finish(self, message: Message, error: LingqueError | None) -> None:
        await self.follow(message)
        if window.is_monster(message.text):
            await self._draw_parts(message.text)
        if error is not None:
            await self.mount(self._ending(f"{error.what} {error.next_step}"))
        elif message.state is MessageState.INTERRUPTED:
            await self.mount(self._ending(t("stopped")))

    async def _follow_thinking(self, reasoning: str) -> None:
        if not reasoning:
            return
        if self._thinking is None:
            self._thinking = Thinking(reasoning)
            await self.mount(self._thinking, after=0)
        self._thinking.set_text(reasoning)

    async def _draw_parts(self, text: str) -> None:
        """A monster would take seconds to lay out as Markdown: draw what there is plainly, in parts."""
        body = Parts(text)
        if self._body is not None:
            await self.mount(body, after=self._body)
            await self._body.remove()
        self._body = body

    def _ending(self, words: str) -> Static:
        return Static(Content(f"■ {words}"), classes="ending")


class NoticeView(Static):
    """News in the place where it happened: an error and its next step, a retry, a hint. Not stored."""

    def __init__(self, text: str, kind: str = "note") -> None:
        super().__init__(Content(text), classes=f"notice -{kind}")
