"""The server's part of docs/reference/configuration.md, made from the settings themselves."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import msgspec

from tabiya.protocol.limits import WireLimits
from tabiya.server.config import LIMIT_PREFIX, PREFIX, SECRETS, ServerConfig

HEAD = """## The server

Flags of `tabiya serve` go before the environment, the environment before the default. Secrets are never printed in an
error.
"""


def server_settings() -> str:
    """That part of the page, in Markdown."""
    settings = "\n".join(_setting(field) for field in msgspec.structs.fields(ServerConfig) if field.name != "limits")
    hints = get_type_hints(WireLimits, include_extras=True)
    limits = "\n".join(_limit(field, hints[field.name]) for field in msgspec.structs.fields(WireLimits))
    notes = "\n".join(f"* {line.strip()}" for line in (inspect.getdoc(ServerConfig) or "").splitlines()[2:])
    head = "| environment | default |\n| --- | --- |\n"
    limit_head = "| environment | default | meaning |\n| --- | --- | --- |\n"
    return f"{HEAD}\n### Settings\n\n{head}{settings}\n\n{notes}\n\n### Limits\n\n{limit_head}{limits}\n"


def _setting(field: msgspec.structs.FieldInfo) -> str:
    if field.name in SECRETS:
        return f"| `{PREFIX}{field.name.upper()}` | made at the first start and kept in the database |"
    return f"| `{PREFIX}{field.name.upper()}` | {f'`{field.default}`' if field.default != '' else 'none'} |"


def _limit(field: msgspec.structs.FieldInfo, hint: Any) -> str:
    texts = [getattr(part, "description", None) for part in getattr(hint, "__metadata__", ())]
    meaning = next((text for text in texts if text), "")
    return f"| `{LIMIT_PREFIX}{field.name.upper()}` | `{field.default}` | {meaning} |"
