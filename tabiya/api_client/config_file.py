"""The configuration file of client commands: `~/.config/tabiya/client.toml`, or what `TABIYA_CONFIG` names."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from tabiya.errors import UserError

KEYS = ("server", "token", "operator_token")


def config_path() -> Path:
    """The configuration file; it need not exist."""
    named = os.environ.get("TABIYA_CONFIG")
    if named:
        return Path(named)
    if os.name == "nt":
        return Path(os.environ.get("APPDATA") or Path.home()) / "tabiya" / "client.toml"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "tabiya" / "client.toml"


def read_file(path: Path) -> dict[str, str]:
    """The settings of the file; empty if there is none. Raises UserError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"the configuration file {path} cannot be read: {error}") from None
    # a misspelt key is said: otherwise a token in it would just not be found
    for key, value in values.items():
        if key not in KEYS or not isinstance(value, str):
            raise UserError(f"the configuration file {path} sets {key!r}; it may set the texts {', '.join(KEYS)}")
    return values
