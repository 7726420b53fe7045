"""The JSON API of a running server, as the commands use it: standard library only."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from tabiya.cli.errors import UserError
from tabiya.cli.settings import ClientSettings

TIMEOUT_S = 30.0
MOST_BYTES = 64 * 1024 * 1024


class Api:
    """One server's API. Every method raises UserError with one sentence when it does not get what it wants."""

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        scheme = urllib.parse.urlsplit(settings.server).scheme
        if scheme not in ("http", "https"):
            raise UserError(
                f"{settings.server!r} is not the address of a server's pages (they begin with http://); "
                "`tabiya serve` prints it"
            )

    def get(self, path: str, **query: object) -> Any:
        """The JSON answer to a question."""
        given = {key: str(value) for key, value in query.items() if value is not None}
        return self._ask("GET", path + (f"?{urllib.parse.urlencode(given)}" if given else ""), None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON answer to an order."""
        return self._ask("POST", path, json.dumps(body).encode())

    def text(self, path: str) -> str:
        """An answer that is no JSON."""
        return self._read("GET", path, None).decode("utf-8", "replace")

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        try:
            return json.loads(self._read(method, path, body))
        except ValueError:
            raise UserError(f"what answers at {self._settings.server} is not a Tabiya server") from None

    def _read(self, method: str, path: str, body: bytes | None) -> bytes:
        request = urllib.request.Request(self._settings.server.rstrip("/") + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        if self._settings.operator_token:
            request.add_header("Authorization", f"Bearer {self._settings.operator_token}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return bytes(answer.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            raise UserError(_sentence(error)) from None
        except (urllib.error.URLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise UserError(f"no server answers at {self._settings.server}: {_words(reason)}") from None


def _sentence(error: urllib.error.HTTPError) -> str:
    try:
        said = json.loads(error.read(MOST_BYTES)).get("error")
    except (ValueError, AttributeError, OSError):
        said = None
    return str(said) if said else f"the server answered {error.code} {error.reason}"


def _words(reason: object) -> str:
    return str(getattr(reason, "strerror", None) or reason)
