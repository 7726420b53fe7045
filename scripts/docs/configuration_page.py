"""docs/reference/configuration.md: commands and server in one place, made from the settings themselves."""

from __future__ import annotations

import inspect

from msgspec.structs import FieldInfo, fields

from scripts.docs.markdown import table
from tabiya.api_client.config_file import KEYS
from tabiya.api_client.settings import USUAL_SERVER
from tabiya.server.config import LIMIT_PREFIX, PREFIX, SECRETS, ServerConfig
from tabiya.server.settings import CHANGEABLE

PAGE = "docs/reference/configuration.md"
MEANINGS = {
    "server": "Address of the server's pages, as `tabiya serve` prints it. `http://` may be left out.",
    "token": "The token of your bot; only needed for one that is not kept (below).",
    "operator_token": "The server's operator token, or that of an account with the operator's role.",
}
FLAGS = {"server": "`--server`, `-s`", "token": "`--token`", "operator_token": "`--operator-token`"}
HEAD = """# Configuration

*Made by `make docs` from `tabiya/api_client/settings.py` and `server/config.py`; do not edit.*

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

SERVER = """## The server

Flags of `tabiya serve` go before the environment, the environment before the default. Secrets are never printed in an
error. What an operator changes while the server runs (`POST /api/v1/settings`: {changeable}) is kept in the
database and goes before all three, until it is taken back there.
""".format(changeable=", ".join(f"`{name}`" for name in CHANGEABLE))

LIMITS = f"""### Limits

Each of the [limits of the protocol](protocol.md#limits), which has their meanings and defaults, is set by
`{LIMIT_PREFIX}` and its name in capitals, such as `{LIMIT_PREFIX}FRAME_BYTES`.
"""


def documents() -> dict[str, str]:
    """The page, by its path from the root."""
    heads = ("flag", "environment", "file", "default", "meaning")
    rows = ((FLAGS[key], f"`TABIYA_{key.upper()}`", f"`{key}`", _default(key), MEANINGS[key]) for key in KEYS)
    notes = "\n".join(f"* {line.strip()}" for line in (inspect.getdoc(ServerConfig) or "").splitlines()[2:])
    parts = (HEAD.rstrip(), table(heads, rows), TAIL, SERVER, "### Settings\n", _settings(), notes)
    return {PAGE: "\n\n".join(part.strip("\n") for part in (*parts, LIMITS)) + "\n"}


def _default(key: str) -> str:
    return f"`{USUAL_SERVER}`" if key == "server" else "the kept one"


def _settings() -> str:
    rows = ((f"`{PREFIX}{field.name.upper()}`", _server_default(field)) for field in fields(ServerConfig))
    return table(("environment", "default"), (row for row in rows if row[0] != f"`{PREFIX}LIMITS`"))


def _server_default(field: FieldInfo) -> str:
    if field.name in SECRETS:
        return "made at the first start"
    return f"`{field.default}`" if field.default != "" else "none"
