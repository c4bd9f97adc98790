"""The request that a question would make now, without sending it: for other programs and for benchmarks."""

from __future__ import annotations

from typing import Any

from lingque_tui.config.models import describe_model
from lingque_tui.config.schema import Config
from lingque_tui.domain.clean import clean
from lingque_tui.domain.messages import Message, MessageState, Role
from lingque_tui.session.assembler import Budget, Counted, assemble
from lingque_tui.session.gauge import budget_for, own_counter
from lingque_tui.session.switchboard import Choice
from lingque_tui.session.system_prompt import system_message
from lingque_tui.store import Store

_EVERYTHING = 1_000_000


def context_for(
    store: Store,
    session_id: str,
    choice: Choice,
    config: Config,
    question: str,
    *,
    budget: int | None,
    window: int | None,
) -> list[dict[str, Any]]:
    """Blocks: it reads and counts. `budget` bounds the history, question and system prompt not included.

    Without a budget the model's window does: `window`, or what the config and the catalogue know of it."""
    counter = own_counter(choice, config)
    log = store.counted(session_id, counter.name, limit=_EVERYTHING).result()
    history = [
        Counted(message, counter.count_message(message) if tokens is None else tokens)
        for message, tokens in log
        if message.state is not MessageState.STREAMING
    ]
    system = system_message(session_id)
    asked = Message("question", 1 << 62, session_id, Role.USER, clean(question), 0.0)
    head, last = (Counted(message, counter.count_message(message)) for message in (system, asked))
    if budget is not None:
        room = Budget(window=budget + head.tokens + last.tokens)
    else:
        known = window or describe_model(choice.provider.name, choice.model, config.models).window
        room = budget_for(known, config)
    return list(assemble(head, [*history, last], room).messages)
