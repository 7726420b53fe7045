"""Whether an answer is one that the API's OpenAPI document declares: for every request of every test."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from scripts.docs.api_page import all_routes
from tabiya.server.web.openapi import document

UNDECLARED = {
    405: "for a method that the document does not have",
    421: "for a websocket, and for what a process that only shows pages does not answer",
    500: "for an internal error, which tests make on purpose",
}


@cache
def _operations() -> list[tuple[str, re.Pattern[str], dict[str, Any]]]:
    """Method, pattern of the path and declared answers, the more exact paths first."""
    found = document(all_routes())
    problems = found["components"]["responses"]
    listed = []
    for path, operations in found["paths"].items():
        pattern = re.compile(re.sub(r"\\\{\w+\\\}", "[^?]+", re.escape(path)) + r"(\?|$)")
        for method, operation in operations.items():
            answers = {
                status: problems[answer["$ref"].rsplit("/", 1)[-1]] if "$ref" in answer else answer
                for status, answer in operation["responses"].items()
            }
            listed.append((method.upper(), pattern, answers))
    return sorted(listed, key=lambda operation: -len(operation[1].pattern))


def assert_declared(method: str, path: str, status: int, content_type: str) -> None:
    """The status, and the type of the content, are declared for this address."""
    declared = next(
        (answers for verb, pattern, answers in _operations() if verb == method and pattern.match(path)), None
    )
    if declared is None or status in UNDECLARED:
        return
    assert str(status) in declared, f"{method} {path} answers {status}, which its document does not declare"
    types = declared[str(status)].get("content")
    assert types is None or content_type.partition(";")[0] in types, f"{method} {path} answers {content_type}"
