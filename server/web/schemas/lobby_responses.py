"""Response models about available opponents."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ResponseModel


class Opponent(ResponseModel, frozen=True, kw_only=True):
    """A connected player that can be challenged."""

    name: Annotated[str, doc("Its name.")]
    plays: Annotated[tuple[str, ...], doc("Games that it plays; empty: any.")]
    free: Annotated[bool, doc("Whether it can play another match now.")]
    house: Annotated[bool, doc("Whether it is the server's own player.")]
    levels: Annotated[dict[str, str], doc("For such a player: a short description by game.")]


class Opponents(ResponseModel, frozen=True, kw_only=True):
    """The present opponents."""

    opponents: Annotated[tuple[Opponent, ...], doc("The server's own players first, then by name.")]
    preparing: Annotated[tuple[str, ...], doc("The server's own players that are being started and will be here soon.")]


class OpenChallenge(ResponseModel, frozen=True, kw_only=True):
    """An open challenge with a code."""

    challenge: Annotated[int, doc("Its number, for `accept`.")]
    challenger: Annotated[str, doc("The challenger.")]
    game: Annotated[str, doc("Name of the game.")]
    options: Annotated[dict[str, str | int | bool], doc("Options of the game.")]
    time: Annotated[str, doc("Time control of the match.")]
    seat: Annotated[int | None, doc("The accepting player's seat; null: seats alternate.")]
    rated: Annotated[bool, doc("Whether the match can count for ratings.")]
    position: Annotated[str | None, doc("Position to begin from, if the challenger chose one.")]
