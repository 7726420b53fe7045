"""Which games count for standings: of certain days, between certain bots, with certain options."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from tabiya.games.errors import GameError, shown
from tabiya.games.registry import load_game
from tabiya.server.accounts.names import same_name
from tabiya.storage.derived import as_json
from tabiya.storage.records import GameResult

DAY = len("2026-11-23")


class SelectionError(ValueError):
    """No such games can be selected; the text is one sentence."""


class Selection(NamedTuple):
    """Which games count.

    since, until: those that ended then or later, and before, in seconds since 1970.  among: only between these bots,
    whose names are as `same_name` writes them; empty for all.  options: as GameResult has them; empty for any.
    """

    since: float | None = None
    until: float | None = None
    among: frozenset[str] = frozenset()
    options: str = ""

    def wants(self, result: GameResult) -> bool:
        """Whether this game counts."""
        return (
            (self.since is None or result.ended_at >= self.since)
            and (self.until is None or result.ended_at < self.until)
            and (not self.among or all(same_name(bot) in self.among for bot in result.bots))
            and self.options in ("", result.options)
        )


ALL_GAMES = Selection()


def read_selection(game: str, since: str = "", until: str = "", among: str = "", options: str = "") -> Selection:
    """The selection in these texts. Raises SelectionError.

    since, until: `2026-11-23`, `2026-11-23T14:00` or with a time zone, without one in that of this machine; a day ends
    with its last moment.  among: names with commas between.  options: as `columns=9 rows=9`, the others as usual.
    """
    begin, end = _moment(since), _moment(until, end=True)
    if begin is not None and end is not None and begin >= end:
        raise SelectionError(f"the time from {since} to {until} is empty: since must be before until")
    names = frozenset(same_name(name.strip()) for name in among.split(",") if name.strip())
    if len(names) == 1:
        raise SelectionError(f"the games among several bots: {shown(among)} is one; put commas between their names")
    return Selection(begin, end, names, _options(game, options))


def _moment(text: str, *, end: bool = False) -> float | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))  # a plus sign that was not encoded comes as a space
        return (moment + timedelta(days=end and len(text) == DAY)).timestamp()
    except (ValueError, OverflowError):
        raise SelectionError(f"{shown(text)} is no time; write it as 2026-11-23 or 2026-11-23T14:00") from None


def _options(game: str, text: str) -> str:
    if not text.strip():
        return ""
    try:
        given = dict(option.partition("=")[::2] for option in text.split())
        return as_json(load_game(game).read_options(given))
    except GameError as error:
        raise SelectionError(str(error)) from None
