"""Exports of stored games: transcripts (PGN for chess), SGF, or a JSON line each.

Games come in the order in which they began, the two of a pair together; memory is bounded however many there are.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from tabiya.games.endings import Ending
from tabiya.games.errors import UnknownGame, shown
from tabiya.games.registry import load_game, names, title
from tabiya.games.sgf import write_sgf
from tabiya.games.transcript import BOOK, GameRecord, result_of
from tabiya.protocol.messages.parts import FROM_BOOK
from tabiya.server.archive.pages import OtherProcesses, pages
from tabiya.server.matches.pair_keys import place_in_run
from tabiya.server.version import version
from tabiya.storage.records import MatchFilter, MatchId, MatchRecord, MoveRecord, StoredMatches, TournamentId
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.exports")

MAX_HELD = 1_000  # games that wait for the other game of their pair; beyond that the oldest is written alone
MATE, FURTHEST_MATE = 30_000, 1_000  # a score of MATE - n says that n plies lead to the end
SPACE = "\ue000"  # placeholder for a space at which lines are not broken


class ExportFormat(StrEnum):
    """How games are written."""

    PGN = "pgn"
    SGF = "sgf"
    JSONL = "jsonl"


CONTENT_TYPES = {
    ExportFormat.PGN: "application/x-chess-pgn",
    ExportFormat.SGF: "application/x-go-sgf",  # for other games there is no other
    ExportFormat.JSONL: "application/jsonl",
}


class ExportFilter(NamedTuple):
    """Which games: None means any. bot: a name, in either seat.  since: seconds since 1970."""

    game: str | None = None
    bot: str | None = None
    tournament: int | None = None
    since: float | None = None

    def matches(self) -> MatchFilter:
        """The matches that have ended, with a result or without."""
        tournament = None if self.tournament is None else TournamentId(self.tournament)
        return MatchFilter(game=self.game, bot=self.bot, tournament_id=tournament, since=self.since, status="ended")


class ExportedGame(Struct, frozen=True):
    """One JSON line: the match with its result, the tournament's name, and every move with its time account.

    Units are those of storage/records.py: `_us` microseconds, `_ms` milliseconds, `_at` and `at` seconds since 1970.
    """

    match: MatchRecord
    tournament: str
    moves: tuple[MoveRecord, ...]


class GameKind(StrEnum):
    """Whether a game is written whole, as aborted, or not: it cannot be read or replayed, or SGF does not know it."""

    PLAYED = "played"
    ABORTED = "aborted"
    LEFT_OUT = "left out"
    WITHOUT_SGF = "without SGF"


class WrittenGame(NamedTuple):
    """A game as bytes. pair: what it is a half of, and place: which (`pair_of`); None for a game by itself."""

    pair: tuple[str, int] | None
    place: int
    text: bytes
    kind: GameKind


async def exported_games(
    store: Store, wanted: ExportFilter, form: ExportFormat, others: OtherProcesses | None = None
) -> AsyncIterator[WrittenGame]:
    """The games that have ended, also without a result, each by itself. Raises StoreError.

    A game that the rules of today cannot replay is left out of transcripts, with a comment line in its place, and out
    of SGF, as are games that SGF does not know.  others: write as well, for an export that has the machine to itself.
    """
    names = {record.id: record.name for record in await store.list_tournaments()}
    work = partial(_written, form, names)
    # in a thread: replaying games on the event loop would delay running matches
    async for game in _in_pairs(pages(store, wanted.matches(), work, others, in_thread=True)):
        yield game


def _written(form: ExportFormat, tournaments: Mapping[TournamentId, str], page: StoredMatches) -> list[WrittenGame]:
    games = []
    for damaged in page.damaged:
        log.warning(
            "match %d is left out of an export: %s", damaged.match_id, damaged.reason, extra={"match": damaged.match_id}
        )
        games.append(WrittenGame(None, 0, left_out(form, damaged.match_id, damaged.reason), GameKind.LEFT_OUT))
    for stored in page.matches:
        record = stored.match
        if form is ExportFormat.SGF and not has_sgf(record.game):
            games.append(WrittenGame(None, 0, b"", GameKind.WITHOUT_SGF))
            continue
        name = tournaments.get(record.tournament_id, "") if record.tournament_id is not None else ""
        of, pair, place = pair_of(record) or ("", 0, 0)
        text, kind = _written_game(form, record, stored.moves, name)
        games.append(WrittenGame((of, pair) if of else None, place, text, kind))
    return games


def written_game(form: ExportFormat, record: MatchRecord, moves: tuple[MoveRecord, ...], tournament: str = "") -> bytes:
    """One game. Transcripts and SGF are followed by an empty line, JSON is one line."""
    return _written_game(form, record, moves, tournament)[0]


def _written_game(
    form: ExportFormat, record: MatchRecord, moves: tuple[MoveRecord, ...], tournament: str
) -> tuple[bytes, GameKind]:
    kind = GameKind.ABORTED if record.result and record.result.ending == Ending.ABORTED else GameKind.PLAYED
    text = sgf if form is ExportFormat.SGF else transcript
    try:
        if form is ExportFormat.JSONL:
            return json_line(record, moves, tournament), kind
        return (text(record, moves, tournament) + "\n").encode(), kind
    except ValueError as error:  # GameError: rules that have changed since, or damaged rows
        return left_out(form, record.id, f"it cannot be replayed by the rules: {error}"), GameKind.LEFT_OUT


def left_out(form: ExportFormat, match_id: MatchId, reason: str) -> bytes:
    """A comment in the place of a game; nothing in JSON lines and SGF, which have none between games."""
    # a program that reads PGN skips a line that begins with %
    comment = f"% match {match_id} is left out: {' '.join(reason.split())}\n\n"
    return comment.encode() if form is ExportFormat.PGN else b""


def json_line(record: MatchRecord, moves: tuple[MoveRecord, ...], tournament: str = "") -> bytes:
    """Everything stored of a game, as one line of JSON."""
    return msgspec.json.encode(ExportedGame(record, tournament, moves)) + b"\n"


def transcript(record: MatchRecord, moves: Sequence[MoveRecord], tournament: str = "") -> str:
    """The game as a text in its own notation, PGN for chess. Raises GameError if the rules cannot replay it."""
    # the game breaks lines at spaces; those within a comment come back only now
    return load_game(record.game).transcript(game_record(record, moves, tournament)).replace(SPACE, " ")


def without_sgf(game: str) -> str:
    """The message for a request of SGF for a game without it, or an unknown one."""
    return (
        f"games of {title(game) if game in names() else shown(game)} are not written as SGF, which does not know them"
    )


def has_sgf(game: str) -> bool:
    """Whether games of this name can be written as SGF."""
    return game in names() and load_game(game).sgf is not None


def sgf(record: MatchRecord, moves: Sequence[MoveRecord], tournament: str = "") -> str:
    """The game as SGF. Raises GameError if the rules cannot replay it, or if SGF does not know the game."""
    game = load_game(record.game)
    if game.sgf is None:
        raise UnknownGame(without_sgf(record.game))
    exported = game_record(record, moves, tournament)
    return write_sgf(game.parse(record.start_text), exported, game.sgf, f"Tabiya {version()}")


def game_record(record: MatchRecord, moves: Sequence[MoveRecord], tournament: str = "") -> GameRecord:
    """The match as the record that transcripts are written from."""
    result = record.result
    ending = result.ending if result else None
    return GameRecord(
        start_text=record.start_text,
        moves=tuple(move.text for move in moves),
        players=(record.seats[0].bot, record.seats[1].bot),
        result=result_of(result.winner if result else None, ending),
        ending=ending,
        tags=_tags(record, tournament),
        opening_plies=sum(move.opening for move in moves),
        clocks_ms=_clocks(record, moves),
        comments=tuple(_comment(move) for move in moves),
    )


def _tags(record: MatchRecord, tournament: str) -> dict[str, str]:
    tags = {"Event": tournament or "match", "Site": f"match {record.id}", "Date": _pgn_date(record.created_at)}
    if (place := pair_of(record)) is not None:
        tags["Round"] = f"{place[1] + 1}.{place[2] + 1}"
    first, comma, second = record.time_control.partition(",")
    if comma:  # odds, as cutechess and fastchess write them
        white, black = load_game(record.game).seat_names
        tags |= {f"{white}TimeControl": first, f"{black}TimeControl": second}
    else:
        tags["TimeControl"] = first
    for seat, who in zip(("First", "Second"), record.seats, strict=True):
        if who.version:
            tags[f"{seat}Version"] = who.version
    if record.result is not None and record.result.reason:
        tags["Reason"] = record.result.reason
    return tags


def _pgn_date(at: float) -> str:
    """The day as PGN writes it: 2026.11.20."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y.%m.%d")


def _clocks(record: MatchRecord, moves: Sequence[MoveRecord]) -> tuple[int | None, ...]:
    """The mover's clock after each move; empty for opening moves and in matches without clocks."""
    if record.time_control == "none":
        return ()
    return tuple(None if move.opening else move.remaining_us[move.seat] // 1000 for move in moves)


def _comment(move: MoveRecord) -> str:
    """The bot's own judgement, seen by the first seat, the time that the move took, and whether its book has it."""
    if move.opening:
        return ""
    seconds, milliseconds = divmod(move.think_us // 1000, 1000)
    took = f"[%emt {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}]"
    info: Mapping[str, Any] = move.info or {}
    parts = [took]
    # a bot's score is from its own side, a transcript's from that of the first seat
    if (score := info.get("score")) is not None:
        depth = f",{info['depth']}" if info.get("depth") is not None else ""
        parts.insert(0, f"[%eval {eval_text(score if move.seat == 0 else -score)}{depth}]")
    if info.get("text") == FROM_BOOK:
        parts.append(BOOK)
    return " ".join(part.replace(" ", SPACE) for part in parts)


def eval_text(score: int) -> str:
    """In whole units with two digits behind the point; `#5` for a win in five of one's own moves."""
    plies = MATE - abs(score)
    if 0 <= plies < FURTHEST_MATE:
        return f"#{'-' if score < 0 else ''}{(plies + 1) // 2}"
    return f"{score / 100:.2f}"


def pair_of(record: MatchRecord) -> tuple[str, int, int] | None:
    """Where a game belongs: the tournament or run, the pair, and 0 or 1 within it. None for a game by itself."""
    if record.tournament_id is not None and record.pairing is not None and record.game_index is not None:
        return f"tournament {record.tournament_id}", record.pairing, record.game_index
    place = place_in_run(record.key)
    return None if place is None else (place[0], place[1] // 2, place[1] % 2)


async def _in_pairs(written: AsyncIterator[list[WrittenGame]]) -> AsyncIterator[WrittenGame]:
    """The same games, those of the two games of a pair together, when both have come."""
    held: dict[tuple[str, int], WrittenGame] = {}
    async for games in written:
        for game in games:
            if game.pair is None:
                yield game
                continue
            partner = held.pop(game.pair, None)
            if partner is None or partner.place == game.place:  # the same game again: it was aborted and repeated
                if partner is not None:
                    yield partner
                held[game.pair] = game
                if len(held) > MAX_HELD:
                    yield held.pop(next(iter(held)))
                continue
            for one in sorted((partner, game), key=attrgetter("place")):
                yield one
    for game in held.values():  # whose partner has no result yet, or is not asked for
        yield game
