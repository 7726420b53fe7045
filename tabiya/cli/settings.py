"""The configuration of commands about a running server, in one documented place.

Order: flag, then environment (`TABIYA_SERVER`, `TABIYA_TOKEN`, `TABIYA_OPERATOR_TOKEN`), then the file
`~/.config/tabiya/client.toml` (`TABIYA_CONFIG` names another) with the keys `server`, `token`, `operator_token`,
then this machine's usual port. Tokens that commands were given are kept beside the file, in `tokens/`, one file for
each bot on each server; the operator's is there too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from tabiya.cli.errors import UserError

USUAL_SERVER = "http://127.0.0.1:8080"
KEYS = ("server", "token", "operator_token")

SERVER_OPTION = typer.Option(None, "--server", "-s", help="Address of the server, such as http://HOST:8080.")
OPERATOR_OPTION = typer.Option(None, "--operator-token", help="The operator's token, for other machines' servers.")


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What client commands need to know. server: as it was given, with or without http://."""

    server: str
    token: str = ""
    operator_token: str = ""

    @property
    def pages(self) -> str:
        """The address of the server's pages and API."""
        address = self.server.strip().rstrip("/")
        return address if "://" in address else f"http://{address}"


def client_settings(
    server: str | None = None, token: str | None = None, operator_token: str | None = None
) -> ClientSettings:
    """The settings that hold. Raises UserError for a configuration file that cannot be used."""
    given = {"server": server, "token": token, "operator_token": operator_token}
    stored = read_file(config_path())
    found = {key: given[key] or os.environ.get(f"TABIYA_{key.upper()}") or stored.get(key, "") for key in KEYS}
    settings = ClientSettings(found["server"] or USUAL_SERVER, found["token"], found["operator_token"])
    return settings if settings.operator_token else replace(settings, operator_token=_kept_operator_token(settings))


def _kept_operator_token(settings: ClientSettings) -> str:
    """What `tabiya serve --lan` has kept on this machine, or `tabiya account keep operator` on another."""
    from tabiya.cli.tokens import OPERATOR, known_token

    return known_token(settings, OPERATOR)


def config_path() -> Path:
    """The configuration file; it need not exist."""
    named = os.environ.get("TABIYA_CONFIG")
    if named:
        return Path(named)
    if os.name == "nt":
        return Path(os.environ.get("APPDATA") or Path.home()) / "tabiya" / "client.toml"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "tabiya" / "client.toml"


def read_file(path: Path) -> dict[str, str]:
    """What the file sets; nothing if there is none. Raises UserError."""
    import tomllib

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"the configuration file {path} cannot be read: {error}") from None
    for key, value in values.items():
        if key not in KEYS or not isinstance(value, str):
            raise UserError(f"the configuration file {path} sets {key!r}; it may set the texts {', '.join(KEYS)}")
    return values
