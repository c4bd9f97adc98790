"""OpenAI-style message dicts of other programs, made into messages of ours.

What can't be understood is refused by its place in the list, before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from lingque_tui.domain.clean import clean, clean_line
from lingque_tui.domain.errors import CommandError
from lingque_tui.domain.messages import Role, ToolCall
from lingque_tui.i18n import t
from lingque_tui.store import NewMessage

_ROLES = {"developer": Role.SYSTEM, "function": Role.TOOL, **{role.value: role for role in Role}}


def to_new_messages(messages: Iterable[Mapping[str, Any]]) -> list[NewMessage]:
    return [_to_new_message(index, message) for index, message in enumerate(messages)]


def _to_new_message(index: int, message: Mapping[str, Any]) -> NewMessage:
    try:
        return NewMessage(
            role=_role(message.get("role")),
            text=clean(_text(message.get("content"))),
            id=clean_line(str(message["id"])) if message.get("id") else None,
            created_at=_moment(message.get("created_at")),
            tool_calls=tuple(map(_tool_call, message.get("tool_calls") or ())),
            tool_call_id=clean_line(str(message.get("tool_call_id") or "")),
        )
    except (ValueError, TypeError, AttributeError) as problem:
        raise CommandError(detail=t("import.refused", index=index, detail=clean_line(str(problem)))) from problem


def _role(name: object) -> Role:
    role = _ROLES.get(str(name))
    if role is None:
        raise ValueError(t("import.role", role=clean_line(repr(name), 40), known=", ".join(Role)))
    return role


def _text(content: object) -> str:
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            return "\n".join(filter(None, map(_part, content)))
        case _:
            return json.dumps(content, ensure_ascii=False)


def _part(part: object) -> str:
    """Pictures and sounds can't be kept; their captions can."""
    return part if isinstance(part, str) else str(part.get("text") or "") if isinstance(part, Mapping) else ""


def _moment(value: object) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or {}
    arguments = function.get("arguments")
    return ToolCall(
        id=clean_line(str(call.get("id") or "")),
        name=clean_line(str(function.get("name") or "")),
        arguments=clean(arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)),
    )
