"""Changes of a game's mark, the same in every format: start, finish, replay, forfeit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from tabiya.server.pairing.state import GAMES_PER_MEETING, Mark, Meeting, PairingState, ScheduledGame, game_of


def games_of(meetings: Sequence[Meeting]) -> tuple[ScheduledGame, ...]:
    """All games of these meetings in order."""
    return tuple(game_of(number, meetings[number // 2]) for number in range(GAMES_PER_MEETING * len(meetings)))


def running(state: PairingState) -> list[int]:
    """Numbers of the games that have a match under way."""
    numbers, number = list[int](), state.marks.find(Mark.RUNNING)
    while number >= 0:
        numbers.append(number)
        number = state.marks.find(Mark.RUNNING, number + 1)
    return numbers


def startable(
    meetings: Sequence[Meeting], state: PairingState, free: Mapping[int, int], slots: int
) -> tuple[ScheduledGame, ...]:
    """The next games to start: in the order of their numbers, at most `slots`.

    free: how many more games each entrant that is present can play now.  No game waits for a slower one unless it
    needs the same entrant.
    """
    left = {entrant: games for entrant, games in free.items() if games > 0}
    chosen: list[ScheduledGame] = []
    number = state.marks.find(Mark.PENDING)
    while number >= 0 and len(chosen) < slots and len(left) > 1:  # one alone has no opponent
        game = game_of(number, meetings[number // GAMES_PER_MEETING])
        if game.first in left and game.second in left:
            chosen.append(game)
            for entrant in (game.first, game.second):
                left[entrant] -= 1
                if not left[entrant]:
                    del left[entrant]
        number = state.marks.find(Mark.PENDING, number + 1)
    return tuple(chosen)


def started(state: PairingState, number: int) -> PairingState:
    """Mark a game as running."""
    return _marked(state, number, Mark.RUNNING)


def finished(state: PairingState, number: int, winner: int | None) -> PairingState:
    """Mark a game with its result. winner: the winning seat, None for a draw."""
    return _marked(state, number, Mark.DRAWN if winner is None else (Mark.FIRST_WON, Mark.SECOND_WON)[winner])


def replayed(state: PairingState, number: int) -> PairingState:
    """Mark a game as pending again: its match was aborted, or frozen by an error of the server."""
    return _marked(state, number, Mark.PENDING)


def nothing_running(state: PairingState) -> PairingState:
    """Mark all running games as pending, before their marks are derived from the stored matches."""
    return replace(state, marks=state.marks.replace(Mark.RUNNING, Mark.PENDING))


def forfeited(meetings: Sequence[Meeting], state: PairingState) -> PairingState:
    """Every game not yet started of an entrant that has withdrawn is lost by forfeit; running ones go on."""
    gone = set(state.withdrawn)
    if not gone or Mark.PENDING not in state.marks:
        return state
    marks = list(state.marks)
    number = state.marks.find(Mark.PENDING)
    while number >= 0:
        game = game_of(number, meetings[number // GAMES_PER_MEETING])
        if game.first in gone or game.second in gone:
            marks[number] = _forfeit(game, gone)
        number = state.marks.find(Mark.PENDING, number + 1)
    return replace(state, marks="".join(marks))


def _forfeit(game: ScheduledGame, gone: AbstractSet[int]) -> Mark:
    if game.first in gone and game.second in gone:
        return Mark.BOTH_FORFEIT
    return Mark.SECOND_BY_FORFEIT if game.first in gone else Mark.FIRST_BY_FORFEIT


def _marked(state: PairingState, number: int, mark: Mark) -> PairingState:
    return replace(state, marks=state.marks[:number] + mark + state.marks[number + 1 :])


def with_meetings(state: PairingState, new: Sequence[Meeting]) -> PairingState:
    """The state with more meetings added; their games have not begun."""
    marks = state.marks + Mark.PENDING * (GAMES_PER_MEETING * len(new))
    return replace(state, meetings=(*state.meetings, *new), marks=marks)
