"""The page about players lists the roster that there is."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from tabiya.bots.players.catalogue import levels_of
from tabiya.bots.players.spec import parse_player
from tabiya.games.registry import names

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "players.md").read_text("utf-8")


def test_the_page_has_every_level_of_every_game_in_order() -> None:
    lines = []
    for levels, games in groupby(names(), lambda game: [(one.name, one.player, one.about) for one in levels_of(game)]):
        first = ", ".join(f"`{game}`" for game in games) + " "
        for name, player, about in levels:
            lines.append(f"| {first}| `{name}` | `{player}` | {about} |")
            first = ""
    assert "\n".join(lines) in PAGE


def test_every_player_that_the_page_shows_can_be_read() -> None:
    table = PAGE.split("| text | player |")[1].split("\n\n")[0]
    shown = [text for line in table.splitlines()[2:] for text in line.split("|")[1].replace("`", "").split(", ")]
    assert len(shown) > 8
    for text in shown:
        parse_player(text.strip().replace("COMMAND", "engine"))
