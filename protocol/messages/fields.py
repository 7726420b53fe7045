"""Bounded field types: each says how long a text, how large a number, how many items may be.

Every number stays below 2**53, so that any JSON reader holds it exactly. The bounds are shape only: whether
a match exists or a move is legal is the server's question and answered by a refusal.
"""

from typing import Annotated

from msgspec import Meta

LARGEST_NUMBER = 2**53 - 1
LARGEST_PLY = 1_000_000
MOST_LEGAL_MOVES = 16_384
MOST_PLIES = 16_384


def doc(text: str) -> Meta:
    """The description of a field, as the reference page and the JSON Schema show it."""
    return Meta(description=text)


Count = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
MatchId = Annotated[int, Meta(ge=1, le=LARGEST_NUMBER)]
ChallengeId = Annotated[int, Meta(ge=1, le=LARGEST_NUMBER)]
Seat = Annotated[int, Meta(ge=0, le=1)]
Ply = Annotated[int, Meta(ge=0, le=LARGEST_PLY)]
Milliseconds = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
Version = Annotated[int, Meta(ge=1, le=1_000)]

# Longer than the 40 characters that the server allows after bringing a name into its normal form: it refuses the rest
# itself (server/accounts/names.py) and can say why.
BotName = Annotated[str, Meta(min_length=1, max_length=64)]
GameName = Annotated[str, Meta(min_length=1, max_length=32)]
MoveText = Annotated[str, Meta(min_length=1, max_length=16)]
PositionText = Annotated[str, Meta(min_length=1, max_length=2_048)]
TimeText = Annotated[str, Meta(max_length=64)]
Word = Annotated[str, Meta(max_length=64)]
Sentence = Annotated[str, Meta(max_length=1_000)]
Remark = Annotated[str, Meta(max_length=500)]
TokenText = Annotated[str, Meta(max_length=256)]

GameNames = Annotated[tuple[GameName, ...], Meta(max_length=64)]
LegalMoves = Annotated[tuple[MoveText, ...], Meta(max_length=MOST_LEGAL_MOVES)]
MoveList = Annotated[tuple[MoveText, ...], Meta(max_length=MOST_PLIES)]
Variation = Annotated[tuple[MoveText, ...], Meta(max_length=128)]
SeatNames = tuple[BotName, BotName]
SeatClocks = tuple[Milliseconds, Milliseconds]

OptionName = Annotated[str, Meta(min_length=1, max_length=32)]
OptionText = Annotated[str, Meta(max_length=2_048)]
OptionNumber = Annotated[int, Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
Options = Annotated[dict[OptionName, OptionText | OptionNumber | bool], Meta(max_length=32)]
