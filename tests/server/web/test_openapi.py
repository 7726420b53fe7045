"""The API's OpenAPI document is sound, is what the server answers with, and is driven against a running server."""

from __future__ import annotations

import json

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from scripts.docs.api_documents import documents
from scripts.docs.api_page import all_routes
from scripts.long_runs.api_document import drive
from tabiya.explorer.explorer import Explorer
from tabiya.server.web.http.route import is_versioned
from tabiya.server.web.openapi import document
from tests.fakes.kept_programs import KeptPrograms
from tests.server.local_bots import first_legal
from tests.server.web.declared import assert_declared
from tests.server.web.web_server import OPERATOR, WebServer


@pytest.mark.slow
def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(document(all_routes())).validate()


def test_every_route_is_in_it_under_a_name_of_its_own() -> None:
    paths = document(all_routes())["paths"]
    found = {(method.upper(), path) for path, operations in paths.items() for method in operations}
    wanted = {(route.method, route.path.replace(":.+", "")) for route in all_routes() if is_versioned(route.path)}
    assert found == wanted
    operations = [operation for each in paths.values() for operation in each.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    assert [operation for operation in operations if not operation["summary"]] == []


def test_what_needs_a_token_says_so_and_what_is_for_everybody_does_not() -> None:
    paths = document(all_routes())["paths"]
    assert paths["/api/v1/matches/{match}/abort"]["post"]["security"] == [{"token": []}]
    assert paths["/api/v1/account"]["get"]["security"] == [{"token": []}]
    assert "security" not in paths["/api/v1/matches"]["get"]
    assert "security" not in paths["/api/v1/register"]["post"]


def test_a_query_is_told_as_parameters_without_null() -> None:
    parameters = document(all_routes())["paths"]["/api/v1/matches"]["get"]["parameters"]
    reported = {parameter["name"]: parameter["schema"] for parameter in parameters}
    assert reported["limit"] == {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    assert reported["game"] == {"type": "string", "maxLength": 200}
    assert reported["status"] == {"enum": ["ended", "frozen", "running"]}


async def test_the_server_answers_with_the_document_of_the_reference(web: WebServer) -> None:
    text = (await web.get("/api/v1/openapi.json")).text
    assert text == documents()["docs/reference/openapi.json"]
    assert json.loads(text)["openapi"] == "3.1.0"


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/api/v1/games", 404, "application/problem+json"),
        ("GET", "/api/v1/matches?x=1", 401, "application/problem+json"),
        ("GET", "/api/v1/matches/7", 404, "application/json"),
        ("GET", "/api/v1/matches/7/transcript", 200, "application/json"),
        ("POST", "/api/v1/bots/ada/2/role", 201, "application/json"),
    ],
)
def test_an_answer_that_is_not_declared_is_found(method: str, path: str, status: int, kind: str) -> None:
    with pytest.raises(AssertionError, match="answers"):
        assert_declared(method, path, status, kind)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_server_driven_by_its_document_makes_no_error_and_answers_only_what_is_declared(
    shared: WebServer,
) -> None:
    for name in ("ada", "bob"):
        account = await shared.post("/api/v1/register", {"name": name, "invite": "tulip"})
        await shared.bot(name, first_legal, token=account.json["token"])
    await shared.play()
    shared.server.explorer, shared.server.hosting = Explorer(processes=1), KeptPrograms(shared.store)
    cup = {"name": "cup", "game": "nim", "bots": ["ada", "bob"], "start": False}
    assert (await shared.post("/api/v1/tournaments", cup, token=OPERATOR)).status == 201
    phases = ("examples", "fuzzing")  # those that ask many more are for the long run
    is_well, report = await drive(shared.url, OPERATOR, examples=4, seed=7, phases=phases)
    assert is_well, report
    assert "Tested: " in report
