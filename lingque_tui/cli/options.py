"""Options and commands of `lingque`, for people, pipes and scripts.

Each command imports what it needs when it runs: a cold start pays for nothing else.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Annotated, Any

import typer

from lingque_tui import __version__
from lingque_tui.cli.main import settings

app = typer.Typer(
    name="lingque",
    help="灵雀: chat in the terminal; conversations never run out of room.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

JsonFlag = Annotated[bool, typer.Option("--json", help="For programs: JSON on standard output.")]
ModelFlag = Annotated[str, typer.Option("--model", "-m", help="provider/model, for instance deepseek/deepseek-chat.")]
SessionFlag = Annotated[str, typer.Option("--session", "-s", help="Id, beginning of an id, or title.")]
NewFlag = Annotated[bool, typer.Option("--new", "-n", help="Start a fresh session.")]


@app.callback(invoke_without_command=True)
def chat(
    context: typer.Context,
    model: ModelFlag = "",
    session: SessionFlag = "",
    new: NewFlag = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Open the chat window on the last session."""
    if version:
        typer.echo(f"lingque {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is not None:
        return
    from lingque_tui.cli.main import run_chat

    raise typer.Exit(run_chat(session=session, is_new=new, model=model))


@app.command()
def ask(
    words: Annotated[list[str] | None, typer.Argument(help="The question; text from a pipe is put below it.")] = None,
    model: ModelFlag = "",
    session: SessionFlag = "",
    as_json: JsonFlag = False,
) -> None:
    """Ask once and stream the reply to standard output."""
    from lingque_tui.cli.ask import ask_once, read_question

    paths, loaded = settings(tell_problems=True)
    question = read_question(" ".join(words or []), sys.stdin)
    raise typer.Exit(asyncio.run(ask_once(paths, loaded, os.environ, question, model, session, as_json)))


@app.command()
def sessions(
    search: Annotated[str, typer.Argument(help="Words of the title.")] = "", as_json: JsonFlag = False
) -> None:
    """List the sessions, newest first."""
    from lingque_tui.cli.session_list import list_sessions, session_rows

    paths, _ = settings(tell_problems=True)
    found = list_sessions(paths, search)
    show(session_rows(found, as_json), as_json)


@app.command()
def config(as_json: JsonFlag = False) -> None:
    """Show every setting, its value and where it comes from."""
    from lingque_tui.cli.config_page import config_as_json, render_config

    paths, loaded = settings()
    show(config_as_json(loaded, paths) if as_json else render_config(loaded, paths), as_json)


@app.command()
def doctor(as_json: JsonFlag = False) -> None:
    """Look at terminal, store, tokenizers, keys, servers and embedded model; say how to fix what is wrong."""
    from lingque_tui.cli.doctor import examine, findings_as_json, render_findings

    paths, loaded = settings()
    findings = asyncio.run(examine(paths, loaded, os.environ))
    show(findings_as_json(findings) if as_json else render_findings(findings), as_json)
    if any(finding.state == "problem" for finding in findings):
        raise typer.Exit(1)


def show(content: Any, as_json: bool) -> None:
    typer.echo(json.dumps(content, ensure_ascii=False, indent=2) if as_json else content)
