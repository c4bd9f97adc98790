"""The entry point. Bare `lingque` goes straight to the window: no option parser is imported for it.

Whatever we know how to say is said in one or two lines; no traceback reaches a person.
"""

from __future__ import annotations

import gc
import os
import sys

from lingque_tui import i18n
from lingque_tui.config.loading import Loaded, load_config
from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.domain.errors import CommandError, LingqueError


def main() -> None:
    try:
        if len(sys.argv) == 1:
            sys.exit(run_chat())
        from lingque_tui.cli.options import app

        app()
    except CommandError as error:
        _say(f"lingque: {error.what}")  # its next step speaks of the window's commands
        sys.exit(2)
    except LingqueError as error:
        _say(f"lingque: {error.what}\n{error.next_step}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `lingque ask … | head` is no failure
        sys.exit(0)


def run_chat(*, session: str = "", is_new: bool = False, model: str = "") -> int:
    """Open the window; returns the exit code."""
    paths, loaded = settings()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _say(i18n.t("cli_no_terminal"))
        return 2
    gc.disable()  # until the window is there: collecting among imports costs a tenth of the start
    import asyncio

    from lingque_tui.config.boot import Boot
    from lingque_tui.ui.app import chat

    return asyncio.run(chat(Boot(paths, loaded, os.environ, session=session, is_new=is_new, model=model)))


def settings(tell_problems: bool = False) -> tuple[Paths, Loaded]:
    i18n.use(os.environ.get("LINGQUE_UI_LANGUAGE", "auto"))
    paths = find_paths(os.environ)
    loaded = load_config(paths, os.environ)
    i18n.use(loaded.config.ui.language)
    if tell_problems:
        for problem in loaded.problems:
            _say(problem.what)
    return paths, loaded


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
