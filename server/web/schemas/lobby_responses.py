"""Answers of the API about who can be played now."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ResponseModel


class Opponent(ResponseModel, frozen=True, kw_only=True):
    """Somebody who is connected and can be challenged."""

    name: Annotated[str, doc("Its name.")]
    plays: Annotated[tuple[str, ...], doc("Games that it says it plays; none: any.")]
    free: Annotated[bool, doc("Whether it has a free seat now.")]
    house: Annotated[bool, doc("Whether it is a player of the server's own, started with it.")]
    levels: Annotated[dict[str, str], doc("Of such a player: a few words on how it plays, by game.")]


class Opponents(ResponseModel, frozen=True, kw_only=True):
    """Whom a person can play now."""

    opponents: Annotated[tuple[Opponent, ...], doc("The server's own first, as they were started; then by name.")]


class OpenChallenge(ResponseModel, frozen=True, kw_only=True):
    """A challenge to whoever has its code, which waits to be accepted."""

    challenge: Annotated[int, doc("Its number, for `accept`.")]
    challenger: Annotated[str, doc("Who has made it.")]
    game: Annotated[str, doc("Name of the game.")]
    time: Annotated[str, doc("Time control of the match.")]
    seat: Annotated[int | None, doc("The seat of who accepts; null: seats change from meeting to meeting.")]
    rated: Annotated[bool, doc("Whether the match can count for the ratings.")]
