"""The reference page and the JSON Schema: fresh, complete, and true."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tabiya.games.endings import Ending
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from tabiya.protocol.reference import PAGE_PATH, ROOT, SCHEMA_PATH, VECTORS_PATH, documents
from tabiya.protocol.reference.__main__ import main
from tabiya.protocol.reference.page import MARK, page, tag
from tabiya.protocol.reference.vectors import read_vectors
from tabiya.server.accounts.names import LONGEST_NAME, MARKS, RESERVED
from tabiya.server.config import ServerConfig
from tabiya.server.core.policy import MatchPolicy

VECTORS = read_vectors(ROOT)
PAGE = (ROOT / PAGE_PATH).read_text("utf-8")
SCHEMA = json.loads((ROOT / SCHEMA_PATH).read_text("utf-8"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A root with nothing but the documents of the protocol."""
    for path in (PAGE_PATH, SCHEMA_PATH, VECTORS_PATH):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


def test_the_committed_documents_are_fresh() -> None:
    assert {path: (ROOT / path).read_bytes().decode() for path in documents()} == documents()


def test_check_is_silent_about_fresh_documents(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], copy) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("path", [PAGE_PATH, SCHEMA_PATH])
def test_check_names_the_stale_document_and_writing_mends_it(
    path: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / path).write_text("old", encoding="utf-8")
    assert main(["--check"], copy) == 1
    assert (copy / path).read_text("utf-8") == "old"
    assert capsys.readouterr().err == f"{path} is stale: run `make docs` and commit it\n"
    assert main([], copy) == 0
    assert main(["--check"], copy) == 0


def test_check_names_a_missing_document(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / SCHEMA_PATH).unlink()
    assert main(["--check"], copy) == 1
    assert SCHEMA_PATH in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_documents_do_not_depend_on_the_hash_seed(seed: str) -> None:
    command = [sys.executable, "-m", "tabiya.protocol.reference", "--check"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    assert subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def test_no_mark_is_left_on_the_page() -> None:
    assert not MARK.search(PAGE)


def test_a_mark_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError, match="moon"):
        page("{{moon}}", VECTORS)


@pytest.mark.parametrize("code", list(RefusalCode))
def test_every_refusal_is_on_the_page(code: RefusalCode) -> None:
    assert f"| `{code.value}` |" in PAGE


@pytest.mark.parametrize("code", list(CloseCode))
def test_every_close_code_is_on_the_page(code: CloseCode) -> None:
    assert f"| {code.value} | {code.name.lower()} |" in PAGE


@pytest.mark.parametrize("ending", list(Ending))
def test_every_ending_is_on_the_page(ending: Ending) -> None:
    assert f"| `{ending.value}` |" in PAGE


def test_the_page_knows_no_ending_that_the_games_do_not() -> None:
    section = PAGE[PAGE.index("## Endings") : PAGE.index("## Limits")]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(Ending)


@pytest.mark.parametrize("name", WireLimits.__struct_fields__)
def test_every_limit_is_on_the_page(name: str) -> None:
    assert f"| `{name}` |" in PAGE


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


def test_every_example_stands_on_the_page_and_two_of_them_with_their_bytes() -> None:
    for vector in VECTORS.messages:
        assert f"```json\n{vector.json}\n```" in PAGE, vector.name
    dumped = [vector.name for vector in VECTORS.messages if vector.msgpack in PAGE.replace("\n", "")]
    assert dumped == ["hello, a whole bot's", "move"]


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
