"""Duplicate games: which tournaments are remembered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tabiya.server.tournaments import duplicates
from tabiya.server.tournaments.duplicates import DuplicateGames
from tabiya.storage.records import MatchId, TournamentId


async def test_the_tournaments_asked_for_last_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "MAX_TOURNAMENTS", 2)
    read = list[MatchId]()

    async def move_lists(ids: list[MatchId]) -> dict[MatchId, tuple[str, ...]]:
        read.extend(ids)
        return {}

    def match(number: int) -> Any:
        seats = (SimpleNamespace(bot_id=1), SimpleNamespace(bot_id=2))
        return SimpleNamespace(id=MatchId(number), result=SimpleNamespace(ending="rules"), seats=seats, start_text="")

    games = DuplicateGames(cast("Any", SimpleNamespace(move_lists=move_lists)))
    for tournament in (1, 2, 1, 3, 1, 2):  # 3 takes the place of 2, which is then read once more
        await games.of(TournamentId(tournament), [match(tournament)])
    assert read == [1, 2, 3, 2]
