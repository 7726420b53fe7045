"""The rounds of a tournament for its page: pairings with their games and byes."""

from __future__ import annotations

from typing import NamedTuple

from tabiya.server.web.schemas.tournament_responses import (
    ByeLine,
    PairingLine,
    TieBreak,
    TournamentDetail,
    TournamentGame,
)


class ShownPairing(NamedTuple):
    """One pairing with its games."""

    line: PairingLine
    games: tuple[TournamentGame, ...]

    @property
    def state(self) -> str:
        """`pending`, `running` or `over`."""
        if self.line.winner is not None:
            return "over"
        states = {game.state for game in self.games}
        if "running" in states or (len(states) > 1 and "pending" in states):
            return "running"
        return "pending" if not states or "pending" in states else "over"


class ShownRound(NamedTuple):
    """One round with its pairings and byes."""

    title: str
    pairings: tuple[ShownPairing, ...]
    byes: tuple[ByeLine, ...]


ROUNDS_SHOWN, MAX_PAIRINGS = 3, 120


def latest_rounds(rounds: list[ShownRound]) -> list[ShownRound]:
    """All rounds, or the last three if all have more than MAX_PAIRINGS pairings."""
    return rounds if sum(len(each.pairings) for each in rounds) <= MAX_PAIRINGS else rounds[-ROUNDS_SHOWN:]


def rounds_of(tournament: TournamentDetail) -> list[ShownRound]:
    """The rounds that have pairings or byes, in order."""
    games = {game.number: game for game in tournament.games}
    shown = []
    for number, title in enumerate(tournament.round_titles):
        lines = sorted((line for line in tournament.pairings if line.round == number), key=lambda line: line.slot)
        pairings = tuple(ShownPairing(line, tuple(games[game] for game in line.games)) for line in lines)
        byes = tuple(bye for bye in tournament.byes if bye.round == number)
        if pairings or byes:
            shown.append(ShownRound(title, pairings, byes))
    return shown


def deciding_tie_breaks(tournament: TournamentDetail) -> list[TieBreak]:
    """The tie-breaks that any row has; `wins` is left out where games are counted, as it has its own column."""
    named = {name for line in tournament.lines for name in line.tie_breaks}
    if not any(one.name == "game_points" for one in tournament.tie_breaks):
        named.discard("wins")
    return [one for one in tournament.tie_breaks if one.name in named]
