"""`tabiya demo` asks its bots for the games that it has compiled, and for no others."""

from __future__ import annotations

from typing import Any

from tabiya.cli.hosting.demo import PLAYERS, _start_bots


class Children:
    """Programs that are started in words alone."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []

    def start(self, name: str, words: list[str]) -> None:
        self.commands.append(words)

    def check(self) -> None:
        pass


class Server:
    def get(self, path: str) -> dict[str, Any]:
        return {"websocket": "ws://server"}

    def listed(self, path: str) -> list[dict[str, Any]]:
        return [{"connected": True}] * len(PLAYERS)


def test_a_bot_of_the_demo_prepares_the_games_of_the_demo_alone() -> None:
    children: Any = Children()
    server: Any = Server()
    _start_bots(children, server, ("nim", "chess"))
    assert [words[1] for words in children.commands] == list(PLAYERS)
    for words in children.commands:
        assert words[-5:] == ["--no-seek", "--game", "nim", "--game", "chess"]
