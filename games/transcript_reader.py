"""Reading Portable Game Notation, as generously as is safe.

Comments are kept with their moves (those before the first move are not), clocks (`[%clk …]`) and book plies understood,
variations and annotation glyphs skipped; a missing result is taken from the tags. What cannot be understood is an error
that names line and move, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tabiya.games.chess.fen import START
from tabiya.games.chess.san import read_san
from tabiya.games.contract import Game
from tabiya.games.endings import Ending
from tabiya.games.errors import GameError, TranscriptError, shown
from tabiya.games.position import Position
from tabiya.games.transcript import BOOK, ONGOING_RESULT, RESULTS, ROSTER, UNKNOWN, GameRecord

TOKEN = re.compile(
    r"""(?P<skipped>\s+ | (?<![^\n])%[^\n]* | ;[^\n]* | <[^>\n]*> | \$\d+ | [!?]+ | e\.p\.)
    | \[\s*(?P<tag>\w+\s*"(?:[^\\\n]|\\.)*?")\s*\]
    | \{(?P<comment>[^}]*)\}
    | (?P<open>\()
    | (?P<close>\))
    | (?P<result>1-0 | 0-1 | 1/2-1/2 | \*)
    | (?P<number>\d+(?!-)\.* | \.+)
    | (?P<move>[A-Za-z0][A-Za-z0-9+\#=:\-]*[!?]*)""",
    re.VERBOSE | re.ASCII,
)
CLOCK = re.compile(r"\[%clk\s+(\d{1,4}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?\]")
VARIANTS = ("", "standard", "chess", "normal", "from position")
# told by other fields of a GameRecord
OWN_TAGS = ("White", "Black", "Result", "FEN", "SetUp", "Ending")


class Token(NamedTuple):
    """A piece of the text: its kind is the name of a group of TOKEN."""

    kind: str
    text: str
    line: int


def read_pgn(game: Game, text: str) -> Iterator[GameRecord]:
    """The games of a PGN text, one after the other. Raises TranscriptError at the first that cannot be read."""
    reading = _Reading(game)
    for token in _main_line(_tokens(text)):
        if token.kind == "tag" and reading.has_begun:  # a game without a result
            yield reading.finish(None)
            reading = _Reading(game)
        reading.take(token)
        if token.kind == "result":
            yield reading.finish(token.text)
            reading = _Reading(game)
    if reading.has_begun or reading.tags:
        yield reading.finish(None)


def _tokens(text: str) -> Iterator[Token]:
    """All tokens but white space, glyphs and what a reader shall skip."""
    text = text.removeprefix("\ufeff")  # a byte order mark
    at, line = 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise TranscriptError(f"line {line}: {_unreadable(text[at : at + 40])}")
        kind = str(match.lastgroup)
        if kind != "skipped":
            yield Token(kind, match[kind], line)
        line += match[0].count("\n")
        at = match.end()


def _unreadable(text: str) -> str:
    if text[0] == "{":
        return "a comment begun with { does not end"
    if text[0] == "[":
        return f'a tag is written [Name "value"], not {shown(text.splitlines()[0])}'
    return f"nothing in a PGN text begins like {shown(text.splitlines()[0])}"


def _main_line(tokens: Iterator[Token]) -> Iterator[Token]:
    """The tokens outside all variations, move numbers left out. Raises TranscriptError for unbalanced brackets."""
    begun: list[int] = []  # lines of the variations that are open
    for token in tokens:
        if token.kind == "open":
            begun.append(token.line)
        elif token.kind == "close":
            if not begun:
                raise TranscriptError(f"line {token.line}: a variation ends that did not begin")
            begun.pop()
        elif not begun and token.kind != "number":
            yield token
    if begun:
        raise TranscriptError(f"line {begun[0]}: a variation begun with ( does not end")


@dataclass(slots=True)
class _Reading:
    """One game while it is read."""

    game: Game
    tags: dict[str, str] = field(default_factory=dict)
    position: Position | None = None  # None until the first move
    clocks_ms: list[int | None] = field(default_factory=list)  # one for each ply, like the comments
    comments: list[str] = field(default_factory=list)
    opening_plies: int = 0

    @property
    def has_begun(self) -> bool:
        """Whether a move has been read."""
        return self.position is not None

    def take(self, token: Token) -> None:
        """Read one token of the main line; results are the caller's business."""
        if token.kind == "tag":
            name, _, value = token.text.partition('"')
            self.tags[name.strip()] = re.sub(r"\\(.)", r"\1", value[:-1])
        elif token.kind == "move":
            self._move(token)
        elif token.kind == "comment":
            self._comment(token.text)

    def _start(self, line: int) -> Position:
        """The position the moves begin from, by the tags."""
        if self.tags.get("Variant", "").lower() not in VARIANTS:
            raise TranscriptError(f"line {line}: only orthodox chess is read, not {shown(self.tags['Variant'])}")
        try:
            return self.game.parse(self.tags.get("FEN", START))
        except GameError as error:
            raise TranscriptError(f"line {line}: the FEN tag is wrong: {error}") from error

    def _move(self, token: Token) -> None:
        position = self.position or self._start(token.line)
        if position.ply >= self.game.max_plies:
            raise TranscriptError(f"line {token.line}: no game has more than {self.game.max_plies} plies")
        try:
            self.position = position.play(read_san(position, token.text))
        except GameError as error:
            number = f"{position.state.fullmove}{'...' if position.to_move else '.'}"
            raise TranscriptError(f"line {token.line}, move {number}: {error}") from error
        self.clocks_ms.append(None)
        self.comments.append("")

    def _comment(self, text: str) -> None:
        if self.position is None:
            return
        ply = self.position.ply - 1
        if clock := CLOCK.search(text):
            self.clocks_ms[ply] = _milliseconds(clock)
        words = CLOCK.sub(" ", text).split()
        if words[:1] == [BOOK] and ply == self.opening_plies:
            self.opening_plies += 1
            del words[0]
        self.comments[ply] = " ".join([self.comments[ply], *words]).strip()

    def finish(self, result: str | None) -> GameRecord:
        """The game read so far; result: its token, None if the text had none."""
        position = self.position or self._start(1)
        ending = _ending(self.tags.get("Ending"))
        if ending is not None:
            self.tags.pop("Termination", None)  # says the same in fewer words
        tagged = self.tags.get("Result", ONGOING_RESULT)
        return GameRecord(
            start_text=position.start_text,
            moves=position.moves,
            players=(self.tags.get("White", UNKNOWN), self.tags.get("Black", UNKNOWN)),
            result=result or (tagged if tagged in RESULTS else ONGOING_RESULT),
            ending=ending,
            tags={name: value for name, value in self.tags.items() if _is_free(name, value)},
            opening_plies=self.opening_plies,
            clocks_ms=tuple(self.clocks_ms) if any(clock is not None for clock in self.clocks_ms) else (),
            comments=tuple(self.comments) if any(self.comments) else (),
        )


def _is_free(name: str, value: str) -> bool:
    """Whether a tag says something that no other field of a record does."""
    return name not in OWN_TAGS and value != ROSTER.get(name)


def _ending(text: str | None) -> Ending | None:
    return Ending(text) if text in {ending.value for ending in Ending} else None


def _milliseconds(clock: re.Match[str]) -> int:
    hours, minutes, seconds = (int(part) for part in clock.groups()[:3])
    fraction = (clock[4] or "").ljust(3, "0")[:3]
    return 1000 * (3600 * hours + 60 * minutes + seconds) + int(fraction)
