"""Lingque (灵雀): a chat client for the terminal whose conversations never run out of room.

This module is the face other programs rely on. Names resolve on first use, so that `import lingque_tui`
costs nothing: no screen, no SDK, no tokenizer is loaded until it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lingque_tui.session.face import open_session
    from lingque_tui.tokens import count_tokens

__version__ = "0.1.0"
__all__ = ["__version__", "count_tokens", "open_session"]

_HOMES = {
    "open_session": "lingque_tui.session.face",
    "count_tokens": "lingque_tui.tokens",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'lingque_tui' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
