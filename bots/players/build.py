"""From a text of the PLAYER grammar to a player. Each family loads what it needs only when one of it is built."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tabiya.bots.players.api import Player
from tabiya.bots.players.catalogue import ENGINE_GAMES, PERFECT_NIM_GAMES, level_games
from tabiya.bots.players.spec import ENGINE, ENGINES, PlayerError, PlayerKind, PlayerSpec, parse_player, quoted
from tabiya.games.registry import names

if TYPE_CHECKING:
    from tabiya.bots.adapters.engine_protocol import EngineProtocol


def player_games(text: str) -> tuple[str, ...]:
    """The games that the player can play. Raises PlayerError; a Python file is loaded and asked."""
    spec = parse_player(text)
    if spec.kind is PlayerKind.LEVEL:
        return level_games(spec.name)
    if spec.kind is PlayerKind.FILE:
        from tabiya.bots.players.from_file import load_bot, load_custom_evaluator

        own = load_custom_evaluator(spec.path, spec.name)
        return own.games if own is not None else load_bot(spec.path, spec.name).games or names()
    if spec.kind is PlayerKind.PACKAGE:
        from tabiya.bots.players.from_package import bot_of_package

        return bot_of_package(spec).games or names()
    if spec.kind is PlayerKind.PERFECT_NIM:
        return PERFECT_NIM_GAMES
    return ENGINE_GAMES.get(spec.kind, names())


def player_warnings(text: str) -> list[str]:
    """Sentences on what seems to be a mistake in the class of a Python file; none for other players."""
    spec = parse_player(text)
    if spec.kind is not PlayerKind.FILE:
        return []
    from tabiya.bots.players.from_file import warnings_of

    return [f"{spec.path}: {sentence}" for sentence in warnings_of(spec.path, spec.name)]


def build_player(text: str, threads: int = 1, table_mb: float = 16.0) -> Player:
    """The player that `text` names, ready for `new_match`.

    threads: how many it may use; the playing engine searches with all of them.  table_mb: memory of its table.
    Raises PlayerError.  Programs are started at the first match, searches compiled then.
    """
    spec = parse_player(text)
    if spec.kind is PlayerKind.LEVEL:
        return _build_level(spec, threads, table_mb)
    if spec.kind is PlayerKind.SEARCH:
        return _build_search(spec, threads, table_mb)
    if spec.kind is PlayerKind.TEXTBOOK:
        from tabiya.bots.textbook.player import BookPlayer

        return BookPlayer(spec.name, spec.depth, spec.time_s)
    if spec.kind is PlayerKind.PERFECT_NIM:
        from tabiya.bots.players.perfect_nim import PerfectNim

        return PerfectNim()
    if spec.kind is PlayerKind.FILE:
        return _build_file(spec, threads, table_mb)
    if spec.kind is PlayerKind.PACKAGE:
        from tabiya.bots.players.from_bot import BotPlayer
        from tabiya.bots.players.from_package import bot_of_package

        return BotPlayer(bot_of_package(spec))
    if spec.kind is PlayerKind.PROGRAM:
        raise PlayerError(f"{quoted(text)} connects by itself: it plays in `tabiya match` and on servers, not here")
    from tabiya.bots.adapters.external_engine_player import ExternalEnginePlayer

    check_ponders_not(spec)
    protocol = engine_protocol(spec)
    assert protocol is not None
    return ExternalEnginePlayer(spec.command, protocol)


def _build_level(spec: PlayerSpec, threads: int, table_mb: float) -> Player:
    if spec.name == "random":
        from tabiya.bots.players.random_player import RandomPlayer

        return RandomPlayer()
    if spec.name == "greedy":
        from tabiya.bots.textbook.player import plain_player

        return plain_player("minimax", depth=1)
    if spec.name == "mobility":
        from tabiya.bots.players.mobility_player import MobilityPlayer

        return MobilityPlayer()
    from tabiya.bots.players.level_player import LevelPlayer

    return LevelPlayer(spec.name, lambda text: build_player(text, threads, table_mb))


def _build_search(spec: PlayerSpec, threads: int, table_mb: float) -> Player:
    if spec.name != ENGINE:
        from tabiya.bots.textbook.player import plain_player

        return plain_player(spec.name, spec.depth, spec.time_s)
    from tabiya.bots.players.search_player import EnginePlayer

    return EnginePlayer(spec.depth, spec.time_s, spec.nodes, table_mb=table_mb, threads=threads, margin=spec.margin)


def _build_file(spec: PlayerSpec, threads: int, table_mb: float) -> Player:
    from tabiya.bots.players.from_bot import BotPlayer
    from tabiya.bots.players.from_file import load_bot, load_custom_evaluator

    own = load_custom_evaluator(spec.path, spec.name)
    if own is not None:
        from tabiya.bots.custom_evaluation.player import CustomEvaluatorPlayer

        values = own.parameters.read(spec.options)
        return CustomEvaluatorPlayer(
            own, spec.depth, spec.time_s, spec.nodes, table_mb=table_mb, threads=threads, values=values
        )
    if any(limit is not None for limit in (spec.depth, spec.time_s, spec.nodes)):
        raise PlayerError(f"{spec.name} in {spec.path} is a bot and takes no depth or time: {quoted(spec.text)}")
    if spec.options:
        raise PlayerError(f"{spec.name} in {spec.path} is a bot and takes no parameters: {quoted(spec.text)}")
    return BotPlayer(load_bot(spec.path, spec.name))


def check_ponders_not(spec: PlayerSpec) -> None:
    """Raise PlayerError for a program with pondering switched on, where programs do not ponder."""
    from tabiya.bots.adapters.engine_options import ponders

    if spec.kind in ENGINES and ponders(spec.options):
        raise PlayerError(f"{quoted(spec.text)}: Ponder is for `tabiya match` without a sandbox; leave it out here")


def engine_protocol(spec: PlayerSpec) -> Callable[[], EngineProtocol] | None:
    """A function that makes the protocol object of a PLAYER that is a program; None for others. Raises PlayerError."""
    if spec.kind not in ENGINES:
        return None
    from tabiya.bots.adapters.engine_protocol import EngineProtocolError
    from tabiya.bots.adapters.gomocup_protocol import GomocupProtocol
    from tabiya.bots.adapters.gtp_protocol import GtpProtocol
    from tabiya.bots.adapters.nboard_protocol import NBoardProtocol
    from tabiya.bots.adapters.uci_protocol import UciProtocol
    from tabiya.bots.adapters.xboard_protocol import XboardProtocol

    protocols: dict[PlayerKind, type[UciProtocol | NBoardProtocol | XboardProtocol | GtpProtocol | GomocupProtocol]] = {
        PlayerKind.UCI: UciProtocol,
        PlayerKind.NBOARD: NBoardProtocol,
        PlayerKind.XBOARD: XboardProtocol,
        PlayerKind.GTP: GtpProtocol,
        PlayerKind.GOMOCUP: GomocupProtocol,
    }
    protocol = protocols[spec.kind]
    try:
        protocol(spec.options)
    except EngineProtocolError as error:
        raise PlayerError(f"{quoted(spec.text)}: {protocol.protocol} {error}") from None
    return partial(protocol, spec.options)
