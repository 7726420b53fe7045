"""The commands of the fake engine, by protocol."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tabiya.bots.adapters.engine_protocol import EngineProtocol
from tabiya.bots.adapters.gomocup_protocol import GomocupProtocol
from tabiya.bots.adapters.gtp_protocol import GtpProtocol
from tabiya.bots.adapters.nboard_protocol import NBoardProtocol
from tabiya.bots.adapters.uci_protocol import UciProtocol
from tabiya.bots.adapters.xboard_protocol import XboardProtocol

FAKE = str(Path(__file__).with_name("fake_engine.py"))
PROTOCOLS: dict[str, Callable[..., EngineProtocol]] = {
    "uci": UciProtocol,
    "nboard": NBoardProtocol,
    "xboard": XboardProtocol,
    "gtp": GtpProtocol,
    "gomocup": GomocupProtocol,
}
GAMES = {"uci": "chess", "nboard": "reversi", "xboard": "chess", "gtp": "reversi", "gomocup": "connect5"}
EACH = pytest.mark.parametrize("protocol", PROTOCOLS)


def command_of(protocol: str, behaviour: str, folder: Path) -> tuple[str, ...]:
    """What starts the fake engine, with a first move of its game to play."""
    (folder / "moves").write_text({"chess": "e2e4", "reversi": "D3", "connect5": "7,7"}[GAMES[protocol]])
    return (sys.executable, FAKE, protocol, behaviour, str(folder))


def received(folder: Path) -> list[str]:
    """All lines that it has heard."""
    return (folder / "heard").read_text().splitlines()
