"""The API has its version in every address; the addresses of before answer in the same way and name the new ones."""

from __future__ import annotations

import pytest

from scripts.docs.api_page import all_routes
from tabiya.server.web.http.route import successor
from tests.server.web.web_server import WebServer

# asked by machines that watch servers of every kind, and by processes of our own version
BESIDE = {"/healthz", "/readyz", "/metrics", "/live"}


def test_every_route_of_the_api_has_the_version_in_its_address() -> None:
    assert {route.path for route in all_routes() if not route.path.startswith("/api/v1/")} == BESIDE


@pytest.mark.parametrize("path", ["/games", "/matches?limit=7", "/matches/1", "/matches/1/transcript", "/bots/ada%2F7"])
async def test_an_address_of_before_answers_the_same_and_names_the_new_one(web: WebServer, path: str) -> None:
    await web.play(bots=("ada/7", "bob"))
    new, old = await web.get(f"/api/v1{path}"), await web.get(f"/api{path}")
    assert (new.status, old.status) == (200, 200)
    if "limit" not in path:  # there the next page has another address
        assert old.body == new.body
    assert old.headers["Deprecation"] == "@1795564800"
    assert old.headers["Link"] == f'</api/v1{path.partition("?")[0]}>; rel="successor-version"'
    assert "Deprecation" not in new.headers


async def test_an_address_of_before_takes_orders_and_keeps_the_shape_of_its_errors(web: WebServer) -> None:
    assert (await web.post("/api/register", {"name": "ada"})).status == 201
    for answer in (await web.post("/api/register", {"name": "ada"}), await web.get("/api/matches/7")):
        assert list(answer.json) == ["error"]
        assert answer.headers["Content-Type"] == "application/json"
        assert "Deprecation" in answer.headers


async def test_an_unknown_old_address_is_not_found_and_not_called_deprecated(web: WebServer) -> None:
    for path in ("/api/nothing", "/api/", "/api/v2/games"):
        answer = await web.get(path)
        assert (answer.status, list(answer.json)) == (404, ["error"])
        assert "Deprecation" not in answer.headers


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("/api/games", "/api/v1/games"),
        ("/api/bots/v1/x", "/api/v1/bots/v1/x"),
        ("/api/v1/games", None),
        ("/games", None),
        ("/apis/games", None),
    ],
)
def test_only_an_address_of_the_api_without_a_version_has_a_successor(path: str, new: str | None) -> None:
    assert successor(path) == new
