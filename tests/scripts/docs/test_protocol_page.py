"""The reference page and the JSON Schema: fresh, complete, and true."""

import json
import os
import re
import subprocess
import sys

import jsonschema
import pytest

from scripts.docs.protocol_page import MARK, PAGE_PATH, SCHEMA_PATH, documents, page, tag
from scripts.docs.protocol_vectors import ROOT, read_vectors
from tabiya.games.endings import Ending
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from tabiya.server.accounts.names import LONGEST_NAME, MARKS, RESERVED
from tabiya.server.config import ServerConfig
from tabiya.server.core.policy import MatchPolicy

VECTORS = read_vectors()
PAGE = (ROOT / PAGE_PATH).read_text("utf-8")
SCHEMA = json.loads((ROOT / SCHEMA_PATH).read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_documents_do_not_depend_on_the_hash_seed(seed: str) -> None:
    program = "from scripts.docs.protocol_page import documents; print(documents(), end='')"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
    )
    assert result.stdout == str(documents())


def test_no_mark_is_left_on_the_page() -> None:
    assert not MARK.search(PAGE)


def test_a_mark_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError, match="moon"):
        page("{{moon}}", VECTORS)


@pytest.mark.parametrize(
    "line",
    [
        *(f"| `{code.value}` |" for code in RefusalCode),
        *(f"| {code.value} | {code.name.lower()} |" for code in CloseCode),
        *(f"| `{ending.value}` |" for ending in Ending),
        *(f"| `{limit}` |" for limit in WireLimits.__struct_fields__),
    ],
)
def test_every_refusal_close_code_ending_and_limit_is_on_the_page(line: str) -> None:
    assert line in PAGE


def test_the_page_knows_no_ending_that_the_games_do_not() -> None:
    section = PAGE[PAGE.index("## Endings") : PAGE.index("## Limits")]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(Ending)


@pytest.mark.parametrize("kind", [*CLIENT_MESSAGES, *SERVER_MESSAGES])
def test_every_message_has_a_section_and_a_line_in_the_index(kind: type) -> None:
    assert f"\n### {tag(kind)}\n" in PAGE
    assert f"[`{tag(kind)}`](#{tag(kind)})" in PAGE


def test_every_link_within_the_page_leads_somewhere() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= headings


def test_the_page_tells_the_rule_for_names_and_the_usual_port() -> None:
    assert f"1 to {LONGEST_NAME} characters" in PAGE
    assert all(f"{mark}" in PAGE[PAGE.index("A **name**") :] for mark in MARKS)
    assert f"ws://127.0.0.1:{ServerConfig().port}" in PAGE


def test_every_message_has_its_fullest_example_on_the_page_and_two_have_their_bytes() -> None:
    for kind in (*CLIENT_MESSAGES, *SERVER_MESSAGES):
        examples = [vector.json for vector in VECTORS.messages if json.loads(vector.json)["type"] == tag(kind)]
        assert f"```json\n{max(examples, key=len)}\n```" in PAGE, tag(kind)
    dumped = [vector.name for vector in VECTORS.messages if vector.msgpack in PAGE.replace("\n", "")]
    assert dumped == ["hello, a whole bot's", "move"]


def test_every_field_of_every_message_and_part_is_on_the_page_with_its_meaning() -> None:
    for name, schema in SCHEMA["$defs"].items():
        for field, described in schema.get("properties", {}).items():
            if field != "type":
                assert re.search(rf"^\* `{field}` \(.*{re.escape(described['description'])}$", PAGE, re.MULTILINE), name


def test_the_page_tells_the_reserved_names_and_every_notice() -> None:
    rule = PAGE[PAGE.index("Reserved are") :]
    assert set(re.findall(r"`(\w+)`", rule[: rule.index("\n*")])) == RESERVED
    kinds = {vector.json.split('"kind":"')[1].split('"')[0] for vector in VECTORS.messages if '"kind"' in vector.json}
    for kind in kinds | {
        "match_frozen",
        "match_waits",
        "seek_waits",
        "bad_info",
        "tournament_paused",
        "tournament_ended",
    }:
        assert f"`{kind}`" in PAGE[PAGE.index("## More than playing") : PAGE.index("## When something is wrong")]


def test_the_page_tells_the_limits_of_a_match() -> None:
    config = ServerConfig()
    for name in ("abandon_ms", "stall_limit_ms", "illegal_limit"):
        assert f"| `{name}` | {getattr(config, name):,} |" in PAGE
    policy = MatchPolicy()
    assert f"| {policy.open_wait_ms // 1_000} s |" in PAGE
    assert f"| messages during a save | {policy.waiting_per_seat} |" in PAGE


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def validator(definition: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{definition}"})


def test_the_schema_accepts_every_example_on_its_side_and_not_on_the_other() -> None:
    sides = {"client": validator("ClientMessage"), "server": validator("ServerMessage")}
    for vector in VECTORS.messages:
        accepted = {side for side, schema in sides.items() if schema.is_valid(json.loads(vector.json))}
        assert accepted == {vector.sender}, vector.name


def test_the_schema_accepts_what_the_vectors_call_readable() -> None:
    for vector in VECTORS.readable:
        assert validator("ClientMessage").is_valid(json.loads(vector.json)), vector.name


def test_the_schema_refuses_what_the_codec_refuses() -> None:
    exceptions = {"a match number with a point"}  # to JSON Schema 7.0 is an integer
    refused = [each for each in VECTORS.refused if each.encoding == "json" and each.answer != "garbage"]
    assert len(refused) > 5
    for vector in refused:
        valid = validator("ClientMessage").is_valid(json.loads(vector.frame))
        assert valid is (vector.name in exceptions), vector.name
