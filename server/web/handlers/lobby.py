"""GET handlers about who can be played now; all from memory, since pages ask often."""

from __future__ import annotations

from tabiya.server.web.http.json_responses import ApiCall, not_found
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.lobby_responses import OpenChallenge, Opponents


class LobbyHandlers:
    """Opponents, and challenges by code."""

    def __init__(self, facade: ServerFacade) -> None:
        self._facade = facade

    async def opponents(self, call: ApiCall) -> Opponents:
        """Connected players that can be challenged."""
        return Opponents(opponents=self._facade.opponents(), preparing=self._facade.preparing())

    async def challenge(self, call: ApiCall) -> OpenChallenge:
        """The open challenge with this code; 404 after it is accepted or withdrawn, or its challenger has left."""
        code = call.request.match_info["code"]
        return self._facade.open_challenge(code) or not_found("open challenge with the code", code)
