"""`lingque ask`: one question, the reply on standard output as it streams. News and errors go to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import IO

from lingque_tui.config.boot import Boot
from lingque_tui.config.loading import Loaded
from lingque_tui.config.paths import Paths
from lingque_tui.domain.clean import clean
from lingque_tui.domain.errors import CommandError, LingqueError
from lingque_tui.domain.events import Event, ReplyEnded, ReplyGrew, ReplyStarted, RetryScheduled, TurnFailed
from lingque_tui.domain.messages import Message, MessageState
from lingque_tui.i18n import t
from lingque_tui.session.engine import Engine
from lingque_tui.session.session import Session


def read_question(words: str, stdin: IO[str]) -> str:
    """The words, and below them what came through the pipe: `git diff | lingque ask "review"`."""
    piped = "" if stdin.isatty() else clean(stdin.read())
    question = "\n\n".join(part for part in (clean(words).strip(), piped.strip()) if part)
    if not question:
        raise CommandError(detail=t("cli_ask_empty"))
    return question


async def ask_once(
    paths: Paths,
    loaded: Loaded,
    environment: Mapping[str, str],
    question: str,
    model: str,
    session: str,
    as_json: bool,
) -> int:
    engine = Engine(Boot(paths, loaded, environment, session=session, is_new=not session, model=model))
    try:
        await engine.start()
        entered = await engine.enter_first()
        if entered.problem is not None:
            raise entered.problem  # a script must not be answered by another model than it asked for
        return await _stream(entered.session, question, as_json)
    finally:
        await engine.close()


async def _stream(session: Session, question: str, as_json: bool) -> int:
    reply: Message | None = None
    failure: LingqueError | None = None
    async for event in session.send(question):
        match event:
            case ReplyEnded(message, error):
                reply, failure = message, error
            case TurnFailed(error):
                failure = error
            case RetryScheduled(error, attempt, delay):
                _tell(t("retrying", what=error.what, seconds=f"{delay:.0f}", attempt=attempt))
            case _ if not as_json:
                _write(event)
            case _:
                pass
    if as_json:
        sys.stdout.write(json.dumps(_as_json(session, reply, failure), ensure_ascii=False) + "\n")
    elif reply is not None and not reply.text.endswith("\n"):
        sys.stdout.write("\n")
    if failure is not None and not as_json:
        _tell(f"{failure.what} {failure.next_step}")
    return 0 if reply is not None and reply.state is MessageState.COMPLETE else 1


def _write(event: Event) -> None:
    match event:
        case ReplyStarted(message):
            sys.stdout.write(message.text)
        case ReplyGrew(_, text):
            sys.stdout.write(text)
        case _:
            return
    sys.stdout.flush()


def _as_json(session: Session, reply: Message | None, failure: LingqueError | None) -> dict[str, object]:
    figures = reply.figures if reply else None
    return {
        "session": session.id,
        "model": session.choice.ref,
        "text": reply.text if reply else "",
        "state": reply.state.value if reply else "failed",
        "prompt_tokens": figures.prompt_tokens if figures else None,
        "completion_tokens": figures.completion_tokens if figures else None,
        "error": str(failure) if failure else None,
    }


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
