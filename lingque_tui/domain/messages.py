"""What was said. A message is a value: it is appended to the log and never rewritten.

The one exception is a reply that is still streaming: its row grows by checkpoints until it has ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class MessageState(StrEnum):
    STREAMING = "streaming"
    """Still arriving. Found on disk at opening, it means that the program died: it becomes INTERRUPTED."""
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """Stopped by the person, cut by the server or by a crash. What had arrived is kept."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """What one reply took. None means that nobody told us."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    first_token_s: float | None = None
    duration_s: float | None = None
    cost: float | None = None
    currency: str = "USD"

    @property
    def tokens_per_second(self) -> float | None:
        if not self.completion_tokens or not self.duration_s:
            return None
        writing = self.duration_s - (self.first_token_s or 0.0)
        return self.completion_tokens / writing if writing > 0 else None


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    seq: int
    """Place in the store's one integer order. Never compare clocks."""
    session_id: str
    role: Role
    text: str
    created_at: float
    state: MessageState = MessageState.COMPLETE
    reasoning: str = ""
    model: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    figures: TurnFigures | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """Written by the person while a reply streams; on disk at once, sent in order."""

    id: str
    position: int
    session_id: str
    text: str
    created_at: float


@dataclass(frozen=True, slots=True)
class SessionInfo:
    id: str
    title: str
    created_at: float
    updated_at: float
    message_count: int = 0
    model: str = ""
    archived: bool = False
    preview: str = ""
    """The beginning of the newest message, for lists."""
