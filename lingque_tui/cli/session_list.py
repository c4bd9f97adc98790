"""`lingque sessions`: one line a session, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from lingque_tui.config.paths import Paths
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.messages import SessionInfo
from lingque_tui.i18n import t
from lingque_tui.store import Store


def list_sessions(paths: Paths, search: str) -> Sequence[SessionInfo]:
    if not paths.store.exists():
        return ()
    store = Store.open(paths.store)
    try:
        return store.sessions(search=search).result()
    finally:
        store.close()


def session_rows(found: Sequence[SessionInfo], as_json: bool) -> Any:
    if as_json:
        return [_as_json(info) for info in found]
    return "\n".join(map(_row, found)) if found else t("cli_no_sessions")


def _as_json(info: SessionInfo) -> dict[str, object]:
    return {
        "id": info.id,
        "title": info.title,
        "messages": info.message_count,
        "model": info.model,
        "created_at": info.created_at,
        "updated_at": info.updated_at,
    }


def _row(info: SessionInfo) -> str:
    when = datetime.fromtimestamp(info.updated_at).strftime("%Y-%m-%d %H:%M")
    title = clean_line(info.title, 60) or t("session_untitled")
    return f"{info.id[:8]}  {when}  {info.message_count:>6}  {title}"
