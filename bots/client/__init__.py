"""The client library: a bot is one method, `choose`; this folder does the rest.

Needs websockets, msgpack and msgspec only; the rules (`turn.position()`) need the `engine` extra.
bot.py what an author writes · turn.py what it is given · run.py how it is run · session.py the protocol
without a socket · hooks.py calls of the bot · connection.py the socket · summary.py what came out.
"""

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.errors import AddressError, ClientError, Rejected, Unreachable
from tabiya.bots.client.run import run, run_async
from tabiya.bots.client.summary import Summary
from tabiya.bots.client.turn import Turn
from tabiya.bots.players.lazy_rules import NeedsEngine, load_game

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
