"""The client library: a bot is one method, `choose`; this folder does the rest.

Needs websockets, msgpack and msgspec only; the rules (`turn.position()`) need the `engine` extra.
bot.py what an author writes · turn.py what it is given · run.py how it is run · session.py what is owed to the server,
without a socket · thinking.py the bot's side · connection.py the socket's side.
"""

from bots.client.bot import Bot
from bots.client.choice import Choice
from bots.client.connection import Summary
from bots.client.errors import AddressError, ClientError, Rejected, Unreachable
from bots.client.run import run, run_async
from bots.client.turn import Turn
from bots.rules import NeedsEngine, load_game

__all__ = [
    "AddressError",
    "Bot",
    "Choice",
    "ClientError",
    "NeedsEngine",
    "Rejected",
    "Summary",
    "Turn",
    "Unreachable",
    "load_game",
    "run",
    "run_async",
]
