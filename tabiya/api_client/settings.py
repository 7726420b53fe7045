"""The configuration of commands about a running server, in one documented place.

Order: flag, then environment (`TABIYA_SERVER`, `TABIYA_TOKEN`, `TABIYA_OPERATOR_TOKEN`), then the file
`~/.config/tabiya/client.toml` (`TABIYA_CONFIG` names another) with the keys `server`, `token`, `operator_token`,
then this machine's usual port. Tokens that commands were given are kept beside the file, in `tokens/`, one file for
each bot on each server; the operator's is there too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from tabiya.api_client.config_file import KEYS, config_path, read_file
from tabiya.api_client.token_files import OPERATOR, known_token

USUAL_SERVER = "http://127.0.0.1:8080"


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What client commands need to know.

    server: as it was given, with or without http://; of several that take over from one another, with commas between.
    """

    server: str
    token: str = ""
    operator_token: str = ""

    @property
    def pages(self) -> str:
        """The address of the server's pages and API; of several, those of the first."""
        address = self.server.partition(",")[0].strip().rstrip("/")
        return address if "://" in address else f"http://{address}"


def client_settings(
    server: str | None = None, token: str | None = None, operator_token: str | None = None
) -> ClientSettings:
    """The settings in effect. Raises UserError for a configuration file that cannot be used."""
    given = {"server": server, "token": token, "operator_token": operator_token}
    stored = read_file(config_path())
    found = {key: given[key] or os.environ.get(f"TABIYA_{key.upper()}") or stored.get(key, "") for key in KEYS}
    settings = ClientSettings(found["server"] or USUAL_SERVER, found["token"], found["operator_token"])
    if settings.operator_token:
        return settings
    # kept by `tabiya serve --lan` on the server's machine, by `tabiya account keep operator` on another
    return replace(settings, operator_token=known_token(settings.pages, OPERATOR))
