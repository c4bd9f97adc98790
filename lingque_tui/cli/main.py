"""`lingque`: chat by default, and the commands that pipes and scripts use.

Each command imports what it needs when it runs: a cold start pays for nothing else.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Annotated, Any

import typer

from lingque_tui import __version__, i18n
from lingque_tui.config.loading import Loaded, load_config
from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.domain.errors import LingqueError

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


def main() -> None:
    """The entry point. Whatever we know how to say is said in one or two lines; no traceback reaches a person."""
    try:
        app(standalone_mode=True)
    except LingqueError as error:
        fail(error)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `lingque ask … | head` is no failure
        sys.exit(0)


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
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        typer.echo(i18n.t("cli_no_terminal"), err=True)
        raise typer.Exit(2)
    paths, loaded = settings()
    from lingque_tui.session.engine import Boot
    from lingque_tui.ui.app import chat as run_chat

    boot = Boot(paths, loaded, os.environ, session=session, is_new=new, model=model)
    raise typer.Exit(asyncio.run(run_chat(boot)))


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


def settings(tell_problems: bool = False) -> tuple[Paths, Loaded]:
    i18n.use(os.environ.get("LINGQUE_UI_LANGUAGE", "auto"))
    paths = find_paths(os.environ)
    loaded = load_config(paths, os.environ)
    i18n.use(loaded.config.ui.language)
    if tell_problems:
        for problem in loaded.problems:
            typer.echo(problem.what, err=True)
    return paths, loaded


def show(content: Any, as_json: bool) -> None:
    typer.echo(json.dumps(content, ensure_ascii=False, indent=2) if as_json else content)


def fail(error: LingqueError) -> None:
    typer.echo(f"lingque: {error.what}\n{error.next_step}", err=True)
    sys.exit(1)
