"""Response models of the API about how bots did against each other; docs/reference/api.md is generated from them."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ResponseModel


class ExpectedScore(ResponseModel, frozen=True, kw_only=True):
    """What one row of the standings is expected to score against the bot that was asked about."""

    bot: Annotated[str, doc("Name of the bot.")]
    version: Annotated[str, doc("Its version; empty where all versions are rated as one.")]
    score: Annotated[float, doc("Points a game, 0 to 1.")]
    low: Annotated[float, doc("Lower end of the 95 % interval, as far as the two ratings are uncertain.")]
    high: Annotated[float, doc("Upper end.")]


class ExpectedScores(ResponseModel, frozen=True, kw_only=True):
    """Expected scores against one bot, by the fit of all games: draws and the worth of moving first are in them."""

    game: Annotated[str, doc("Name of the game.")]
    bot: Annotated[str, doc("Against whom.")]
    version: Annotated[str, doc("Its version; empty where all versions are rated as one.")]
    rows: Annotated[tuple[ExpectedScore, ...], doc("All others of its pool, the best first.")]
