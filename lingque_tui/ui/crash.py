"""When the program itself fails: a short page for the person, a report on disk, no secrets in either.

Textual's own crash screen prints local variables, and those hold keys and conversations. Ours has the
traceback's places only: no values, and the exception's text cleaned, cut, and rid of what looks like a key.
"""

from __future__ import annotations

import time
import traceback
from pathlib import Path

from textual.worker import WorkerFailed

from lingque_tui.config.masking import hide_secrets_in
from lingque_tui.domain.clean import clean_line
from lingque_tui.i18n import t
from lingque_tui.system import write_private


def report(error: BaseException, folder: Path) -> str:
    """Write the report and return what the person reads on the terminal."""
    error = _cause(error)
    path = folder / time.strftime("crash-%Y%m%d-%H%M%S.txt")
    try:
        write_private(path, describe(error))
    except OSError:
        return t("crash_unsaved", error=type(error).__name__)
    return t("crash", error=type(error).__name__, path=path)


def _cause(error: BaseException) -> BaseException:
    """Of a failed worker: the wrapper knows nothing of the place."""
    return error.error if isinstance(error, WorkerFailed) else error


def describe(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    places = [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}' for frame in frames]
    return "\n".join([*places, f"{type(error).__name__}: {hide_secrets_in(clean_line(str(error), 300))}", ""])
