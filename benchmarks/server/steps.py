"""The time of each step of a move by itself, in microseconds: the minimum of many short rounds, despite other load."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from typing import Any

from scripts.self_play import at_random, played
from tabiya.games.registry import load_game
from tabiya.games.warm import warm
from tabiya.protocol.codec import Encoding, decode_client, encode
from tabiya.protocol.messages import Move
from tabiya.protocol.time_control import parse_by_seat
from tabiya.server.core import effects, events
from tabiya.server.core.clock import opening_clocks_us, opening_credit_us
from tabiya.server.core.match import advance
from tabiya.server.core.messages import turn_message
from tabiya.server.core.policy import MatchPolicy
from tabiya.server.core.restore import start_match
from tabiya.server.core.state import Match
from tabiya.server.transport.ws_frames import whole_frame
from tabiya.storage.records import BotId, MatchId, NewMatch, SeatRecord

MOST_PLIES = 30
CALLS, ROUNDS = 20, 500  # short enough for a round to end before another program gets the core
TIME = "600+5"
MS = 1_000_000


def least_us(call: Callable[[], object]) -> float:
    """The time of one call in the fastest of the rounds."""
    best = float("inf")
    gc.disable()
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, time.perf_counter() - began)
    gc.enable()
    return round(best / CALLS * 1e6, 1)


def begun(game: str) -> Match:
    """A match that waits for its players."""
    rules, policy = load_game(game), MatchPolicy()
    one, two = (SeatRecord(bot_id=BotId(number), bot=f"bot-{number}", version="") for number in (1, 2))
    new = NewMatch(
        key="steps",
        game=game,
        rules_version=rules.rules_version,
        options=rules.read_options(),
        start_text=rules.start().text(),
        opening=(),
        time_control=TIME,
        seats=(one, two),
        rated=True,
        illegal_limit=3,
        stall_limit_ms=600_000,
        remaining_us=opening_clocks_us(parse_by_seat(TIME)),
        credit_left_us=opening_credit_us(policy),
        created_at=0.0,
    )
    return start_match(MatchId(1), new, rules, policy, 0)


def middle(game: str) -> tuple[str, ...]:
    """The moves of a random game up to its middle, at most MOST_PLIES of them."""
    position = played(load_game(game).start(), at_random(random.Random(5)))[-1]
    return position.moves[: min(MOST_PLIES, position.ply // 2)]


def steps_of(game: str) -> dict[str, Any]:
    """One row: the steps of a move in the middle of a game."""
    warm(load_game(game))
    now_ns = 1_000 * MS
    match, wanted = advance(begun(game), events.MatchOpened(now_ns))
    for text in middle(game):
        position, now_ns = match.position, now_ns + MS
        match, _ = advance(match, events.MoveArrived(position.to_move, text, position.ply, now_ns, now_ns))
        match, wanted = advance(match, events.MoveSaved(position.ply, now_ns))
        match, _ = advance(match, events.TurnSent(match.position.ply, now_ns))
    turn = next(effect for effect in wanted if isinstance(effect, effects.SendTurn))
    position, text = match.position, match.position.legal_moves()[0]
    arrived = events.MoveArrived(position.to_move, text, position.ply, now_ns + MS, now_ns + MS)
    saving, _ = advance(match, arrived)
    saved = events.MoveSaved(position.ply, now_ns + 2 * MS)
    sent, _ = advance(saving, saved)
    turn_sent = events.TurnSent(sent.position.ply, now_ns + 3 * MS)
    message = turn_message(match, turn)
    frame = encode(message, Encoding.MSGPACK)
    move = encode(Move(match=1_000, ply=position.ply, move=text), Encoding.MSGPACK)
    return {
        "game": game,
        "decode a move": least_us(lambda: decode_client(move, Encoding.MSGPACK)),
        "play it": least_us(lambda: position.play(text)),
        "judge it (played)": least_us(lambda: advance(match, arrived)),
        "saved": least_us(lambda: advance(saving, saved)),
        "sent": least_us(lambda: advance(sent, turn_sent)),
        "make a turn": least_us(lambda: turn_message(match, turn)),
        "encode it": least_us(lambda: encode(message, Encoding.MSGPACK)),
        "frame it": least_us(lambda: whole_frame(frame)),
        "turn bytes": len(frame),
    }
