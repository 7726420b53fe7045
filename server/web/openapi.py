"""The API as an OpenAPI 3.1 document, written from the routes and their structs.

Every answer that can come is declared, errors too: a test drives the document against a running server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any

import msgspec
from msgspec import Struct

from tabiya.games.registry import names
from tabiya.server.web.http.json_responses import PROBLEM_TYPE
from tabiya.server.web.http.route import Other, Route, is_versioned
from tabiya.server.web.schemas.live_moves import LiveMoves
from tabiya.server.web.schemas.requests import LARGEST_ID
from tabiya.server.web.schemas.responses import ListPage, LiveState, Problem, ReviewProgress
from tabiya.server.web.schemas.schemas import components, reference, summary

Json = dict[str, Any]

ABOUT = """\
Everything that the pages of a Tabiya server show, and the orders of its operators. Names that end in `_ms` are
milliseconds, `_s` seconds, `_at` seconds since 1970 (UTC); a seat is 0 or 1. Expect new fields. Bots connect by
websocket: `/api/v1/asyncapi.json`."""
TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": (
        "The operator's token, that of an account with the operator's role, or, for what is its own, a bot's. A server "
        "that listens on a loopback address takes orders from the same machine without one."
    ),
}
NUMBER = {"type": "integer", "minimum": 1, "maximum": LARGEST_ID}
IN_PATH: dict[str, tuple[str, Json]] = {
    "match": ("Number of a match.", NUMBER | {"examples": [1]}),
    "tournament": ("Number of a tournament.", NUMBER | {"examples": [1]}),
    "season": ("Number of a season.", NUMBER | {"examples": [1]}),
    "ply": ("After this many moves.", {"type": "integer", "minimum": 0, "maximum": 999_999}),
    "game": ("Name of a game.", {"type": "string", "minLength": 1, "examples": list(names())}),
    "name": ("Name of a bot; a slash in it is written %2F.", {"type": "string", "minLength": 1, "examples": ["ada"]}),
    "program": ("Number of a program, as sent to the worker.", NUMBER | {"examples": [1]}),
    "number": ("Number of a version, from 1.", NUMBER | {"examples": [1]}),
    "wish": ("Number of a request for games.", NUMBER | {"examples": [1]}),
    "code": ("Code of an open challenge.", {"type": "string", "minLength": 1, "examples": ["q9ZrT4mXv0bH2sLkJ8cYwA"]}),
}
PROBLEMS = {
    400: "Invalid request, or the address is too long: `detail` names the wrong field and what is allowed.",
    401: "A token is missing or wrong.",
    403: "Not allowed: a foreign name in Host, a page of another site, or a name that this server does not accept.",
    404: "Not found.",
    408: "The body did not arrive in time.",
    409: "It has already happened, is no longer possible, or its stored data are damaged.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    429: "Too many requests or wrong secrets from this address.",
    503: "The database is away, the server closes, or too many requests of this kind run.",
}
HEADERS: dict[int, tuple[str, ...]] = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
HEADERS_ABOUT = {
    "ETag": "Tag of this answer; sent back in If-None-Match, the answer is 304 if nothing has changed.",
    "Link": 'The next part of the list, with `rel="next"`.',
    "Retry-After": "Seconds to wait before the next try.",
    "WWW-Authenticate": "How to send a token.",
}


def text(routes: Iterable[Route]) -> str:
    """The document as it is sent, and as docs/reference/openapi.json."""
    return json.dumps(document(routes), indent=1, ensure_ascii=False) + "\n"


def document(routes: Iterable[Route]) -> Json:
    """The document as plain JSON values."""
    described = [route for route in routes if is_versioned(route.path)]
    paths: dict[str, Json] = {}
    for route in described:
        paths.setdefault(_path(route), {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tabiya",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The server that this document comes from."}],
        "paths": paths,
        "components": {
            "schemas": _schemas(described),
            "responses": {f"Problem{status}": _problem(status) for status in PROBLEMS},
            "securitySchemes": {"token": TOKEN},
        },
    }


def _path(route: Route) -> str:
    return route.path.replace(":.+", "")


def _schemas(routes: Iterable[Route]) -> Json:
    """Schemas of all bodies and answers; queries are described as parameters."""
    kinds = [kind for route in routes for kind in (route.body, route.answer) if isinstance(kind, type)]
    return components([*kinds, LiveMoves, LiveState, Problem, ReviewProgress])


def _operation(route: Route) -> Json:
    operation: Json = {
        "operationId": route.handler.__name__,
        "tags": [route.path.split("/")[3].removesuffix(".json")],
        "summary": summary(route.handler),
    }
    if parameters := [*_in_path(route), *_in_query(route)]:
        operation["parameters"] = parameters
    if route.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": reference(route.body)}},
        }
    operation["responses"] = _responses(route)
    if route.access in ("owner", "operator", "worker"):
        operation["security"] = [{"token": []}]
    return operation


def _in_path(route: Route) -> Iterator[Json]:
    for name in re.findall(r"\{(\w+)", route.path):
        about, schema = IN_PATH[name]
        yield {"name": name, "in": "path", "required": True, "description": about, "schema": schema}


def _in_query(route: Route) -> Iterator[Json]:
    if route.query is None:
        return
    shape = msgspec.json.schema_components([route.query])[1][route.query.__name__]
    for name, schema in shape["properties"].items():
        required = name in shape.get("required", ())
        parameter = {"name": name, "in": "query", "required": required, "description": schema["description"]}
        yield parameter | {"schema": _without_null(schema)}


def _without_null(schema: Json) -> Json:
    """The schema of a field of a query, which cannot hold null."""
    rest = {key: value for key, value in schema.items() if key not in ("description", "anyOf")}
    if "anyOf" in schema:
        (choice,) = (choice for choice in schema["anyOf"] if choice != {"type": "null"})
        rest |= choice
    if "enum" in schema:
        rest["enum"] = [value for value in schema["enum"] if value is not None]
    return {key: value for key, value in rest.items() if not (key == "default" and value is None)}


# --- answers


def _responses(route: Route) -> Json:
    answers: Json = {str(route.status): _success(route)}
    if route.has_etag:
        answers["304"] = {
            "description": "It is what the ETag in If-None-Match stands for.",
            "headers": _headers("ETag"),
        }
    return answers | {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in _statuses(route)}


def _success(route: Route) -> Json:
    names = [*(["ETag"] if route.has_etag else []), *(["Link"] if _is_page(route.answer) else [])]
    headers = {"headers": _headers(*names)} if names else {}
    if isinstance(route.answer, Other):
        about = re.sub(r"\[(\w+)\]\(#\w+\)", r"\1", route.answer.about)
        schema = {"type": "object" if route.answer.types == ("application/json",) else "string"}
        return {"description": about, **headers, "content": {kind: {"schema": schema} for kind in route.answer.types}}
    content = {"application/json": {"schema": reference(route.answer)}}
    content |= {kind: {"schema": {"type": "string"}} for kind in (route.also.types if route.also else ())}
    return {"description": HTTPStatus(route.status).phrase, **headers, "content": content}


def _is_page(answer: type[Struct] | Other) -> bool:
    return isinstance(answer, type) and issubclass(answer, ListPage)


def _statuses(route: Route) -> list[int]:
    """The statuses of errors that can come, in order."""
    statuses = {400, 403, 429}  # every request can have too long an address
    if "{" in route.path or route.query is not None:  # a query can name a game, a bot or a tournament
        statuses.add(404)
    if route.body is not None:
        statuses |= {408, 413, 415}
    if route.access in ("owner", "operator", "worker"):
        statuses.add(401)
    if route.stored:
        statuses |= {409, 503}
    if route.crowded:
        statuses.add(503)
    return sorted(statuses)


def _problem(status: int) -> Json:
    headers = {"headers": _headers(*HEADERS[status])} if status in HEADERS else {}
    return {"description": PROBLEMS[status], **headers, "content": {PROBLEM_TYPE: {"schema": reference(Problem)}}}


def _headers(*names: str) -> Json:
    return {name: {"description": HEADERS_ABOUT[name], "schema": {"type": "string"}} for name in names}
