"""docs/reference/configuration.md: commands and server in one place, made from the settings themselves: `make docs`."""

from __future__ import annotations

from tabiya.api_client.config_file import KEYS
from tabiya.api_client.settings import USUAL_SERVER
from tabiya.server.settings_page import server_settings

PAGE = "docs/reference/configuration.md"
MEANINGS = {
    "server": "Address of the server's pages, as `tabiya serve` prints it. `http://` may be left out.",
    "token": "The token of your bot; only needed for one that is not kept (below).",
    "operator_token": "The server's operator token, or that of an account with the operator's role.",
}
FLAGS = {"server": "`--server`, `-s`", "token": "`--token`", "operator_token": "`--operator-token`"}
HEAD = """# Configuration

*Made by `make docs` from `tabiya/api_client/settings.py`, `server/config.py` and `protocol/limits.py`; do not edit.*

## Commands

Commands about a running server (`bot`, `register`, `account`, `standings`, `matches`, `tournament`) find it and prove
who they are by three settings. A flag goes before the environment, the environment before the file, the file before
the default.

"""
TAIL = """
The **file** is `~/.config/tabiya/client.toml` (on Windows `%APPDATA%\\tabiya\\client.toml`); `TABIYA_CONFIG` names
another. It need not exist, and may set just these three texts:

```toml
server = "http://192.168.1.20:8080"
```

The **environment** of one terminal: `export TABIYA_SERVER=http://192.168.1.20:8080`, in PowerShell
`$env:TABIYA_SERVER = "http://192.168.1.20:8080"`.

**Tokens are kept** in `tokens/` beside the file, one file for each bot on each server, which only you can read. They
get there by `tabiya register`, by `tabiya bot --invite CODE`, and by `tabiya account keep NAME TOKEN` for one that you
were given, or that your bot has on another machine; `tabiya bot --name NAME` then finds the right one by itself. Kept
as that of the bot `operator` is the server's operator token: by `tabiya serve --lan` on the machine that serves, by the
*operator login* that it prints on any other.

Also read by `tabiya bot` and `tabiya register`: `TABIYA_INVITE_SECRET`, the invite code where `--invite` is not given.
`NUMBA_CACHE_DIR` names a folder for compiled rules and searches if the usual one cannot be written.
"""


def documents() -> dict[str, str]:
    """The page, by its path from the root."""
    rows = [f"| {FLAGS[key]} | `TABIYA_{key.upper()}` | `{key}` | {_default(key)} | {MEANINGS[key]} |" for key in KEYS]
    table = "\n".join(["| flag | environment | file | default | meaning |", "| --- | --- | --- | --- | --- |", *rows])
    return {PAGE: f"{HEAD}{table}\n{TAIL}\n{server_settings()}"}


def _default(key: str) -> str:
    return f"`{USUAL_SERVER}`" if key == "server" else "the kept one"
