"""Our data in the format of Lichess's API (docs/sources.md#lichess-api)."""

from __future__ import annotations

from typing import Any

from tabiya.bots.players.catalogue import CHESS, CHESS960
from tabiya.games.endings import Ending
from tabiya.protocol.time_control import TimeControl, parse

Json = dict[str, Any]

USUAL_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
COLOURS = ("white", "black")  # by seat
SPEEDS = (("bullet", 180_000), ("blitz", 480_000), ("rapid", 1_500_000))  # below this many milliseconds
SLOWEST = "classical"
KINDS = (*(name for name, _ in SPEEDS), SLOWEST)
MOVES_EXPECTED = 40  # by which Lichess counts an increment into the length of a game
FEW_GAMES = 30  # with fewer a rating is marked as provisional
STANDARD: Json = {"key": "standard", "name": "Standard", "short": "Std"}
VARIANTS = {CHESS: STANDARD, CHESS960: {"key": CHESS960, "name": "Chess960", "short": "960"}}
"""The games that this API is about."""
FROM_POSITION: Json = {"key": "fromPosition", "name": "From Position", "short": "FEN"}

STATUSES: dict[str, str] = {
    Ending.CHECKMATE: "mate",
    Ending.STALEMATE: "stalemate",
    Ending.RESIGNATION: "resign",
    Ending.RESIGNED_BY_SCORES: "resign",
    Ending.TIME: "outoftime",
    Ending.TIME_CANNOT_WIN: "outoftime",
    Ending.STALL: "outoftime",
    Ending.ABANDONED: "timeout",
    Ending.ABORTED: "aborted",
}
STATUS_NUMBERS = {
    "started": 20, "aborted": 25, "mate": 30, "resign": 31, "stalemate": 32, "timeout": 33, "draw": 34,
    "outoftime": 35, "unknownFinish": 38,
}  # fmt: skip
DECLINE_REASONS = {
    "generic", "later", "tooFast", "tooSlow", "timeControl", "rated", "casual", "standard", "variant", "noBot",
    "onlyBot",
}  # fmt: skip


def status_of(ending: str, winner: int | None) -> str:
    """Lichess's name of an ending. It has one name for all draws, and `unknownFinish` for endings it does not know."""
    return STATUSES.get(ending) or ("draw" if winner is None else "unknownFinish")


def status(name: str) -> Json:
    """A status with its number."""
    return {"id": STATUS_NUMBERS[name], "name": name}


def match_id(match: int) -> str:
    """The name of a match, of eight letters as on Lichess."""
    return f"m{match:07d}"


def challenge_id(challenge: int) -> str:
    """The name of a challenge, and of the game that comes of it."""
    return f"c{challenge:07d}"


def speed(control: TimeControl) -> str:
    """The class of a time control. UltraBullet, which bots are not to play on Lichess, is bullet here."""
    length_ms = control.base_ms + MOVES_EXPECTED * control.increment_ms
    return next((name for name, most_ms in SPEEDS if length_ms < most_ms), SLOWEST)


def perf(game: str, control: TimeControl) -> str:
    """The kind of games that are rated together on Lichess: those of a speed, or of a variant."""
    return speed(control) if game == CHESS else str(VARIANTS[game]["key"])


def variant(game: str, start: str) -> Json:
    """That of the game; or chess that begins elsewhere."""
    return FROM_POSITION if game == CHESS and start != USUAL_START else VARIANTS[game]


def initial_fen(game: str, start: str) -> str:
    """Where a game begins. Of Chess960 always in full, as on Lichess."""
    return "startpos" if game == CHESS and start == USUAL_START else start


def time_control(text: str) -> Json:
    """The time control of a challenge. What is no clock with an increment is `unlimited`: clients decline it."""
    control = parse(text)
    if not control.timed or control.moves or text.endswith("/move"):
        return {"type": "unlimited"}
    limit, increment = seconds(control.base_ms), seconds(control.increment_ms)
    return {"type": "clock", "limit": limit, "increment": increment, "show": f"{limit / 60:g}+{increment:g}"}


def seconds(milliseconds: int) -> float:
    """Whole seconds as a whole number, which is all that Lichess has; shorter times as a fraction."""
    whole, rest = divmod(milliseconds, 1_000)
    return milliseconds / 1_000 if rest else whole


def user(name: str, rating: int, games: int) -> Json:
    """A player in a game or a challenge. All players of this server are bots."""
    return {"id": name.lower(), "name": name, "title": "BOT", "rating": rating, "provisional": games < FEW_GAMES}


def profile(name: str, ratings: dict[str, tuple[int, int]]) -> Json:
    """A player by itself; there is one rating for all speeds.  ratings: and numbers of games, by game."""
    perfs = {
        kind: {"games": games, "rating": rating, "rd": 50, "prog": 0, "prov": games < FEW_GAMES}
        for game, (rating, games) in ratings.items()
        for kind in (KINDS if game == CHESS else (VARIANTS[game]["key"],))
    }
    return {"id": name.lower(), "username": name, "title": "BOT", "perfs": perfs, "online": True}
