"""The conversation on screen: a window onto the log, moved by scrolling.

Only what can be seen and a little around it is mounted (`window.py`). Earlier and later messages load by
themselves at the edges; the text under the person's eyes never moves. While the view is at the tail it
follows the reply; scrolled up, it stays where it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from textual import on, work
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.widget import Widget

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import LingqueError
from lingque_tui.domain.messages import Message
from lingque_tui.i18n import t
from lingque_tui.session.session import Session
from lingque_tui.ui import window
from lingque_tui.ui.message_views import MessageView, NoticeView, ReplyView, view_for
from lingque_tui.ui.prose import Prose
from lingque_tui.ui.welcome import Welcome

_PAGE = 40


class Transcript(VerticalScroll, can_focus=False):
    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._session: Session | None = None
        self._has_earlier = False
        self._has_later = False
        self._changing = asyncio.Lock()
        """Held while children come and go: events of the session and scrolling meet here."""
        self._is_loading = False
        self._is_tailing = True

    @property
    def views(self) -> list[MessageView]:
        return [child for child in self.children if isinstance(child, MessageView)]

    # Showing a session

    async def show(self, session: Session, welcome: str = "") -> None:
        self._session = session
        await self.go_last()
        if not self.views:
            await self.mount(Welcome(welcome))

    async def go_first(self) -> None:
        """Message 1, however long the conversation is."""
        if self._session is None:
            return
        async with self._changing:
            if self._has_earlier:
                page = await self._session.page(after=0, limit=_PAGE)
                shown = window.oldest_to_fill(page, self._width, 2 * self._height)
                await self._replace(shown)
                self._has_earlier, self._has_later = False, _is_cut(shown, page)
                self._follow_tail(not self._has_later)
            self.scroll_home(animate=False, immediate=True)

    async def go_last(self) -> None:
        if self._session is None:
            return
        async with self._changing:
            page = await self._session.page(limit=_PAGE)
            shown = window.newest_to_fill(page, self._width, 2 * self._height)
            await self._replace(shown)
            self._has_earlier, self._has_later = _is_cut(shown, page), False
            self._follow_tail(True)
            self.scroll_end(animate=False, immediate=True)

    # What happened in the session

    async def add(self, message: Message) -> None:
        async with self._changing:
            await self._add(message)

    async def follow(self, message: Message) -> None:
        async with self._changing:
            view = self._view_of(message.id)
            if isinstance(view, ReplyView):
                await view.follow(message)
            else:
                await self._add(message)

    async def finish(self, message: Message, error: LingqueError | None) -> None:
        async with self._changing:
            view = self._view_of(message.id)
            if isinstance(view, ReplyView):
                await view.finish(message, error)
            else:
                await self._add(message)

    async def follow_again(self) -> None:
        """The person has just sent something: back to the end, where it appears."""
        if self._has_later:
            await self.go_last()
        else:
            self._follow_tail(True)
            self.scroll_end(animate=False)

    async def tell(self, text: str, kind: str = "note") -> None:
        async with self._changing:
            await self.query(Welcome).remove()
            await self.mount(NoticeView(text, kind))

    async def _add(self, message: Message) -> None:
        if self._has_later or self._view_of(message.id):
            return
        await self.query(Welcome).remove()
        await self.mount(self._view(message))
        if self.is_following:  # somebody who reads further up must not feel it
            await self._prune_top()

    @on(Prose.LinkClicked)
    def _link_clicked(self, event: Prose.LinkClicked) -> None:
        """Announced and copied, never opened by itself: the model chose the address."""
        event.stop()
        self.app.copy_to_clipboard(clean_line(event.href, 2000))
        self.notify(t("link_copied", link=clean_line(event.href, 80)), markup=False)

    # Moving the window

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._load_at_edges()

    def _load_at_edges(self) -> None:
        if self._session is None or self._is_loading:
            return
        if self._has_earlier and self.scroll_y < self._height:
            self._load(self._load_earlier)
        elif self._has_later and self.max_scroll_y - self.scroll_y < self._height:
            self._load(self._load_later)

    @work(group="edge", exit_on_error=False)
    async def _load(self, load: Callable[[Session, list[MessageView]], Awaitable[None]]) -> None:
        self._is_loading = True
        try:
            async with self._changing:
                if self._session is not None and (views := self.views):
                    await load(self._session, views)
        finally:
            self._is_loading = False
        self.call_after_refresh(self._load_at_edges)  # one page may not have been enough

    async def _load_earlier(self, session: Session, views: list[MessageView]) -> None:
        page = await session.page(before=views[0].seq, limit=_PAGE)
        shown = window.newest_to_fill(page, self._width, self._height)
        self._has_earlier = _is_cut(shown, page)
        async with self._unseen():
            await self._hold_still(views[0], self._mount_before(shown, views[0]))
            await self._prune_bottom()

    async def _load_later(self, session: Session, views: list[MessageView]) -> None:
        page = await session.page(after=views[-1].seq, limit=_PAGE)
        shown = window.oldest_to_fill(page, self._width, self._height)
        self._has_later = _is_cut(shown, page)
        async with self._unseen():
            await self.mount_all([self._view(message) for message in shown])
            await self._prune_top()
        if not self._has_later:
            self._follow_tail(True)

    @asynccontextmanager
    async def _unseen(self) -> AsyncIterator[None]:
        """Draw nothing while several steps make one change. What asked to be drawn meanwhile, a resize of the
        terminal for instance, is forgotten by Textual: so all is drawn anew at the end."""
        with self.app.batch_update():
            yield
        self.screen.refresh()

    async def _mount_before(self, messages: Sequence[Message], place: Widget) -> None:
        await self.mount_all([self._view(message) for message in messages], before=place)

    async def _hold_still(self, landmark: Widget, change: Awaitable[None]) -> None:
        """Let the change happen while `landmark` stays where it is on the screen. Call inside a batch update."""
        offset = landmark.virtual_region.y - self.scroll_y
        await change
        # A batch draws nothing until it ends, and lays nothing out either: the new place must be known before.
        self.screen._refresh_layout()
        self.scroll_to(y=landmark.virtual_region.y - offset, animate=False, immediate=True, force=True)

    # Pruned is only what is more than a screen away: otherwise it would be loaded again at once, for ever.

    async def _prune_top(self) -> None:
        views = self.views
        far = sum(1 for view in views if view.virtual_region.bottom < self.scroll_y - self._height)
        going = min(far, window.surplus([view.weight for view in views]))
        if not going:
            return
        self._has_earlier = True
        gone = self.remove_children(views[:going])
        if self.is_following:
            await gone
        else:
            await self._hold_still(views[going], gone)

    async def _prune_bottom(self) -> None:
        views = self.views
        edge = self.scroll_y + 2 * self._height
        far = sum(1 for view in views if view.virtual_region.y > edge)
        going = min(far, window.surplus([view.weight for view in reversed(views)]))
        if going:
            self._has_later = True
            self._follow_tail(False)
            last = views[len(views) - going - 1]
            index = self.children.index(last)
            await self.remove_children(list(self.children)[index + 1 :])

    async def _replace(self, messages: Sequence[Message]) -> None:
        async with self._unseen():
            await self.remove_children()
            await self.mount_all([self._view(message) for message in messages])

    def _view(self, message: Message) -> MessageView:
        """The row of a streaming reply is a checkpoint behind: the session has the newest words."""
        live = self._session.live_reply if self._session else None
        return view_for(live if live is not None and live.id == message.id else message)

    def _view_of(self, message_id: str) -> MessageView | None:
        return next((view for view in reversed(self.views) if view.message.id == message_id), None)

    @property
    def is_following(self) -> bool:
        return self._is_tailing and not (self._anchored and self._anchor_released)

    def _follow_tail(self, on: bool) -> None:
        # Not `anchor()`: that one jumps to the end at once, and here the person may be reading further up.
        self._is_tailing = on
        self._anchored = on and self.virtual_size.height > self.container_size.height
        self._anchor_released = on and self.scroll_y < self.max_scroll_y

    def watch_virtual_size(self, size: Size) -> None:
        self._anchor_when_full()

    def on_resize(self) -> None:
        self._anchor_when_full()

    def _anchor_when_full(self) -> None:
        """An anchored view shows short content at the bottom; ours begins at the top and anchors once it is full."""
        is_full = self.virtual_size.height > self.container_size.height > 0
        if not self._is_tailing or is_full == self._anchored:
            return
        self._anchored, self._anchor_released = is_full, False
        if is_full:
            self.scroll_end(animate=False, immediate=True)
        else:
            self.scroll_to(y=0, animate=False, immediate=True, force=True)

    @property
    def _width(self) -> int:
        return max(20, self.app.size.width - 6)

    @property
    def _height(self) -> int:
        return max(10, self.app.size.height)


def _is_cut(shown: Sequence[Message], page: Sequence[Message]) -> bool:
    """Whether there is more behind a page than is shown of it."""
    return len(shown) < len(page) or len(page) == _PAGE
