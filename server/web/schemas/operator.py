"""Request and response models for operators only."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from tabiya.protocol.messages.fields import doc
from tabiya.server.config import Few, Millis
from tabiya.server.load import LoadSample
from tabiya.server.web.schemas.requests import Id, Name, RequestModel, TimeText
from tabiya.server.web.schemas.responses import Account, ListPage, ResponseModel


class AuditQuery(RequestModel, frozen=True, kw_only=True):
    """Which actions to list."""

    before: Annotated[Id | None, doc("Only those before this number.")] = None
    limit: Annotated[int, Meta(ge=1, le=200), doc("Maximum number.")] = 50


class GivenOrder(ResponseModel, frozen=True, kw_only=True):
    """An operator's action."""

    id: Annotated[int, doc("Its number.")]
    at: Annotated[float, doc("When it was answered.")]
    who: Annotated[str, doc("Name of the account; `operator` for the server's own.")]
    way: Annotated[str, doc("Login by `token`, `session`, or `this machine` without either.")]
    address: Annotated[str, doc("Network address of the client.")]
    path: Annotated[str, doc("The address in this API, without `/api/v1`.")]
    details: Annotated[dict[str, Any], doc("The fields of the request, without secrets and files.")]
    status: Annotated[int, doc("Status of the answer: 200 and 201 for success, others for refusal.")]


class Audit(ListPage, frozen=True, kw_only=True):
    """Operators' actions."""

    orders: Annotated[tuple[GivenOrder, ...], doc("Newest first; at most `limit`.")]


class Load(ResponseModel, frozen=True, kw_only=True):
    """Load of the server, and its problems."""

    trouble: Annotated[str, doc("Why nothing can be saved now, as a sentence; empty if saving works.")]
    database: Annotated[str, doc("Address of the database, without password.")]
    hosted: Annotated[bool, doc("Whether it runs uploaded programs.")]
    samples: Annotated[tuple[LoadSample, ...], doc("One every two seconds, oldest first, for at most ten minutes.")]


class LoadQuery(RequestModel, frozen=True, kw_only=True):
    """Which samples are wanted."""

    after: Annotated[Annotated[float, Meta(ge=0, le=1e12)], doc("Only later samples, in seconds since 1970.")] = 0.0


class Accounts(ListPage, frozen=True, kw_only=True):
    """Accounts of bots."""

    accounts: Annotated[tuple[Account, ...], doc("In the order of creation; at most `limit`.")]


class AccountOrder(RequestModel, frozen=True, kw_only=True):
    """An account for another person's bot."""

    name: Annotated[Name, doc("Name of the bot.")]


class Invite(ResponseModel, frozen=True, kw_only=True):
    """How new bots register."""

    code: Annotated[str, doc("The invite code; empty if the server knows only its hash.")]
    fixed: Annotated[bool, doc("Whether it was set at the server's start and can be changed only there.")]
    open_registration: Annotated[bool, doc("Whether bots may play without a token and without the code.")]


class SettingsOrder(RequestModel, frozen=True, kw_only=True):
    """Settings to change; null restores the value from the start. Running matches do not change."""

    time_control: Annotated[TimeText | UnsetType | None, doc("Default time control of matches and tournaments.")] = (
        UNSET
    )
    max_matches: Annotated[
        Annotated[int, Meta(ge=1, le=1000000)] | UnsetType | None, doc("How many matches may run at once.")
    ] = UNSET
    open_registration: Annotated[
        bool | UnsetType | None,
        doc("Whether bots without a token may play. If you forbid it, connected ones stay until they leave."),
    ] = UNSET
    rate_guests: Annotated[
        bool | UnsetType | None,
        doc("Whether games of bots without a token count for ratings outside tournaments."),
    ] = UNSET
    illegal_limit: Annotated[Few | UnsetType | None, doc("Illegal move with this number loses a match.")] = UNSET
    stall_limit_ms: Annotated[
        Millis | UnsetType | None, doc("Longest time for one move in a match without clocks.")
    ] = UNSET
    abandon_ms: Annotated[Millis | UnsetType | None, doc("Time to wait for an absent bot in a match.")] = UNSET
    open_wait_ms: Annotated[
        Millis | UnsetType | None, doc("Time to wait for the players at the start of a match and after a restart.")
    ] = UNSET
    lag_credit: Annotated[bool | UnsetType | None, doc("Whether distant bots get back part of the network delay.")] = (
        UNSET
    )
    hosted_at_once: Annotated[
        Few | UnsetType | None, doc("Uploaded programs that run at once, on all workers together.")
    ] = UNSET
    hosted_hours: Annotated[
        TimeText | UnsetType | None,
        doc("Hours in which uploaded programs play, such as 18:00-08:00 in the server's time zone; empty: always."),
    ] = UNSET


class Setting(ResponseModel, frozen=True, kw_only=True):
    """One setting of the server."""

    name: Annotated[str, doc("Its name.")]
    value: Annotated[str | int | float | bool | None, doc("Present value.")]
    started_with: Annotated[str | int | float | bool | None, doc("Value at the start.")]
    changeable: Annotated[bool, doc("Whether it can be changed while the server runs.")]
    variable: Annotated[str, doc("Environment variable for the start.")]
    about: Annotated[str, doc("Its meaning; empty for fixed settings.")]


class Settings(ResponseModel, frozen=True, kw_only=True):
    """The server's settings, without secrets."""

    settings: Annotated[tuple[Setting, ...], doc("Changeable settings first.")]
