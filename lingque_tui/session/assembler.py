"""What the model sees: a pure function of the log and the budget.

Order in time is kept, the newest message always goes, a tool result never goes without its call.
What does not fit stays in the store and is counted as left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lingque_tui.domain.context import ContextBill, Quality
from lingque_tui.domain.messages import Message, Role
from lingque_tui.domain.ports import WireMessage


@dataclass(frozen=True, slots=True)
class Counted:
    message: Message
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    window: int | None = None
    """None: nobody knows it, so nothing is left out."""
    reserve: int = 0
    line: float | None = None

    @property
    def room(self) -> int | None:
        """Tokens that the request may take."""
        return None if self.window is None else max(0, self.window - self.reserve)


@dataclass(frozen=True, slots=True)
class Assembly:
    messages: tuple[WireMessage, ...]
    bill: ContextBill


def assemble(
    system: Counted | None,
    history: Sequence[Counted],
    budget: Budget,
    *,
    draft_tokens: int = 0,
    older: int = 0,
    quality: Quality = Quality.ESTIMATED,
) -> Assembly:
    """`older`: messages of the session that are not even in `history`."""
    system_tokens = system.tokens if system else 0
    sendable = [entry for entry in history if is_sendable(entry.message)]
    kept = newest_that_fit(sendable, budget.room, taken=system_tokens + draft_tokens)
    wires = [to_wire(entry.message) for entry in kept]
    if system:
        wires.insert(0, to_wire(system.message))
    bill = ContextBill(
        system=system_tokens,
        recent=sum(entry.tokens for entry in kept),
        draft=draft_tokens,
        reserve=budget.reserve,
        window=budget.window,
        line=budget.line,
        quality=quality,
        left_out=older + len(sendable) - len(kept),
    )
    return Assembly(tuple(wires), bill)


def newest_that_fit(history: Sequence[Counted], room: int | None, *, taken: int = 0) -> Sequence[Counted]:
    if room is None:
        return history
    start = len(history)
    for index in range(len(history) - 1, -1, -1):
        taken += history[index].tokens
        if taken > room and index < len(history) - 1:
            break
        start = index
    while start < len(history) - 1 and history[start].message.role is Role.TOOL:
        start += 1  # its call has fallen out, so the result must too
    return history[start:]


def is_sendable(message: Message) -> bool:
    """An empty tool result is one: a call without its result would be refused."""
    return bool(message.text or message.tool_calls or message.role is Role.TOOL)


def to_wire(message: Message) -> WireMessage:
    wire: WireMessage = {"role": message.role.value, "content": message.text}
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        wire["tool_call_id"] = message.tool_call_id
    return wire
