"""A whole bot for Tabiya with nothing but `websockets`: it plays every game, and comes back when it is cut off.

    python bot.py [ADDRESS [NAME [GAME ...]]]        a name may also be in $TABIYA_NAME, a token is in $TABIYA_TOKEN

To make it yours, change `choose`.
"""

import json
import os
import random
import signal
import sys
import time
from typing import Any

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

Message = dict[str, Any]

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8765"
NAME = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("TABIYA_NAME", "python")
GAMES = sys.argv[3:]  # none: every game of the server

FINAL = {1009, 4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012}  # close codes after which there is no coming back
SHORTEST_WAIT_S, LONGEST_WAIT_S = 0.25, 15.0


def choose(turn: Message) -> str:
    """One of turn["legal_moves"]; turn["position"] is the board, turn["move_limit_ms"] the time there is."""
    return str(random.choice(turn["legal_moves"]))


class Bot:
    """What is remembered between messages, and what is done about each."""

    server: ClientConnection
    turn: Message  # the one answered last
    wait_s = SHORTEST_WAIT_S  # before the next attempt to connect, up to twice as long

    def play(self) -> None:
        """Connects and answers every message. Raises ConnectionClosed in the end, or what connecting raises."""
        with connect(ADDRESS) as self.server:  # a client that names no subprotocol speaks JSON
            self.send(type="hello", name=NAME, token=os.environ.get("TABIYA_TOKEN", ""))
            while True:
                self.receive(json.loads(self.server.recv()))

    def receive(self, message: Message) -> None:
        """Does what a message asks for; one that we do not know asks for nothing."""
        match message["type"]:
            case "welcome":
                self.wait_s = SHORTEST_WAIT_S
                for game in GAMES or message["games"]:
                    self.send(type="seek", game=game)
            case "turn":
                self.turn = message
                self.move()
            case "refused":
                print("refused:", message["message"], flush=True)
                if message["code"] in ("illegal_move", "unreadable_move"):  # the turn waits for another move
                    self.move()
            case "match_ended":
                print(*(message[key] for key in ("game", "match", "result", "ending")), flush=True)
            case "busy":
                self.wait_s += message["retry_ms"] / 1000

    def move(self) -> None:
        """Answers the turn."""
        self.send(type="move", match=self.turn["match"], ply=self.turn["ply"], move=choose(self.turn))

    def send(self, **message: Any) -> None:
        """Sends a message."""
        self.server.send(json.dumps(message))


signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
bot = Bot()
while True:
    try:
        bot.play()
    except ConnectionClosed:
        print("the connection has ended:", bot.server.close_code, bot.server.close_reason, flush=True)
        if bot.server.close_code in FINAL:
            sys.exit(1)
    except (OSError, WebSocketException) as error:
        print(f"cannot connect to {ADDRESS}: {error}", flush=True)
    time.sleep(bot.wait_s * random.uniform(1, 2))  # partly at random, so as not to come in a herd
    bot.wait_s = min(2 * bot.wait_s, LONGEST_WAIT_S)
