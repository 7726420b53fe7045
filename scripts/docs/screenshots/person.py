"""A person on the page Play: types what an engine would play, and at last takes the man in hand that it would move."""

from __future__ import annotations

import asyncio
import json

from scripts.docs.screenshots.class_bots import PARTNER
from tabiya.bots.players.api import MatchInfo, Player
from tabiya.bots.players.build import build_player
from tabiya.bots.players.lazy_rules import request_at
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.server.web.browser import Browser

GAME, NAME, LIKE = "chess", "Eve", "pvs:4"
MOVES = 10  # of hers
MY_MOVE = "document.querySelector('#board rect.free, #board rect.target, #choices button')"
PLIES = "document.querySelectorAll('#list li').length"
RECORD = "fetch('/api/v1' + new URL(document.getElementById('record').href).pathname).then((answer) => answer.json())"


async def play_some_moves(tab: Browser) -> None:
    """Fill the form in, play, and stop with a man in hand."""
    await tab.until(
        f"[...document.querySelector('[name=opponent]').options].some(({{ value }}) => value === '{PARTNER}')"
    )
    for field, value in {"game": GAME, "opponent": PARTNER, "name": NAME, "time": "300+5"}.items():
        await tab.read(f"document.querySelector('[name={field}]').value = {json.dumps(value)}")
    await tab.read("document.getElementById('terms').requestSubmit()")
    player = build_player(LIKE)
    player.new_match(MatchInfo(match=1, game=GAME))
    for number in range(MOVES + 1):
        await tab.until(MY_MOVE)
        moves = [move["move"] for move in (await tab.read(RECORD))["moves"]]
        move = await asyncio.to_thread(_chosen, player, moves)
        if number < MOVES:
            await tab.read(f"document.querySelector('#typed [name=move]').value = '{move}'")
            await tab.read("document.getElementById('typed').requestSubmit()")
            await tab.until(f"{PLIES} > {len(moves)}")
        else:
            await _press(tab, f"#board rect[data-place={move[:2]}]")
            await tab.until("document.querySelector('#board rect.target')")


def _chosen(player: Player, moves: list[str]) -> str:
    position: Position = load_game(GAME).start()
    for move in moves:
        position = position.play(move)
    return player.choose(request_at(position)).move


async def _press(tab: Browser, selector: str) -> None:
    """Press the mouse in the middle of an element."""
    box = f"document.querySelector('{selector}').getBoundingClientRect()"
    x, y = await tab.read(f"(({{ x, y, width, height }}) => [x + width / 2, y + height / 2])({box})")
    for kind in ("mousePressed", "mouseReleased"):
        await tab.tell("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
