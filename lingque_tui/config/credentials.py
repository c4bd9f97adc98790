"""Keys a person gave us, in a file of their own with mode 0600: never in the config file, which people share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lingque_tui.config.files import edit_table, read_table
from lingque_tui.config.paths import Paths
from lingque_tui.domain.clean import clean
from lingque_tui.domain.errors import ConfigError
from lingque_tui.i18n import t

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def read_credentials(paths: Paths) -> dict[str, str]:
    """Key by connection name. A file that cannot be read holds none: `credentials_problem` says why."""
    try:
        table = read_table(paths.credentials_file)
    except ConfigError:
        return {}
    return {name: _tidy(key) for name, key in table.items() if isinstance(key, str) and _tidy(key)}


def credentials_problem(paths: Paths) -> ConfigError | None:
    try:
        read_table(paths.credentials_file)
    except ConfigError as problem:
        return problem
    return None


def save_credential(paths: Paths, name: str, key: str) -> None:
    """Keep `key` under `name`; an empty key forgets it. Raises `ConfigError` if the file does not parse."""

    def change(document: TOMLDocument) -> None:
        document.pop(name, None)
        if _tidy(key):
            document[name] = _tidy(key)

    edit_table(paths.credentials_file, f"# {t('config.credentials_header')}\n\n", change)


def _tidy(key: str) -> str:
    """Pasted keys come with spaces and line ends, which no HTTP header takes."""
    return "".join(clean(key).split())
