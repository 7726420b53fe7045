"""The protocol's AsyncAPI document has every message, and every example of one is what it says."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from scripts.docs.api_documents import documents
from scripts.docs.protocol_vectors import read_vectors
from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from tabiya.server.web.asyncapi import document
from tests.server.web.web_server import WebServer

DOCUMENT = document()
BY_TYPE = {message["name"]: message for message in DOCUMENT["components"]["messages"].values()}


def resolved(reference: str) -> Any:
    """What a reference within the document stands for. Raises KeyError."""
    place: Any = DOCUMENT
    for step in reference.removeprefix("#/").split("/"):
        place = place[step]
    return place


def references(value: Any) -> set[str]:
    """Every reference in a value."""
    if isinstance(value, list):
        return set().union(*map(references, value))
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set()


def matches_payload(message: dict[str, Any]) -> bool:
    schema = BY_TYPE[message["type"]]["payload"] | {"components": DOCUMENT["components"]}
    wrapped = {"allOf": [{"$ref": schema.pop("$ref")}], **schema}
    return jsonschema.Draft7Validator(wrapped).is_valid(message)


def test_every_reference_leads_somewhere() -> None:
    found = references(DOCUMENT)
    assert len(found) > 50
    for reference in found:
        assert resolved(reference), reference


@pytest.mark.parametrize(
    ("operation", "action", "kinds"),
    [("fromBots", "receive", CLIENT_MESSAGES), ("toBots", "send", SERVER_MESSAGES)],
)
def test_the_server_receives_what_bots_may_send_and_sends_the_rest(
    operation: str, action: str, kinds: tuple[type, ...]
) -> None:
    described = DOCUMENT["operations"][operation]
    assert described["action"] == action
    named = [resolved(resolved(message["$ref"])["$ref"])["title"] for message in described["messages"]]
    assert named == [kind.__name__ for kind in kinds]


def test_every_example_is_what_its_message_says_and_a_bent_one_is_not() -> None:
    examples = [json.loads(vector.json) for vector in read_vectors().messages]
    assert {example["type"] for example in examples} == set(BY_TYPE)
    for example in examples:
        assert matches_payload(example), example
        assert not matches_payload(dict.fromkeys(example, 0.5) | {"type": example["type"]}) or list(example) == ["type"]
    started = next(example for example in examples if example["type"] == "match_started")
    assert not matches_payload(started | {"names": ["ada", 7]})
    assert not matches_payload(started | {"names": ["ada", "bob", "eve"]})


async def test_the_server_answers_with_the_document_of_the_reference(web: WebServer) -> None:
    text = (await web.get("/api/v1/asyncapi.json")).text
    assert text == documents()["docs/reference/asyncapi.json"]
    assert json.loads(text)["asyncapi"] == "3.0.0"
