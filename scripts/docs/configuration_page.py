"""docs/reference/configuration.md: commands and server in one place, made from the settings themselves."""

from __future__ import annotations

import inspect
from typing import Any

import typer
from msgspec.structs import FieldInfo, fields

from scripts.docs.markdown import table
from tabiya.api_client.config_file import KEYS
from tabiya.api_client.settings import USUAL_SERVER
from tabiya.cli.main import assemble
from tabiya.server.config import LIMIT_PREFIX, PREFIX, SECRETS, ServerConfig
from tabiya.server.settings import CHANGEABLE

PAGE = "docs/reference/configuration.md"
MEANINGS = {
    "server": "Address of the server's pages, as `tabiya serve` prints it. `http://` may be left out.",
    "token": "The token of your bot, if it is not saved (below).",
    "operator_token": "The server's operator token, or the token of an account with the operator's role.",
}
FIELDS = {"database": "database_url", "bus": "bus_url"}
"""Settings whose flag has another name."""
FLAGS = {"server": "`--server`, `-s`", "token": "`--token`", "operator_token": "`--operator-token`"}
HEAD = """# Configuration

*Made by `make docs` from `tabiya/api_client/settings.py` and `server/config.py`; do not edit.*

## Commands

Commands for a running server (`bot`, `register`, `account`, `standings`, `matches`, `tournament`) use three settings. A
flag overrides the environment, this the file, and this the default.

"""
TAIL = """
The **file** is `~/.config/tabiya/client.toml` (on Windows `%APPDATA%\\tabiya\\client.toml`); `TABIYA_CONFIG` names
another. It is optional, and has only these three texts:

```toml
server = "http://192.168.1.20:8080"
```

The **environment** of one terminal: `export TABIYA_SERVER=http://192.168.1.20:8080`, in PowerShell
`$env:TABIYA_SERVER = "http://192.168.1.20:8080"`.

**Tokens are saved** in `tokens/` beside the file, readable only by you.
`tabiya register` and `tabiya bot --invite CODE` save new tokens; `tabiya account keep NAME TOKEN` saves a token from
another person or machine. `tabiya bot --name NAME` then finds it. The operator's token is saved under the name
`operator`: by `tabiya serve --lan`, on other machines by the *operator login* command that it prints.

## Other variables

Variables that are not server settings, or that commands also read.

{others}
"""

OTHERS = {
    "TABIYA_CONFIG": "The settings file of commands (above).",
    "TABIYA_INVITE_SECRET": (
        "`tabiya bot`, `tabiya mcp`, `tabiya webhook`, `tabiya register`: the invite code, without `--invite`."
    ),
    "TABIYA_WEBHOOK_SECRET": "`tabiya webhook`: [signs the requests](../how-to/webhook-bot.md#who-asks).",
    "TABIYA_WORKER_TOKEN": "`tabiya worker`: its token, without `--token`.",
    "TABIYA_DATABASE_URL": "`tabiya db`, `tabiya verify` and the like: the database, without `--database`.",
    "TABIYA_NAME": "In a class run and on a server: a program's bot name, with `TABIYA_SERVER`, `TABIYA_TOKEN`.",
    "NUMBA_CACHE_DIR": "A folder for compiled rules and searches, if the default folder is not writable.",
    "TABIYA_KERNELS_READ_ONLY": "If set, that folder is only read, never written.",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "Where [traces of moves](../how-to/operate.md#what-one-move-takes) go.",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "The same, only for traces.",
    "OTEL_SERVICE_NAME": "Name of the server in traces [tabiya].",
    "NOTIFY_SOCKET": "Set by systemd; the server reports there when it is ready.",
    "WATCHDOG_USEC": "Set by systemd; the server reports twice in this time that its event loop runs.",
}
"""By name; of our own and of others'. A test looks for those that the sources read."""

SERVER = """## The server

Flags of `tabiya serve` override the environment, the environment overrides the default. Errors never print secrets.
An operator's changes while the server runs (`POST /api/v1/settings`: {changeable}) are stored in the
database and override all three, until the operator resets them.
""".format(changeable=", ".join(f"`{name}`" for name in CHANGEABLE))

LIMITS = f"""### Limits

Set each of the [limits of the protocol](protocol.md#limits) by
`{LIMIT_PREFIX}` and its name in capitals, such as `{LIMIT_PREFIX}FRAME_BYTES`.
"""


def documents() -> dict[str, str]:
    """The page, by its path from the root."""
    heads = ("flag", "environment", "file", "default", "meaning")
    rows = ((FLAGS[key], f"`TABIYA_{key.upper()}`", f"`{key}`", _default(key), MEANINGS[key]) for key in KEYS)
    notes = "\n".join(f"* {line.strip()}" for line in (inspect.getdoc(ServerConfig) or "").splitlines()[2:])
    others = table(("environment", "meaning"), ((f"`{name}`", about) for name, about in OTHERS.items()))
    parts = (
        HEAD.rstrip(),
        table(heads, rows),
        TAIL.format(others=others),
        SERVER,
        "### Settings\n",
        _settings(),
        notes,
    )
    return {PAGE: "\n\n".join(part.strip("\n") for part in (*parts, LIMITS)) + "\n"}


def _default(key: str) -> str:
    return f"`{USUAL_SERVER}`" if key == "server" else "the saved one"


def _settings() -> str:
    flags = server_flags()
    rows = (
        (f"`{PREFIX}{field.name.upper()}`", flags.get(field.name, ""), _server_default(field))
        for field in fields(ServerConfig)
        if field.name != "limits"
    )
    return table(("environment", "flag", "default"), rows)


def server_flags() -> dict[str, str]:
    """The flags of `tabiya serve` by the setting that each is, as they are typed."""
    commands: Any = typer.main.get_command(assemble())
    settings = {field.name for field in fields(ServerConfig)}
    named = ((FIELDS.get(param.name, param.name), param) for param in commands.commands["serve"].params)
    return {name: ", ".join(f"`{flag}`" for flag in _typed(param)) for name, param in named if name in settings}


def _typed(param: Any) -> list[str]:
    return [*(flag for flag in param.opts if flag.startswith("--")), *param.secondary_opts]


def _server_default(field: FieldInfo) -> str:
    if field.name in SECRETS:
        return "made at the first start"
    return f"`{field.default}`" if field.default != "" else "none"
