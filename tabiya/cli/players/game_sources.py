"""Where `tabiya review` and `tabiya analyse` find games: a server, a database, files of JSON lines or PGN."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tabiya.api_client.api import Api
from tabiya.api_client.settings import client_settings
from tabiya.cli.players.pgn_files import UnreadGame, transcripts_in
from tabiya.cli.stores import on_store
from tabiya.errors import UserError
from tabiya.games.errors import shown

if TYPE_CHECKING:
    from tabiya.storage.records import MatchRecord, MoveRecord
    from tabiya.storage.store import Store

RECORDS, TRANSCRIPTS = ".jsonl", ".pgn"
LONGEST_LINE = 16 * 1024 * 1024  # bytes: a game with all that its bots have said of their thinking is far shorter


class FoundGame(Struct, frozen=True):
    """A game with its moves. match: its number where it was played.  result: how it ended, for people.

    start, moves: in the game's notation, the opening's moves included.  opening_plies: how many of them those are.
    """

    match: int
    game: str
    players: tuple[str, str]
    result: str
    start: str
    moves: tuple[str, ...]
    opening_plies: int = 0


def stored_game(number: int, server: str | None, database: str | None) -> FoundGame:
    """The match of this number, from the database if one is named, else from the server. Raises UserError."""
    _one_place(server, database)
    if database is not None:
        return on_store(database, lambda store: _match_in(store, number))
    return _of_server(Api(client_settings(server)), number)


def games_of_bot(bot: str, last: int, server: str | None, database: str | None) -> list[FoundGame]:
    """The newest games of a bot that have ended, at most `last` of them, the oldest first. Raises UserError."""
    _one_place(server, database)
    if database is not None:
        return on_store(database, lambda store: _ended_in(store, bot, last))
    api = Api(client_settings(server))
    newest = api.get("/matches", bot=bot, status="ended", limit=last)["matches"]
    return [_of_server(api, line["id"]) for line in reversed(newest)]


def games_in_files(path: Path, bot: str | None, last: int) -> list[FoundGame]:
    """The last games in a file of JSON lines or PGN, or in those of a folder by name: at most `last`. Raises UserError.

    bot: only games that it has played, upper and lower case alike; None for all.
    """
    found: deque[FoundGame | UnreadGame] = deque(maxlen=last)
    for file in _files(path):
        games = transcripts_in(file) if file.suffix.lower() == TRANSCRIPTS else _games_in(file)
        found.extend(game for game in games if bot is None or seat_of(game, bot) is not None)
    # the moves of a transcript are read only here: a file of PGN may hold a hundred thousand games
    return [_read(game) if isinstance(game, UnreadGame) else game for game in found]


def _read(unread: UnreadGame) -> FoundGame:
    record = unread.read()
    ending = record.ending.replace("_", " ") if record.ending else record.result
    result = record.tags.get("Reason") or ending
    return FoundGame(
        unread.match, unread.game, unread.players, result, record.start_text, record.moves, record.opening_plies
    )


def seat_of(game: FoundGame | UnreadGame, bot: str) -> int | None:
    """The seat in which a bot has played, None if in neither."""
    names = [name.casefold() for name in game.players]
    return names.index(bot.casefold()) if bot.casefold() in names else None


def _one_place(server: str | None, database: str | None) -> None:
    if server is not None and database is not None:
        raise UserError("a match comes from a server or from a database, not from both")


def _of_server(api: Api, number: int) -> FoundGame:
    match = api.get(f"/matches/{number}")
    first, second = match["seats"]
    return FoundGame(
        number,
        match["game"],
        (first["bot"], second["bot"]),
        _how(match["result"], match["status"]),
        match["start"],
        tuple(move["move"] for move in match["moves"]),
        sum(move["opening"] for move in match["moves"]),
    )


def _how(result: dict[str, Any] | None, status: str) -> str:
    return (result["reason"] or result["ending"].replace("_", " ")) if result else status


async def _match_in(store: Store, number: int) -> FoundGame:
    from tabiya.storage.records import MatchId

    match = await store.match(MatchId(number))
    if match is None:
        raise UserError(f"there is no match {number} in {store.address}")
    return _found(match, await store.moves(match.id))


async def _ended_in(store: Store, bot: str, last: int) -> list[FoundGame]:
    from tabiya.storage.records import MatchFilter

    if await store.bot_by_name(bot) is None:
        raise UserError(f"there is no bot {shown(bot)} in {store.address}")
    newest = await store.list_matches(MatchFilter(bot=bot, status="ended", limit=last))
    return [_found(match, await store.moves(match.id)) for match in reversed(newest)]


def _found(match: MatchRecord, moves: tuple[MoveRecord, ...]) -> FoundGame:
    first, second = match.seats
    result = match.result
    how = (result.reason or result.ending.replace("_", " ")) if result else match.status
    texts, opening = tuple(move.text for move in moves), sum(move.opening for move in moves)
    return FoundGame(match.id, match.game, (first.bot, second.bot), how, match.start_text, texts, opening)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = {file for file in path.iterdir() if file.suffix in (RECORDS, TRANSCRIPTS) and file.is_file()}
    # of the same games in both forms, under one name, the JSON lines are taken
    files = {file for file in files if file.suffix == RECORDS or file.with_suffix(RECORDS) not in files}
    if not files:
        raise UserError(f"there is no file *{RECORDS} or *{TRANSCRIPTS} in {path}")
    return sorted(files)


def _games_in(file: Path) -> Iterator[FoundGame]:
    """The games of a file, one a line, as `tabiya match --export` and `tabiya export --format jsonl` write them."""
    try:
        with file.open("rb") as lines:
            number = 0
            while line := lines.readline(LONGEST_LINE):
                number += 1
                if line.strip():
                    yield _game_on(line, f"{file}, line {number}")
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}") from None


def _game_on(line: bytes, where: str) -> FoundGame:
    import msgspec

    from tabiya.server.archive.exports import ExportedGame

    try:
        game = msgspec.json.decode(line, type=ExportedGame)
    except (ValueError, RecursionError):
        raise UserError(
            f"{where} is not a game; readable are JSON lines, which `tabiya match --export FILE` and "
            f"`tabiya export --format jsonl` write, and PGN from a file *{TRANSCRIPTS}"
        ) from None
    return _found(game.match, game.moves)
