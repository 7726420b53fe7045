"""The stream of news for processes that show pages. It may change with each version."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, UnsetType, field

from tabiya.protocol.messages import Watching
from tabiya.server.web.schemas.responses import Counts, ResponseModel

Games = tuple[str, ...]


class ServerFacts(ResponseModel, frozen=True, kw_only=True):
    """What a server says of itself. name: with its version.  listens_on, port: of the bots' websockets."""

    name: str
    listens_on: str
    port: int
    open_registration: bool
    time_control: str
    started_at: float


class MatchNews(ResponseModel, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a match; `state.moves` are those after the first `after`.

    thinking: whether the clock of the seat to move runs.  frozen: by an error of the server.
    """

    state: Watching
    after: int = 0
    thinking: bool = False
    frozen: bool = False


class LiveServer(ResponseModel, frozen=True, kw_only=True, omit_defaults=True):
    """One event: what is new. Its id is one more than that of the event before.

    snapshot_complete: true in the event that ends the snapshot: all running matches have been sent.
    present, hosted: of bots by their ids, with their games: those that came or changed, None for who left.
    """

    counts: Counts | UnsetType = UNSET
    facts: ServerFacts | UnsetType = UNSET
    matches: tuple[MatchNews, ...] = ()
    present: Mapping[int, Games | None] = field(default_factory=dict)
    hosted: Mapping[int, Games | None] = field(default_factory=dict)
    snapshot_complete: bool = False
