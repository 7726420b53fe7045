"""Reading transcripts, those of chess (PGN) and those of other games in the same form, as generously as is safe.

    for line, text in separate_games(file):
        tags = tags_of(text)
        records = list(read_transcripts(load_game(game_named(tags)), text, line))

Comments are kept with their moves (those before the first move are not), clocks (`[%clk …]`) and book plies understood,
variations and annotation glyphs skipped; a missing result is taken from the tags. What cannot be understood is an error
that names line and move, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tabiya.games.contract import Game
from tabiya.games.endings import Ending
from tabiya.games.errors import GameError, TranscriptError, shown
from tabiya.games.position import Position
from tabiya.games.registry import PGN_GAME, PGN_VARIANTS
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
TAG = re.compile(r'\s*\[\s*(\w+)\s*"((?:[^\\\n]|\\.)*?)"\s*\]', re.ASCII)
COMMENT_MARK = re.compile(r"[{};]")
LONGEST_GAME = 4 * 1024 * 1024  # characters of one game; what our longest take with all comments is far less
# told by other fields of a GameRecord
OWN_TAGS = ("Result", "Ending", "FEN", "SetUp", "Game", "Start", "Variant")


class Token(NamedTuple):
    """A piece of the text: its kind is the name of a group of TOKEN."""

    kind: str
    text: str
    line: int


def separate_games(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The texts of the games, each with the number of its first line; their moves are not looked at.

    A game begins with the first tag after moves.  Raises TranscriptError for one that is too long.
    """
    first, size, gathered, has_moves, in_comment = 1, 0, list[str](), False, False
    for number, line in enumerate(lines, start=1):
        if not in_comment and TAG.match(line.removeprefix("\ufeff")):
            if has_moves:
                yield first, "".join(gathered)
                first, size, gathered, has_moves = number, 0, [], False
        elif line.strip() and not line.startswith("%"):
            has_moves = True
            for mark in COMMENT_MARK.findall(line):
                if in_comment:
                    in_comment = mark != "}"
                elif mark == "{":
                    in_comment = True
                elif mark == ";":  # the rest of the line is one
                    break
        size += len(line)
        if size > LONGEST_GAME:
            raise TranscriptError(f"line {first}: the game that begins here is longer than {LONGEST_GAME} characters")
        gathered.append(line)
    yield first, "".join(gathered)


def tags_of(text: str) -> dict[str, str]:
    """The tags at the head of a game's text; no error, whatever follows them."""
    found = dict[str, str]()
    text, at = text.removeprefix("\ufeff"), 0
    while tag := TAG.match(text, at):
        found[tag[1]] = _unescaped(tag[2])
        at = tag.end()
    return found


def game_named(tags: Mapping[str, str]) -> str:
    """The name of the game that a transcript with these tags is of."""
    return tags.get("Game") or PGN_VARIANTS.get(tags.get("Variant", "").lower(), PGN_GAME)


def players_in(tags: Mapping[str, str], game: Game) -> tuple[str, str]:
    """The players that the tags of a transcript of this game name."""
    named = next((seats for seats in _seat_names(game) if not tags.keys().isdisjoint(seats)), game.seat_names)
    return tags.get(named[0], UNKNOWN), tags.get(named[1], UNKNOWN)


def _seat_names(game: Game) -> tuple[tuple[str, str], ...]:
    return game.seat_names, *game.older_seat_names


def read_transcripts(game: Game, text: str, first_line: int = 1) -> Iterator[GameRecord]:
    """The games of a text, one after the other. Raises TranscriptError at the first that cannot be read.

    first_line: the number of the text's first line in its file.
    """
    reading = _Reading(game, first_line)
    for token in _main_line(_tokens(text, first_line)):
        if token.kind == "tag" and reading.has_begun:  # a game without a result
            yield reading.finish(None)
            reading = _Reading(game, token.line)
        reading.take(token)
        if token.kind == "result":
            yield reading.finish(token.text)
            reading = _Reading(game, token.line)
    if reading.has_begun or reading.tags:
        yield reading.finish(None)


def _tokens(text: str, line: int) -> Iterator[Token]:
    """All tokens but white space, glyphs and what a reader shall skip."""
    text = text.removeprefix("\ufeff")  # a byte order mark
    at = 0
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
    line: int  # at which it begins
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
            self.tags[name.strip()] = _unescaped(value[:-1])
        elif token.kind == "move":
            self._move(token)
        elif token.kind == "comment":
            self._comment(token.text)

    def _start(self, line: int) -> Position:
        """The position the moves begin from, by the tags."""
        try:
            return self.game.transcript_start(self.tags)
        except GameError as error:
            raise TranscriptError(f"line {line}: {error}") from error

    def _move(self, token: Token) -> None:
        position = self.position or self._start(token.line)
        if position.ply >= self.game.max_plies:
            raise TranscriptError(f"line {token.line}: no game has more than {self.game.max_plies} plies")
        try:
            self.position = position.play(self.game.read_move(position, token.text.rstrip("!?")))
        except GameError as error:
            raise TranscriptError(f"line {token.line}, ply {position.ply}: {error}") from error
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
        position = self.position or self._start(self.line)
        ending = self._ending()
        if ending is not None:
            self.tags.pop("Termination", None)  # says the same in fewer words
        tagged = self.tags.get("Result", ONGOING_RESULT)
        return GameRecord(
            start_text=position.start_text,
            moves=position.moves,
            players=players_in(self.tags, self.game),
            result=result or (tagged if tagged in RESULTS else ONGOING_RESULT),
            ending=ending,
            tags={name: value for name, value in self.tags.items() if self._is_free(name, value)},
            opening_plies=self.opening_plies,
            clocks_ms=tuple(self.clocks_ms) if any(clock is not None for clock in self.clocks_ms) else (),
            comments=tuple(self.comments) if any(self.comments) else (),
        )

    def _ending(self) -> str | None:
        told = self.tags.get("Ending")
        return told if told in {*Ending, *self.game.endings} else None

    def _is_free(self, name: str, value: str) -> bool:
        """Whether a tag says something that no other field of a record does."""
        told = (*OWN_TAGS, *(name for seats in _seat_names(self.game) for name in seats))
        return name not in told and value != ROSTER.get(name)


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value)


def _milliseconds(clock: re.Match[str]) -> int:
    hours, minutes, seconds = (int(part) for part in clock.groups()[:3])
    fraction = (clock[4] or "").ljust(3, "0")[:3]
    return 1000 * (3600 * hours + 60 * minutes + seconds) + int(fraction)
