"""What operators alone ask for and are told."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from tabiya.protocol.messages.fields import doc
from tabiya.server.config import Few, Millis
from tabiya.server.load import LoadSample
from tabiya.server.web.schemas.requests import Id, Name, RequestModel, TimeText
from tabiya.server.web.schemas.responses import Account, ListPage, ResponseModel


class AuditQuery(RequestModel, frozen=True, kw_only=True):
    """Which orders to list."""

    before: Annotated[Id | None, doc("Only older ones than this number.")] = None
    limit: Annotated[int, Meta(ge=1, le=200), doc("At most so many.")] = 50


class GivenOrder(ResponseModel, frozen=True, kw_only=True):
    """An order that an operator has given."""

    id: Annotated[int, doc("Its number.")]
    at: Annotated[float, doc("When it was answered.")]
    who: Annotated[str, doc("Name of the account; `operator` for the server's own.")]
    way: Annotated[str, doc("How it showed who it is: `token`, `session`, or `this machine` without either.")]
    address: Annotated[str, doc("The address that it came from.")]
    path: Annotated[str, doc("What was ordered: the address in this API, without `/api/v1`.")]
    details: Annotated[dict[str, Any], doc("The fields of the order, without secrets and files.")]
    status: Annotated[int, doc("Of the answer: 200 and 201 for done, others for refused.")]


class Audit(ListPage, frozen=True, kw_only=True):
    """Orders that operators have given."""

    orders: Annotated[tuple[GivenOrder, ...], doc("The newest first; at most `limit`.")]


class Load(ResponseModel, frozen=True, kw_only=True):
    """How busy the server is, and what it cannot help itself."""

    trouble: Annotated[str, doc("Why nothing can be saved now, as a sentence; empty if it can.")]
    database: Annotated[str, doc("Where the data are; without a password.")]
    hosted: Annotated[bool, doc("Whether it runs programs that owners hand in.")]
    samples: Annotated[tuple[LoadSample, ...], doc("One each two seconds, the oldest first; of ten minutes at most.")]


class LoadQuery(RequestModel, frozen=True, kw_only=True):
    """Which samples are wanted."""

    after: Annotated[
        Annotated[float, Meta(ge=0, le=1e12)], doc("Only those later than this, in seconds since 1970.")
    ] = 0.0


class Accounts(ListPage, frozen=True, kw_only=True):
    """Accounts of bots."""

    accounts: Annotated[tuple[Account, ...], doc("In the order in which they were made; at most `limit`.")]


class AccountOrder(RequestModel, frozen=True, kw_only=True):
    """An account for a bot of somebody else."""

    name: Annotated[Name, doc("Name of the bot.")]


class Invite(ResponseModel, frozen=True, kw_only=True):
    """What lets new bots in."""

    code: Annotated[str, doc("The invite code; empty where the server knows its hash alone.")]
    fixed: Annotated[bool, doc("Whether it was set where the server is started, and can be changed only there.")]
    open_registration: Annotated[bool, doc("Whether names without a token may play, and nobody is asked for the code.")]


class SettingsOrder(RequestModel, frozen=True, kw_only=True):
    """Settings to be changed now; null brings back what the server was started with. What runs goes on as it began."""

    time_control: Annotated[TimeText | UnsetType | None, doc("Of matches and tournaments for which none is asked.")] = (
        UNSET
    )
    max_matches: Annotated[
        Annotated[int, Meta(ge=1, le=1000000)] | UnsetType | None, doc("How many matches may run at once.")
    ] = UNSET
    open_registration: Annotated[
        bool | UnsetType | None,
        doc("Whether names without a token may play. Who plays so when it is closed stays until it leaves."),
    ] = UNSET
    rate_guests: Annotated[
        bool | UnsetType | None,
        doc("Whether games of names without a token, outside tournaments, count for the ratings."),
    ] = UNSET
    illegal_limit: Annotated[Few | UnsetType | None, doc("The illegal move with this number loses a match.")] = UNSET
    stall_limit_ms: Annotated[
        Millis | UnsetType | None, doc("Longest thinking on one move in a match without clocks.")
    ] = UNSET
    abandon_ms: Annotated[Millis | UnsetType | None, doc("How long an absent bot is waited for in a match.")] = UNSET
    open_wait_ms: Annotated[
        Millis | UnsetType | None, doc("How long a match waits for its players at its beginning and after a restart.")
    ] = UNSET
    lag_credit: Annotated[
        bool | UnsetType | None, doc("Whether bots far away are given back a part of each round trip.")
    ] = UNSET
    hosted_at_once: Annotated[
        Few | UnsetType | None, doc("How many programs of others run at once, all workers together.")
    ] = UNSET
    hosted_hours: Annotated[
        TimeText | UnsetType | None,
        doc("When programs of others play, as `18:00-08:00` in the server's time zone; empty for always."),
    ] = UNSET


class Setting(ResponseModel, frozen=True, kw_only=True):
    """One setting of the server."""

    name: Annotated[str, doc("Its name.")]
    value: Annotated[str | int | float | bool | None, doc("What holds now.")]
    started_with: Annotated[str | int | float | bool | None, doc("What the server was started with.")]
    changeable: Annotated[bool, doc("Whether it can be changed while the server runs.")]
    variable: Annotated[str, doc("The environment variable that sets it at the start.")]
    about: Annotated[str, doc("What it means; empty for those that cannot be changed.")]


class Settings(ResponseModel, frozen=True, kw_only=True):
    """The settings of the server, secrets left out."""

    settings: Annotated[tuple[Setting, ...], doc("Those first that can be changed.")]
