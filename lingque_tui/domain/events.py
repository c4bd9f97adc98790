"""What happened in a session, past tense. The screen, `lingque ask` and tests are listeners alike.

Only `ReplyGrew` and `ContextMeasured` may be coalesced on their way; all others arrive, each and in order.
"""

from __future__ import annotations

from dataclasses import dataclass

from lingque_tui.domain.context import ContextBill
from lingque_tui.domain.errors import LingqueError
from lingque_tui.domain.messages import Message, QueuedMessage, SessionInfo


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """The person's message is on disk."""

    message: Message


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """All that waits, in the order in which it will go out."""

    waiting: tuple[QueuedMessage, ...]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A reply to this message is being asked for: for the first time, or again."""

    user_message_id: str


@dataclass(frozen=True, slots=True)
class ReplyStarted:
    message: Message


@dataclass(frozen=True, slots=True)
class ReplyGrew:
    message_id: str
    text: str
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """`message.state` tells how: complete or interrupted. `error` is why, where something failed."""

    message: Message
    error: LingqueError | None = None


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """No word of a reply arrived. The person's message is kept."""

    error: LingqueError


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event of every turn, however it went."""

    user_message_id: str


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """A request failed before a word arrived and will be sent again by itself."""

    error: LingqueError
    attempt: int
    delay_s: float


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """Title or model."""

    info: SessionInfo


@dataclass(frozen=True, slots=True)
class ContextMeasured:
    bill: ContextBill


Event = (
    MessageAdded
    | QueueChanged
    | TurnStarted
    | ReplyStarted
    | ReplyGrew
    | ReplyEnded
    | TurnFailed
    | TurnEnded
    | RetryScheduled
    | SessionChanged
    | ContextMeasured
)
