"""The settings of a server as its operators see them."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from msgspec.json import schema

from tabiya.server.config import PREFIX, SECRETS, ServerConfig
from tabiya.server.settings import CHANGEABLE, RunningSettings
from tabiya.server.web.schemas.operator import Setting, Settings, SettingsOrder

HIDDEN = SECRETS | {"database_url", "limits"}  # an address may have a password; limits are listed one by one


def settings_of(running: RunningSettings) -> Settings:
    """All settings but secrets; changeable ones first."""
    now, before = _values(running.now), _values(running.started_with)
    fixed = sorted(name for name in now if name not in CHANGEABLE)
    return Settings(settings=tuple(_setting(name, now[name], before[name]) for name in (*CHANGEABLE, *fixed)))


def _values(config: ServerConfig) -> dict[str, Any]:
    """By name as they are in the environment, without what begins all of them."""
    own = {name: value for name, value in to_builtins(config).items() if name not in HIDDEN}
    return own | {f"limit_{name}": value for name, value in to_builtins(config.limits).items()}


def _setting(name: str, value: Any, started_with: Any) -> Setting:
    return Setting(
        name=name,
        value=value,
        started_with=started_with,
        changeable=name in CHANGEABLE,
        variable=PREFIX + name.upper(),
        about=ABOUT.get(name, ""),
    )


def _about() -> dict[str, str]:
    """Descriptions, from the order that changes them."""
    described = schema(SettingsOrder)["$defs"]["SettingsOrder"]["properties"]
    return {name: one["description"] for name, one in described.items()}


ABOUT = _about()
