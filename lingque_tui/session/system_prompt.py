"""Who the assistant is, in a few words: small models follow a short prompt better than a long one."""

from __future__ import annotations

from lingque_tui.domain.messages import Message, Role

SOUL = (
    "You are Lingque (灵雀), a helpful assistant in a terminal. "
    "Answer in the language of the question. Be clear and brief; use Markdown where it helps."
)


def system_message(session_id: str) -> Message:
    return Message(id="system", seq=0, session_id=session_id, role=Role.SYSTEM, text=SOUL, created_at=0.0)
