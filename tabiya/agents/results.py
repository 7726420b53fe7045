"""Answers of the tools. Every field is described for the model that reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Status = Literal["your move", "opponent's move", "running", "ended"]


class Game(BaseModel):
    """A game that is played on this server."""

    name: Annotated[str, Field(description="As the other tools take it.")]
    title: str
    seats: Annotated[list[str], Field(description="What the players are called; the first moves first.")]
    notation: Annotated[str, Field(description="How a move is written.")]
    options: Annotated[list[str], Field(description="Start options with what they do.")]


class Games(BaseModel):
    """All games, and the usual time control."""

    games: list[Game]
    time_control: Annotated[
        str, Field(description="Where none is asked for, such as 60+0.5: seconds, and more a move.")
    ]


class Opponent(BaseModel):
    """A bot that is connected."""

    name: str
    plays: Annotated[list[str], Field(description="Games that it plays; empty: any.")]
    free: Annotated[bool, Field(description="Whether it can begin a match now.")]
    house: Annotated[bool, Field(description="Whether it is a player of the server's own, which accepts challenges.")]


class Opponents(BaseModel):
    """Bots that can be challenged now."""

    opponents: list[Opponent]


class MatchState(BaseModel):
    """The present state of a match."""

    match: Annotated[int, Field(description="Its number.")]
    game: str
    players: Annotated[list[str], Field(description="By seat, each with the word for it, such as `ada (White)`.")]
    your_seat: Annotated[int | None, Field(description="0 or 1; null in a match of others.")]
    status: Status
    position: Annotated[str, Field(description="In the notation of the game.")]
    drawing: Annotated[str, Field(description="The position drawn with letters.")]
    moves: Annotated[str, Field(description="All moves from the start, as people write them.")]
    legal_moves: Annotated[list[str], Field(description="Every move you may play now; empty when it is not your move.")]
    seconds_left: Annotated[float | None, Field(description="That you have for this move; null when it is not yours.")]
    draw_offered: Annotated[bool, Field(description="Whether your opponent offers a draw.")]
    result: Annotated[str, Field(description="How it ended, in a sentence; empty while it runs.")]


class MatchOrNone(BaseModel):
    """The match that has begun, if one has."""

    state: Annotated[MatchState | None, Field(description="Null: no match has begun.")]
    note: Annotated[str, Field(description="What to do if none has.")]


class Matches(BaseModel):
    """Your matches that run, and what happened since you were told last."""

    matches: list[MatchState]
    news: list[str]


class Rating(BaseModel):
    """A bot in the standings."""

    rank: int
    bot: str
    version: str
    rating: Annotated[float, Field(description="Elo.")]
    plus_minus: Annotated[float, Field(description="Half the width of the 95 % interval.")]
    games: int
    score: Annotated[float, Field(description="Points a game, 0 to 1.")]


class Standings(BaseModel):
    """The ratings of a game, the best first."""

    game: str
    rows: list[Rating]
    notes: list[str]


class Transcript(BaseModel):
    """The record of a match."""

    match: int
    text: Annotated[str, Field(description="PGN for chess, the same form for every game.")]
