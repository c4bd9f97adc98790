"""OpenAI-style message dicts of other programs, made into messages of ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from lingque_tui.domain.clean import clean
from lingque_tui.domain.errors import CommandError
from lingque_tui.domain.messages import Role, ToolCall
from lingque_tui.store import NewMessage

_ROLES = {"developer": Role.SYSTEM, "function": Role.TOOL}


def to_new_messages(messages: Iterable[Mapping[str, Any]]) -> list[NewMessage]:
    return [_to_new_message(index, message) for index, message in enumerate(messages)]


def _to_new_message(index: int, message: Mapping[str, Any]) -> NewMessage:
    role = message.get("role")
    try:
        known = _ROLES.get(str(role)) or Role(str(role))
    except ValueError:
        raise CommandError(detail=f"message {index} has the role {role!r}, which is none of {list(Role)}") from None
    return NewMessage(
        role=known,
        text=clean(_text(message.get("content"))),
        id=message.get("id"),
        created_at=_moment(message.get("created_at")),
        tool_calls=tuple(map(_tool_call, message.get("tool_calls") or ())),
        tool_call_id=str(message.get("tool_call_id") or ""),
    )


def _text(content: object) -> str:
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
        case _:
            return json.dumps(content, ensure_ascii=False)


def _moment(value: object) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or {}
    return ToolCall(
        str(call.get("id") or ""), clean(str(function.get("name") or "")), clean(str(function.get("arguments") or ""))
    )
