"""A bot with nothing but the `websockets` package and JSON. It blocks while it thinks, and plays every game there is.

python plain_websockets_bot.py ws://localhost:8765 my-name
"""

import json
import random
import sys
import time
from typing import Any

from websockets.sync.client import connect

address = sys.argv[1] if len(sys.argv) > 1 else "ws://localhost:8765"
name = sys.argv[2] if len(sys.argv) > 2 else "plain"


def choose(turn: dict[str, Any]) -> str:
    """Any legal move."""
    time.sleep(0.01)  # thinking hard: nothing else happens in this program meanwhile
    return str(random.choice(turn["legal_moves"]))


with connect(address) as server:  # a client that names no subprotocol speaks JSON
    server.send(json.dumps({"type": "hello", "name": name}))
    for text in server:
        message = json.loads(text)
        if message["type"] == "welcome":
            for game in message["games"]:
                server.send(json.dumps({"type": "seek", "game": game}))
        elif message["type"] == "turn":
            answer = {"type": "move", "match": message["match"], "ply": message["ply"], "move": choose(message)}
            server.send(json.dumps(answer))
        elif message["type"] == "match_ended":
            print(f"match {message['match']}, {message['game']}: {message['result']} ({message['ending']})", flush=True)
