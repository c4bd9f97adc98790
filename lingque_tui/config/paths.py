"""Where things live, by the platform's own rules. `LINGQUE_HOME` puts all of it under one folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Paths:
    config: Path
    """Folder of `config.toml`, `credentials.toml` and the person's own `themes/`."""
    data: Path
    """Folder of the store."""
    state: Path
    """Folder of crash reports and logs."""

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def credentials_file(self) -> Path:
        return self.config / "credentials.toml"

    @property
    def themes(self) -> Path:
        return self.config / "themes"

    @property
    def store(self) -> Path:
        return self.data / "lingque.db"


def find_paths(environment: Mapping[str, str] = os.environ) -> Paths:
    home = environment.get("LINGQUE_HOME")
    if home:
        root = Path(home).expanduser()
        return Paths(config=root, data=root, state=root / "state")
    from platformdirs import PlatformDirs

    dirs = PlatformDirs("lingque", appauthor=False)
    return Paths(config=Path(dirs.user_config_dir), data=Path(dirs.user_data_dir), state=Path(dirs.user_state_dir))
