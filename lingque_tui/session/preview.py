"""The request that a question would make now, without sending it: for other programs and for benchmarks."""

from __future__ import annotations

from typing import Any

from lingque_tui.config.schema import Config
from lingque_tui.domain.clean import clean
from lingque_tui.domain.messages import Message, Role
from lingque_tui.session.assembler import Budget, Counted, assemble
from lingque_tui.session.switchboard import Choice
from lingque_tui.session.system_prompt import system_message
from lingque_tui.store import Store
from lingque_tui.tokens import counter_for

_EVERYTHING = 1_000_000


def context_for(
    store: Store, session_id: str, choice: Choice, config: Config, question: str, budget: int | None
) -> list[dict[str, Any]]:
    """Blocks: it reads and counts. `budget` bounds the history, question and system prompt not included."""
    counter = counter_for(choice.model)
    log = store.counted(session_id, counter.name, limit=_EVERYTHING).result()
    history = [Counted(message, counter.count_message(message) if n is None else n) for message, n in log]
    system = system_message(session_id)
    asked = Message("question", 1 << 62, session_id, Role.USER, clean(question), 0.0)
    extra = [Counted(asked, counter.count_message(asked))]
    head = Counted(system, counter.count_message(system))
    room = Budget() if budget is None else Budget(window=budget + head.tokens + extra[0].tokens)
    return list(assemble(head, [*history, *extra], room).messages)
