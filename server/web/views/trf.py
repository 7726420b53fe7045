"""A Swiss as FIDE's tournament report (TRF16), as far as it has been played: for programs that pair and check.

A round is a meeting of two games; its colour is the seat of the first of them. Starting numbers are those of entry.
"""

from __future__ import annotations

from tabiya.server.pairing.fide_dutch import TENTHS_OF_POINT, RoundEntry, RoundOutcome
from tabiya.server.web.schemas.tournament_responses import CrosstableLine, PairingLine, TournamentDetail

NAME_LENGTH = 33
OUTCOMES = {1.0: RoundOutcome.WON, 0.5: RoundOutcome.DREW, 0.0: RoundOutcome.LOST}
ABSENT = RoundEntry(RoundOutcome.ABSENT)


def trf(tournament: TournamentDetail) -> str:
    """The report: its head, and a line a bot with the rounds that are over."""
    rounds = _rounds_over(tournament)
    head = [f"012 {tournament.name}", f"062 {tournament.entrants}", "092 Swiss (Dutch), meetings of two games"]
    head += [f"122 {tournament.time_control}", f"XXR {tournament.rounds}"]
    entries = _entries(tournament)
    lines = sorted(tournament.lines, key=lambda line: line.number)
    head += [_player(line, [entries.get((line.number, at), ABSENT) for at in range(rounds)]) for line in lines]
    return "\n".join([*head, ""])


def _player(line: CrosstableLine, entries: list[RoundEntry]) -> str:
    points = sum(TENTHS_OF_POINT.get(entry.kind, 0) for entry in entries) / 10
    who = f"001 {line.number + 1:>4}      {line.bot[:NAME_LENGTH]:<{NAME_LENGTH}}"
    return f"{who}{'':33}{points:4.1f} {line.rank:>4}{''.join(map(_cell, entries))}"


def _cell(entry: RoundEntry) -> str:
    color = "-" if not entry.opponent else "w" if entry.first else "b"
    return f"  {entry.opponent or '0000':>4} {color} {entry.kind.value}"


def _rounds_over(tournament: TournamentDetail) -> int:
    """How many rounds have all their results."""
    open_games = {game.round for game in tournament.games if game.state in ("pending", "running")}
    paired = 1 + max((pairing.round for pairing in tournament.pairings), default=-1)
    return min(open_games, default=paired)


def _entries(tournament: TournamentDetail) -> dict[tuple[int, int], RoundEntry]:
    """By entrant and round."""
    forfeits = {game.number for game in tournament.games if game.state == "forfeit"}
    found = {
        (bye.number, bye.round): RoundEntry(RoundOutcome.HALF_BYE if bye.requested else RoundOutcome.BYE)
        for bye in tournament.byes
    }
    for pairing in tournament.pairings:
        for side, player in enumerate(pairing.players):
            other = pairing.players[1 - side]
            if player is not None and other is not None:
                outcome = _outcome(pairing, side, played=not forfeits.issuperset(pairing.games))
                found[player, pairing.round] = RoundEntry(outcome, other + 1, side == 0)
    return found


def _outcome(pairing: PairingLine, side: int, *, played: bool) -> RoundOutcome:
    own, other = pairing.points[side], pairing.points[1 - side]
    if not played:
        return RoundOutcome.WON_BY_FORFEIT if own > other else RoundOutcome.LOST_BY_FORFEIT
    return OUTCOMES[0.5 if own == other else float(own > other)]
