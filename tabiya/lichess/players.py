"""Connected bots and their ratings, from the server's API."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from tabiya.api_client.api import Api
from tabiya.errors import UserError
from tabiya.lichess.forms import VARIANTS, Json, profile, user

KEPT_S = 60.0  # a rating changes by little in a minute, and every challenge and game tells two
USUAL_RATING = 1_500


class Players:
    """Ratings, read again after a minute, and the connected bots."""

    def __init__(self, api: Api, now_s: Callable[[], float]) -> None:
        self._api, self._now_s = api, now_s
        self._rows: dict[str, dict[str, Any]] = {}  # by game, then by name
        self._known_until_s = 0.0

    async def prepare(self) -> None:
        """Read the ratings again if they are old. If that fails, the old ones stay."""
        if self._now_s() >= self._known_until_s:
            self._known_until_s = self._now_s() + KEPT_S
            for game in VARIANTS:
                with contextlib.suppress(UserError):
                    standings = await asyncio.to_thread(self._api.get, f"/standings/{game}", pooled="true")
                    self._rows[game] = {row["bot"].lower(): row for row in standings["rows"]}

    def user(self, name: str, game: str) -> Json:
        """A player in a game or a challenge, with its rating as last read."""
        return user(name, *self._rating(name, game))

    def profile(self, name: str) -> Json:
        """A player by itself."""
        return profile(name, {game: self._rating(name, game) for game in VARIANTS})

    async def online(self) -> list[str]:
        """Names of those who are connected and play one of the games. Raises UserError."""
        there = await asyncio.to_thread(self._api.get, "/opponents")
        return [one["name"] for one in there["opponents"] if not one["plays"] or VARIANTS.keys() & one["plays"]]

    async def known(self, name: str) -> str:
        """The name of a bot as it is spelled. Raises UserError if there is none."""
        from urllib.parse import quote

        return str((await asyncio.to_thread(self._api.get, f"/bots/{quote(name, safe='')}"))["name"])

    def _rating(self, name: str, game: str) -> tuple[int, int]:
        """Rating and number of rated games."""
        row = self._rows.get(game, {}).get(name.lower())
        return (round(row["rating"]), row["games"]) if row else (USUAL_RATING, 0)
