"""Every message of the protocol, grouped by who sends it, and the parts that messages are made of.

    from tabiya.protocol.messages import Hello, Move, Turn
    Move(match=7, ply=4, move="d3")

Adding a message: a class in client.py or server.py, its name in the union there, one line in
docs/reference/protocol.vectors.json, then `make docs`.
"""

from tabiya.protocol.messages.client import (
    CLIENT_MESSAGES,
    Accept,
    Challenge,
    ClientMessage,
    Decline,
    DrawOffer,
    Hello,
    Move,
    Resign,
    Seek,
    TakeBack,
    Unseek,
    Unwatch,
    Watch,
)
from tabiya.protocol.messages.fields import Options
from tabiya.protocol.messages.parts import (
    Clocks,
    ConnectionLimits,
    History,
    MoveAccount,
    MoveInfo,
    RunningMatch,
)
from tabiya.protocol.messages.server import (
    SERVER_MESSAGES,
    Busy,
    Challenged,
    ChallengeEnded,
    DrawOffered,
    MatchEnded,
    MatchStarted,
    Notice,
    Refused,
    ServerMessage,
    TakeBackAsked,
    Turn,
    Watching,
    Welcome,
)

Message = ClientMessage | ServerMessage

__all__ = [
    "CLIENT_MESSAGES",
    "SERVER_MESSAGES",
    "Accept",
    "Busy",
    "Challenge",
    "ChallengeEnded",
    "Challenged",
    "ClientMessage",
    "Clocks",
    "ConnectionLimits",
    "Decline",
    "DrawOffer",
    "DrawOffered",
    "Hello",
    "History",
    "MatchEnded",
    "MatchStarted",
    "Message",
    "Move",
    "MoveAccount",
    "MoveInfo",
    "Notice",
    "Options",
    "Refused",
    "Resign",
    "RunningMatch",
    "Seek",
    "ServerMessage",
    "TakeBack",
    "TakeBackAsked",
    "Turn",
    "Unseek",
    "Unwatch",
    "Watch",
    "Watching",
    "Welcome",
]
