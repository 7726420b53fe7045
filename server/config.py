"""The server's configuration: every limit has a name and a default; environment and flags override it.

Environment: `TABIYA_` and the field's name in capitals (`TABIYA_PORT`, `TABIYA_DATABASE_URL`, `TABIYA_INVITE_SECRET`).
Limits of the wire are `TABIYA_LIMIT_` and the name in protocol/limits.py (`TABIYA_LIMIT_FRAME_BYTES`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from tabiya.protocol.explain import expectation
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.time_control import TimeControlError, parse
from tabiya.server.hours import read_hours
from tabiya.server.ratings.anchors import AnchorError, read_anchors
from tabiya.server.transport.allowed_hosts import configured_hosts
from tabiya.server.transport.public_address import read_public_url
from tabiya.storage.open import READERS
from tabiya.storage.store import Durability

PREFIX = "TABIYA_"
LIMIT_PREFIX = "TABIYA_LIMIT_"
SECRETS = frozenset({"invite_secret", "operator_token", "worker_token"})  # never shown, not even in an error message

Port = Annotated[int, Meta(ge=0, le=65_535)]
Few = Annotated[int, Meta(ge=1, le=1_000)]
Millis = Annotated[int, Meta(ge=1, le=86_400_000)]
ShortMillis = Annotated[int, Meta(ge=0, le=60_000)]


class ConfigError(ValueError):
    """A setting cannot be used; the text names it, what was given and what is allowed."""


class ServerConfig(Struct, frozen=True, kw_only=True):
    """All settings of one server.

    name: at most 40 characters, because `welcome` holds 64 with the version.
    host, port: of the bots' websockets.  pages_port: of pages and API.  Port 0: any free port.
    database_url: `sqlite:///path`, a plain path, `memory:` or `postgresql://user@host/database`.
    database_readers: number of PostgreSQL connections that read for pages; one more writes.
    open_registration: whether bots without a token may play; None: only on loopback without public_url.
    invite_secret: the invite code, if registration is not open; created once if empty.
    operator_token: the token for operator commands from other machines; created once if empty.
    worker_token: the token of workers that run uploaded programs (`--hosted`); created once if empty.
    The database keeps hashes of these three; `FILE.secrets` next to an SQLite database FILE has the texts (mode 0600).
    Without that file, new ones are created at the next start. With PostgreSQL they are shown only at the first start.
    rate_guests: whether games of bots without a token count for ratings outside tournaments.
    local_orders: whether users of this machine are operators without a token, if the server is only for this machine.
    time_control: default time control.  illegal_limit: illegal move with this number loses.
    stall_limit_ms: longest time for one move without clocks.  abandon_ms: time to wait for an absent bot.
    open_wait_ms: time to wait for the players at the start of a match and after a restart.
    lag_credit: whether distant bots get back part of the network delay (docs/reference/clock.md).
    lag_per_move_ms: its maximum per move.  lag_quota_ms: a player's first and largest quota.
    lag_refill_ms: what each of the player's moves adds to the quota.
    max_matches: maximum number of running matches.
    allowed_hosts: further host names of the server, as `NAME,NAME`, or `*` for any (docs/security.md).
    public_url: public address behind a proxy, as `https://games.example.org` (docs/how-to/behind-a-proxy.md).
    hosted_at_once: uploaded programs that run at once, on all workers together.
    hosted_hours: hours in which they play, as `18:00-08:00` in this machine's time zone; empty: always.
    bus_url: `nats://host:4222` or `unix:folder`, the bus to gateways and hosts (docs/how-to/gateways.md).
    processes: processes that hold connections and play matches; 1: the server itself (docs/how-to/processes.md).
    anchors: bots with fixed ratings in the standings of every game, as `NAME=RATING,NAME=RATING`.
    """

    name: Annotated[str, Meta(max_length=40)] = "Tabiya"
    host: str = "127.0.0.1"
    port: Port = 8765
    pages_port: Port = 8080
    database_url: str = "tabiya.db"
    durability: Durability = "process"
    database_readers: Few = READERS
    open_registration: bool | None = None
    invite_secret: str = ""
    operator_token: str = ""
    worker_token: str = ""
    rate_guests: bool = False
    local_orders: bool = True
    time_control: str = "60+0.5"
    illegal_limit: Few = 3
    stall_limit_ms: Millis = 600_000
    abandon_ms: Millis = 120_000
    open_wait_ms: Millis = 60_000
    lag_credit: bool = True
    lag_per_move_ms: ShortMillis = 200
    lag_quota_ms: ShortMillis = 2_000
    lag_refill_ms: ShortMillis = 50
    max_matches: Annotated[int, Meta(ge=1, le=1_000_000)] = 10_000
    hosted_at_once: Few = 1_000
    hosted_hours: str = ""
    bus_url: str = ""
    processes: Annotated[int, Meta(ge=1, le=64)] = 1
    anchors: str = ""
    allowed_hosts: str = ""
    public_url: str = ""
    limits: WireLimits = WireLimits()

    def __post_init__(self) -> None:
        try:
            parse(self.time_control)
        except TimeControlError as error:
            raise ConfigError(f"time_control: {error}") from None
        try:
            read_hours(self.hosted_hours)
        except ValueError as error:
            raise ConfigError(f"hosted_hours: {error}") from None
        try:
            read_anchors(self.anchors)
        except AnchorError as error:
            raise ConfigError(f"anchors: {error}") from None
        try:
            configured_hosts(self.allowed_hosts)
        except ValueError as error:
            raise ConfigError(f"allowed_hosts: {error}") from None
        try:
            read_public_url(self.public_url)
        except ValueError as error:
            raise ConfigError(f"public_url: {error}") from None


def as_environment(config: ServerConfig) -> dict[str, str]:
    """The variables from which `read_config` reads the same settings, without secrets."""
    found = {
        PREFIX + name.upper(): value
        for name, value in msgspec.to_builtins(config).items()
        if name != "limits" and name not in SECRETS and value is not None
    }
    found |= {LIMIT_PREFIX + name.upper(): value for name, value in msgspec.to_builtins(config.limits).items()}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in found.items()}


def read_config(environment: Mapping[str, str], **flags: Any) -> ServerConfig:
    """The configuration from the environment, overridden by every flag that is not None. Raises ConfigError."""
    fields = {field.name: field for field in msgspec.structs.fields(ServerConfig)}
    # an empty variable is no setting: `TABIYA_PORT=` in a file of settings must not keep the server from starting
    given: dict[str, Any] = {
        name: environment[PREFIX + name.upper()] for name in fields if environment.get(PREFIX + name.upper())
    }
    limits = {
        field.name: environment[LIMIT_PREFIX + field.name.upper()]
        for field in msgspec.structs.fields(WireLimits)
        if environment.get(LIMIT_PREFIX + field.name.upper())
    }
    given.update({name: value for name, value in flags.items() if value is not None})
    if limits:
        given["limits"] = limits
    try:
        return msgspec.convert(given, ServerConfig, strict=False)  # in the environment every value is text
    except msgspec.ValidationError as error:
        raise ConfigError(_as_sentence(error, given)) from None


def _as_sentence(error: msgspec.ValidationError, given: Mapping[str, Any]) -> str:
    """The library's message with the setting's name and value, unless it is a secret."""
    path, expected = expectation(str(error))
    name, _, limit = path.partition(".")
    if not name:
        return f"the configuration cannot be used: {expected}"
    value = given.get(name)
    if limit and isinstance(value, Mapping):
        value = value.get(limit)
    variable = (LIMIT_PREFIX + limit if limit else PREFIX + name).upper()
    shown = "" if name in SECRETS else f" (given: {value!r})"
    return f"the setting {limit or name} ({variable}) cannot be used: {expected}{shown}"
