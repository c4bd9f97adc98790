"""What a command may ask of the window it was typed into. The window implements it; tests do too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # the window's shell paints before the engine is imported
    from lingque_tui.session.session import Session
    from lingque_tui.session.workspace import Workspace

PageName = Literal["help", "sessions", "models", "themes", "connect", "commands"]


class Desk(Protocol):
    @property
    def session(self) -> Session: ...

    @property
    def workspace(self) -> Workspace: ...

    def say(self, text: str) -> None:
        """One line of news, in the person's language."""
        ...

    def open_page(self, name: PageName) -> None: ...

    async def open_session(self, session_id: str | None) -> None:
        """Switch to a session; None makes a new one."""
        ...

    async def use_model(self, ref: str) -> None: ...

    def theme_names(self) -> tuple[str, ...]: ...

    def use_theme(self, name: str) -> None: ...

    def leave(self) -> None: ...
