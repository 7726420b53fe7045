"""Text for people: endings, durations, clocks, scores, dates. Most functions are filters of the templates."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

from markupsafe import Markup
from msgspec import convert

from tabiya.games.endings import PROGRAM_FAILED, Ending
from tabiya.server.archive.exports import eval_text
from tabiya.server.core.adjudication import Adjudication, in_words
from tabiya.server.web.schemas.responses import MatchSeat, MoveLine
from tabiya.server.web.schemas.tournament_responses import TimeLeftRange
from tabiya.storage.records import ResultRecord

MAX_PV_MOVES = 8  # moves shown of an expected line

LABELS: dict[str, str] = {
    Ending.CHECKMATE: "checkmate",
    Ending.STALEMATE: "stalemate",
    Ending.INSUFFICIENT_MATERIAL: "too little material",
    Ending.THREEFOLD_REPETITION: "third repetition",
    Ending.FIFTY_MOVES: "fifty moves",
    Ending.LINE: "line",
    Ending.FULL_BOARD: "full board",
    Ending.MORE_DISCS: "more discs",
    Ending.EQUAL_DISCS: "equal discs",
    Ending.LAST_OBJECT: "last object",
    Ending.RESIGNATION: "resigned",
    Ending.DRAW_AGREED: "draw agreed",
    Ending.TIME: "out of time",
    Ending.TIME_CANNOT_WIN: "out of time, no win possible",
    Ending.ILLEGAL_MOVES: "illegal moves",
    Ending.STALL: "did not move",
    Ending.ABANDONED: "left",
    Ending.ADJUDICATED: "adjudicated",
    Ending.RESIGNED_BY_SCORES: "resigned by scores",
    Ending.DRAWN_BY_SCORES: "drawn by scores",
    Ending.MOVE_LIMIT: "move limit",
    Ending.KNOWN_RESULT: "known result",
    Ending.ABORTED: "aborted",
}
"""Every ending in a few words."""

WON: dict[str, str] = {
    Ending.CHECKMATE: "{winner} checkmated {loser}",
    Ending.LINE: "{winner} completed a line against {loser}",
    Ending.MORE_DISCS: "{winner} has more discs than {loser}",
    Ending.LAST_OBJECT: "the last object is taken and {winner} wins against {loser}",
    Ending.RESIGNATION: "{loser} resigned against {winner}",
    Ending.TIME: "{loser} ran out of time against {winner}",
    Ending.ILLEGAL_MOVES: "{loser} sent too many illegal moves and lost to {winner}",
    Ending.STALL: "{loser} did not move within the time allowed and lost to {winner}",
    Ending.ABANDONED: "{loser} left and did not come back, so {winner} wins",
    Ending.ADJUDICATED: "an operator gave the win to {winner} against {loser}",
    Ending.RESIGNED_BY_SCORES: "by its own scores {loser} had lost, so {winner} wins",
    Ending.KNOWN_RESULT: "by the table of endings {winner} wins against {loser}",
}
DRAWN: dict[str, str] = {
    Ending.STALEMATE: "a draw by stalemate between {first} and {second}",
    Ending.INSUFFICIENT_MATERIAL: "a draw: neither {first} nor {second} has enough material left to win",
    Ending.THREEFOLD_REPETITION: "a draw between {first} and {second}: the same position for the third time",
    Ending.FIFTY_MOVES: "a draw between {first} and {second}: fifty moves without a capture or a pawn move",
    Ending.FULL_BOARD: "a draw: the board is full and neither {first} nor {second} has a line",
    Ending.EQUAL_DISCS: "a draw: {first} and {second} have the same number of discs",
    Ending.DRAW_AGREED: "{first} and {second} agreed on a draw",
    Ending.TIME_CANNOT_WIN: "a draw between {first} and {second}: a clock ran out against a player who cannot win",
    Ending.ADJUDICATED: "an operator declared a draw between {first} and {second}",
    Ending.DRAWN_BY_SCORES: "a draw between {first} and {second}: by the scores of both the game was level",
    Ending.MOVE_LIMIT: "a draw between {first} and {second}: the game is as long as it may be",
    Ending.KNOWN_RESULT: "a draw between {first} and {second} by the table of endings",
    Ending.ABORTED: "no result between {first} and {second}: the match was aborted",
}


def ending_label(ending: str) -> str:
    """An ending in a few words; an unknown one as it is."""
    return LABELS.get(ending, ending.replace("_", " "))


class EndOfMatch(Protocol):
    """A result, as stored or as the API answers it."""

    @property
    def ending(self) -> str: ...
    @property
    def reason(self) -> str: ...


def has_failed(result: EndOfMatch) -> bool:
    """Whether the loser's program failed: its client resigns then, which is no decision of the player's."""
    return result.ending == Ending.RESIGNATION and result.reason.endswith(PROGRAM_FAILED)


def how_ended(result: EndOfMatch) -> str:
    """How a match ended, in a few words."""
    return "program failed" if has_failed(result) else ending_label(result.ending)


def result_sentence(result: ResultRecord, bots: tuple[str, str]) -> str:
    """How a match ended, in a sentence without a full stop and with the names of the bots (by seat)."""
    if result.winner is not None and has_failed(result):
        return f"the program of {bots[1 - result.winner]} failed, so {bots[result.winner]} wins"
    return end_sentence(result.winner, result.ending, bots)


def end_sentence(winner: int | None, ending: str, names: tuple[str, str]) -> str:
    """How a game ended, in a sentence without a full stop. names: by seat."""
    first, second = names
    if winner is None:
        pattern = DRAWN.get(ending, "a draw between {first} and {second}: " + ending_label(ending))
        return pattern.format(first=first, second=second)
    pattern = WON.get(ending, "{winner} won against {loser}: " + ending_label(ending))
    return pattern.format(winner=names[winner], loser=names[1 - winner])


def format_points(value: float) -> str:
    """A score as players write it: 1½."""
    whole, half = divmod(round(value * 2), 2)
    return f"{whole or '' if half else whole}{'½' if half else ''}"


def format_clock(ms: float | None) -> str:
    """A clock time: 1:23:45, 2:03, 12.3."""
    if ms is None:
        return "-"
    tenths = int(max(0.0, ms) // 100)
    minutes, tenths = divmod(tenths, 600)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02}:{tenths // 10:02}"
    return f"{minutes}:{tenths // 10:02}" if minutes else f"{tenths // 10}.{tenths % 10}"


def format_time_of_day(at: float) -> str:
    """The time of day: 10:19:38.663 UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S.") + f"{int(at * 1000) % 1000:03} UTC"


def format_duration(ms: float) -> str:
    """A duration: 0.4 ms, 412 ms, 3.21 s, 2 min 5 s."""
    if ms < 10:
        return f"{ms:.1f} ms"
    if ms < 999.5:
        return f"{ms:.0f} ms"
    if ms < 59_995:
        return f"{ms / 1000:.2f} s"
    seconds = round(ms / 1000)
    return f"{seconds // 60} min {seconds % 60} s"


def iso_time(at: float) -> str:
    """A time by ISO 8601: 2026-11-20T10:19:08Z."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_date_time(at: float) -> str:
    """Date and time: 2026-11-20 10:19 UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def format_local_time(at: float) -> str:
    """Date and time where the server is: 2026-11-20 11:19 CET."""
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%Y-%m-%d %H:%M %Z")


def isolate_names(sentence: str, seats: Sequence[MatchSeat]) -> Markup:
    """A sentence with the players' names isolated (`bdi`): a right-to-left name does not reorder the rest."""
    return _isolate(sentence, "|".join(sorted((re.escape(seat.bot) for seat in seats), key=len, reverse=True)))


def isolate_quotes(sentence: str) -> Markup:
    """The same for quoted texts."""
    return _isolate(sentence, "\"[^\"]*\"|'[^']*'")


def _isolate(sentence: str, pattern: str) -> Markup:
    parts = re.split(f"({pattern})", sentence)  # every second one is what was looked for
    return Markup("").join(Markup("<bdi>{}</bdi>").format(part) if at % 2 else part for at, part in enumerate(parts))


def count_noun(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 game, 1,204 games."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


TIE_BREAK_HEADINGS = {
    "buchholz_cut_1": "BH-1",
    "buchholz": "BH",
    "sonneborn_berger": "SB",
    "direct_encounter": "DE",
    "wins": "Wins",
    "game_points": "GP",
}
"""Short column headings; the full meaning is the title attribute."""


def tie_break_heading(name: str) -> str:
    return TIE_BREAK_HEADINGS.get(name, name.replace("_", " ").capitalize())


def two_decimals(number: float) -> str:
    """A number with at most two decimals: 3, 2.5, 0.67."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def rough_duration(seconds: float) -> str:
    """An approximate duration: 40 s, 12 min, 3 h 20 min, 4 days."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 48 * 60 else f"{round(minutes / 1440)} days"


def rough_range(left: TimeLeftRange) -> str:
    """A range of time: 12 to 18 min, 50 s to 3 min; `at most 40 s` where the lower end says little."""
    if left.from_s < left.to_s / 8:
        return f"at most {rough_duration(left.to_s)}"
    low, high = rough_duration(left.from_s), rough_duration(left.to_s)
    if low == high:
        return f"about {high}"
    (number, *unit), (_, *other) = low.split(), high.split()
    return f"{number if unit == other and len(unit) == 1 else low} to {high}"


def adjudication_text(rule: Adjudication | dict[str, Any]) -> str:
    return in_words(convert(rule, Adjudication))


def url_quote(text: str) -> str:
    """A name quoted as one segment of a URL path, slashes included."""
    return quote(text, safe="")


def shell_word(text: str) -> str:
    """A name as one word of a command line."""
    return shlex.quote(text)


class BotReport(NamedTuple):
    """A bot's `info` of a move as short texts; "" where it reported nothing."""

    score: str = ""
    depth: str = ""
    nodes: str = ""
    speed: str = ""


def score_text(score: int) -> str:
    """A score in hundredths from its own side: +1.25, -0.40, #3 for a win in three moves, #-3."""
    text = eval_text(score)
    return text if text[0] in "-#" else f"+{text}"


def short_count(number: float) -> str:
    """A large number in four letters or so: 940, 12.3k, 1.20M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.0f}"


def bot_report(move: MoveLine) -> BotReport:
    """The `info` that the bot sent with a move. Its types are not trusted."""
    info = move.info or {}
    score, depth, nodes = (info.get(name) for name in ("score", "depth", "nodes"))
    took_ms = move.claimed_ms or move.think_ms
    return BotReport(
        score=score_text(score) if isinstance(score, int) else "",
        depth=str(depth) if isinstance(depth, int) else "",
        nodes=f"{nodes:,}" if isinstance(nodes, int) else "",
        speed=f"{short_count(1000 * nodes / took_ms)}/s" if isinstance(nodes, int) and took_ms > 0 else "",
    )


def bot_info_text(info: dict[str, Any], expected: Sequence[str] = ()) -> str:
    """A bot's own `info` in a line: depth 9, +1.25, 1,204,000 nodes, e4 e5 Nf3. Its types are not trusted.

    expected: its line as people write it, which then is not shown as it was told.
    """
    parts = []
    if isinstance(depth := info.get("depth"), int):
        parts.append(f"depth {depth}")
    if isinstance(score := info.get("score"), int):
        parts.append(score_text(score))
    if isinstance(nodes := info.get("nodes"), int):
        parts.append(count_noun(nodes, "node"))
    if expected:
        parts.append(" ".join(expected))
    elif isinstance(line := info.get("pv"), list | tuple) and line:
        parts.append(" ".join(map(str, line[:MAX_PV_MOVES])))
    if isinstance(text := info.get("text"), str) and text:
        parts.append(text)
    return ", ".join(parts)
