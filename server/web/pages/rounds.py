"""The rounds of a tournament for its page: pairings with their games and byes, the newest round first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tabiya.server.web.schemas.tournament_responses import (
    ByeLine,
    PairingLine,
    TieBreak,
    TournamentDetail,
    TournamentGame,
)

ROUNDS_SHOWN, MAX_PAIRINGS = 3, 120
MINUS = "\N{MINUS SIGN}"
SCORES = {
    "1-0": ("1", "0"),
    "0-1": ("0", "1"),
    "1/2-1/2": ("½", "½"),
    "+--": ("+", MINUS),
    "--+": (MINUS, "+"),
    "---": (MINUS, MINUS),
}


class ShownGame(NamedTuple):
    """One game of a pairing. scores: as the two of the pairing see it, in their order; empty before its result."""

    game: TournamentGame
    scores: tuple[str, str]

    @property
    def words(self) -> str:
        """The game as a sentence: `match 12: ada 1, bob 0`."""
        bots = self.game.bots if self.scores == SCORES.get(self.game.result or "") else self.game.bots[::-1]
        what = ", ".join(f"{bot} {score}" for bot, score in zip(bots, self.scores, strict=True))
        named = f"match {self.game.match}" if self.game.match else "forfeit"
        return f"{named}: {what if self.scores[0] else self.game.state}"


class ShownPairing(NamedTuple):
    """One pairing with its games."""

    line: PairingLine
    games: tuple[ShownGame, ...]

    @property
    def state(self) -> str:
        """`pending`, `running` or `over`."""
        if self.line.winner is not None:
            return "over"
        states = {each.game.state for each in self.games}
        if "running" in states or (len(states) > 1 and "pending" in states):
            return "running"
        return "pending" if not states or "pending" in states else "over"

    @property
    def last_meeting(self) -> tuple[ShownGame, ...]:
        """Its games, or where the two met again after level meetings those of the last one."""
        return tuple(each for each in self.games if each.game.meeting == self.games[-1].game.meeting)

    @property
    def level_meetings(self) -> int:
        """How often the two had met before that."""
        return len({each.game.meeting for each in self.games[: -len(self.last_meeting)]})

    @property
    def remark(self) -> str:
        """A note beside the points."""
        return "" if self.line.note == "bye" else self.line.note.removeprefix("third place").removeprefix("; ")

    def seat_class(self, side: int) -> str:
        """`winner`, `loser`, or neither."""
        if self.line.winner is None:
            return ""
        return "winner" if self.line.winner == self.line.players[side] else "loser"

    def absent(self, side: int) -> str:
        """The text in place of a bot that is not known."""
        return self.line.note if self.line.note == "bye" else "nobody" if self.line.winner is not None else "undecided"


class ScoreGroup(NamedTuple):
    """The pairings of a round whose better bot had `before` points; None where points do not matter."""

    points: float | None
    pairings: tuple[ShownPairing, ...]


class ShownRound(NamedTuple):
    """One round with its pairings and byes."""

    title: str
    pairings: tuple[ShownPairing, ...]
    byes: tuple[ByeLine, ...]
    is_current: bool = False

    @property
    def groups(self) -> list[ScoreGroup]:
        """The pairings by score group, the highest first; all in one where there are none."""
        found: dict[float | None, list[ShownPairing]] = {}
        for pairing in self.pairings:
            found.setdefault(max(pairing.line.before) if pairing.line.before else None, []).append(pairing)
        ordered = sorted(found, key=lambda points: -(points or 0))
        return [ScoreGroup(points, tuple(found[points])) for points in ordered]


def latest_rounds(rounds: list[ShownRound]) -> list[ShownRound]:
    """All rounds, or the last three if all have more than MAX_PAIRINGS pairings."""
    return rounds if sum(len(each.pairings) for each in rounds) <= MAX_PAIRINGS else rounds[-ROUNDS_SHOWN:]


def shown_pairings(tournament: TournamentDetail) -> list[ShownPairing]:
    """All pairings with their games."""
    games = {game.number: game for game in tournament.games}
    return [ShownPairing(line, _games(line, games)) for line in tournament.pairings]


def _games(line: PairingLine, games: Mapping[int, TournamentGame]) -> tuple[ShownGame, ...]:
    shown = []
    for number in line.games:
        game = games[number]
        scores = SCORES.get(game.result or "", ("", ""))
        shown.append(ShownGame(game, scores if game.players[0] == line.players[0] else (scores[1], scores[0])))
    return tuple(shown)


def rounds_of(tournament: TournamentDetail, only: Sequence[int] | None = None) -> list[ShownRound]:
    """The rounds that have pairings or byes, in order. only: of these entrants, all if None."""
    shown, pairings = [], shown_pairings(tournament)
    last = max((pairing.line.round for pairing in pairings), default=-1)
    for number, title in enumerate(tournament.round_titles):
        here = [each for each in pairings if each.line.round == number]
        byes = [bye for bye in tournament.byes if bye.round == number]
        if only is not None:
            here = [each for each in here if set(each.line.players) & set(only)]
            byes = [bye for bye in byes if bye.number in only]
        here.sort(key=lambda pairing: pairing.line.slot)
        if here or byes:
            current = number == last and tournament.status in ("running", "paused")
            shown.append(ShownRound(title, tuple(here), tuple(byes), current))
    return shown


def deciding_tie_breaks(tournament: TournamentDetail) -> list[TieBreak]:
    """The tie-breaks that any row has; `wins` is left out where games are counted, as it has its own column."""
    named = {name for line in tournament.lines for name in line.tie_breaks}
    if not any(one.name == "game_points" for one in tournament.tie_breaks):
        named.discard("wins")
    return [one for one in tournament.tie_breaks if one.name in named]
