"""From a text of the PLAYER grammar to a player. Each family loads what it needs only when one of it is built."""

from __future__ import annotations

from tabiya.bots.players.api import Player
from tabiya.bots.players.catalogue import NBOARD_GAMES, PERFECT_NIM_GAMES, UCI_GAMES, level_games
from tabiya.bots.players.spec import PLAYING, Kind, PlayerError, PlayerSpec, parse_player, quoted
from tabiya.games.registry import names


def player_games(text: str) -> tuple[str, ...]:
    """The games that the player can play. Raises PlayerError; a Python file is loaded and asked."""
    spec = parse_player(text)
    if spec.kind is Kind.LEVEL:
        return level_games(spec.name)
    if spec.kind is Kind.FILE:
        from tabiya.bots.players.from_file import load_bot, load_own

        own = load_own(spec.path, spec.name)
        return own.games if own is not None else load_bot(spec.path, spec.name).games or names()
    fixed = {Kind.UCI: UCI_GAMES, Kind.NBOARD: NBOARD_GAMES, Kind.PERFECT_NIM: PERFECT_NIM_GAMES}
    return fixed.get(spec.kind, names())


def build_player(text: str, threads: int = 1, table_mb: float = 16.0) -> Player:
    """The player that `text` names, ready for `new_match`.

    threads: how many it may use; the playing engine searches with all of them.  table_mb: memory of its table.
    Raises PlayerError.  Programs are started at the first match, searches compiled then.
    """
    spec = parse_player(text)
    if spec.kind is Kind.LEVEL:
        return _build_level(spec, threads, table_mb)
    if spec.kind is Kind.SEARCH:
        return _build_search(spec, threads, table_mb)
    if spec.kind is Kind.TEXTBOOK:
        from tabiya.bots.textbook.player import BookPlayer

        return BookPlayer(spec.name, spec.depth, spec.time_s)
    if spec.kind is Kind.PERFECT_NIM:
        from tabiya.bots.players.perfect_nim import PerfectNim

        return PerfectNim()
    if spec.kind is Kind.FILE:
        return _build_file(spec, threads, table_mb)
    return _build_engine(spec)


def _build_level(spec: PlayerSpec, threads: int, table_mb: float) -> Player:
    if spec.name == "random":
        from tabiya.bots.players.random_player import RandomPlayer

        return RandomPlayer()
    if spec.name == "greedy":
        from tabiya.bots.players.greedy_player import greedy_player

        return greedy_player()
    if spec.name == "mobility":
        from tabiya.bots.players.mobility_player import MobilityPlayer

        return MobilityPlayer()
    from tabiya.bots.players.level_player import LevelPlayer

    return LevelPlayer(spec.name, lambda text: build_player(text, threads, table_mb))


def _build_search(spec: PlayerSpec, threads: int, table_mb: float) -> Player:
    from tabiya.bots.players.search_player import EnginePlayer, PlainPlayer
    from tabiya.bots.search.searcher import Search

    if spec.name == PLAYING:
        return EnginePlayer(spec.depth, spec.time_s, table_mb=table_mb, threads=threads, margin=spec.margin)
    return PlainPlayer(Search(spec.name), spec.depth, spec.time_s)


def _build_file(spec: PlayerSpec, threads: int, table_mb: float) -> Player:
    from tabiya.bots.players.from_bot import BotPlayer
    from tabiya.bots.players.from_file import load_bot, load_own

    own = load_own(spec.path, spec.name)
    if own is not None:
        from tabiya.bots.custom_evaluation.player import OwnPlayer

        values = own.parameters.read(spec.options)
        return OwnPlayer(own, spec.depth, spec.time_s, table_mb=table_mb, threads=threads, values=values)
    if spec.depth is not None or spec.time_s is not None:
        raise PlayerError(f"{spec.name} in {spec.path} is a bot and takes no depth or time: {quoted(spec.text)}")
    if spec.options:
        raise PlayerError(f"{spec.name} in {spec.path} is a bot and takes no parameters: {quoted(spec.text)}")
    return BotPlayer(load_bot(spec.path, spec.name))


def _build_engine(spec: PlayerSpec) -> Player:
    if spec.kind is Kind.UCI:
        from tabiya.bots.adapters.uci_player import UciPlayer

        return UciPlayer(spec.command, spec.options)
    from tabiya.bots.adapters.engine_protocol import DialectError
    from tabiya.bots.adapters.nboard_player import NBoardPlayer

    try:
        return NBoardPlayer(spec.command, spec.options)
    except DialectError as error:
        raise PlayerError(f"{quoted(spec.text)}: NBoard {error}") from None
