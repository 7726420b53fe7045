"""A query or body that cannot be meant is answered with its field, what was given and what is allowed."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest

from scripts.docs.api_page import all_routes
from tabiya.server.tournaments.settings import TournamentOrder
from tabiya.server.web.http.field_errors import field_error
from tabiya.server.web.schemas.requests import AdjudicateOrder, EmptyOrder, EnterOrder, HeadToHeadQuery, MatchQuery
from tests.server.web.web_server import WebServer

WORDS_OF_THE_VALIDATOR = re.compile(r"[Ee]xpected|`|\$|\bgot\b|\b(int|str|bool|float|array|enum|struct)\b")
ANYTHING = [None, True, 0, -1, 10**30, 0.5, "", "x", "x" * 10_000, [], [1], {}, {"x": 1}]
CUP = {"name": "cup", "game": "nim"}


def refusal_of(given: Any, kind: type[msgspec.Struct], *, in_query: bool = False) -> tuple[str, str] | None:
    """The refusal of these values; None if they are accepted."""
    try:
        msgspec.convert(given, kind, strict=not in_query)
    except msgspec.ValidationError as error:
        return field_error(given, kind, str(error), in_query=in_query)
    return None


@pytest.mark.parametrize(
    ("query", "kind", "field", "sentence"),
    [
        ({"limit": "many"}, MatchQuery, "limit", 'limit is "many"; it must be a whole number from 1 to 200'),
        ({"limit": "201"}, MatchQuery, "limit", 'limit is "201"; it must be a whole number from 1 to 200'),
        ({"before": "0"}, MatchQuery, "before", 'before is "0"; it must be a whole number of at least 1'),
        ({"status": "dead"}, MatchQuery, "status", 'status is "dead"; it must be ended, frozen or running'),
        ({"first": "ada"}, HeadToHeadQuery, "second", "second is missing; it must be a text of at most 200 characters"),
        (
            {"befor": "1"},
            MatchQuery,
            "befor",
            'this address has only game, bot, tournament, status, before and limit, not "befor"',
        ),
    ],
)
def test_of_a_query(query: dict[str, str], kind: type[msgspec.Struct], field: str, sentence: str) -> None:
    assert refusal_of(query, kind, in_query=True) == (field, sentence)


@pytest.mark.parametrize(
    ("body", "kind", "field", "sentence"),
    [
        ([1, 2], EmptyOrder, "", "this order is a list of 2; it must be an object"),
        ({"x": 1}, EmptyOrder, "x", 'this order has no fields, not "x"'),
        ({"winner": 2}, AdjudicateOrder, "winner", "winner is 2; it must be a whole number from 0 to 1 or null"),
        ({"bots": ["ada", 7]}, EnterOrder, "bots[1]", "bots[1] is 7; it must be a text of at most 200 characters"),
        (
            {"bots": []},
            EnterOrder,
            "bots",
            "bots is a list of 0; it must be a list of at least 1 elements, each a text of at most 200 characters",
        ),
        (CUP | {"rated": 1}, TournamentOrder, "rated", "rated is 1; it must be true or false"),
        (CUP | {"options": 1}, TournamentOrder, "options", "options is 1; it must be an object"),
        (
            CUP | {"elo0": 1e9},
            TournamentOrder,
            "elo0",
            "elo0 is 1000000000.0; it must be a number from -1,000 to 1,000",
        ),
        (
            CUP | {"adjudication": {"draw": {"score": 5}}},
            TournamentOrder,
            "adjudication.draw.movecount",
            "adjudication.draw.movecount is missing; it must be a whole number from 1 to 1,000",
        ),
        ({"game": "nim"}, TournamentOrder, "name", "name is missing; it must be a text of 1 to 64 characters"),
    ],
)
def test_of_a_body(body: Any, kind: type[msgspec.Struct], field: str, sentence: str) -> None:
    assert refusal_of(body, kind) == (field, sentence)


def test_no_field_of_any_query_or_body_is_told_of_in_the_words_of_the_validator() -> None:
    kinds = {kind for route in all_routes() for kind in (route.query, route.body) if kind is not None}
    assert len(kinds) > 10
    sentences = [refusal_of(value, kind) for kind in kinds for value in ANYTHING]
    for kind in kinds:
        for field in kind.__struct_fields__:
            sentences += [refusal_of(CUP | {field: value}, kind) for value in ANYTHING]
            sentences += [
                refusal_of({field: value}, kind, in_query=True) for value in ANYTHING if isinstance(value, str)
            ]
    text = [sentence for each in sentences if each for sentence in [each[1].partition("; it must be")]]
    assert len(text) > 500
    wrong = [sentence for sentence in text if WORDS_OF_THE_VALIDATOR.search(sentence[0] + sentence[2])]
    assert wrong == []


async def test_the_problem_names_the_field_and_has_what_the_error_of_before_had(web: WebServer) -> None:
    answer = await web.get("/api/v1/matches?limit=many")
    assert answer.json == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": ('a value in the address is not allowed: limit is "many"; it must be a whole number from 1 to 200'),
        "error": answer.json["detail"],
        "field": "limit",
    }
    answer = await web.post("/api/v1/tournaments/1/enter", {"bots": "ada"})
    assert (answer.json["field"], answer.headers["Content-Type"]) == ("bots", "application/problem+json")
    assert "field" not in (await web.get("/api/v1/matches/7")).json


@pytest.mark.parametrize("body", [b"[", b'{"winner": 1e400}', b'{"winner": "\\ud800"}', b"null", b"\xff"])
async def test_a_body_that_no_reader_takes_is_told_of_in_a_sentence_too(web: WebServer, body: bytes) -> None:
    match = await web.begin("a1")
    answer = await web.post(f"/api/v1/matches/{match}/adjudicate", body)
    assert answer.status == 400
    assert not WORDS_OF_THE_VALIDATOR.search(json.dumps(answer.error))
