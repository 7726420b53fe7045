"""The same bot in six languages: each compiles, has full marks, and plays on a server that wants tokens."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
from collections.abc import AsyncIterator

import pytest

from tabiya.games.registry import names
from tests.examples.toolchains import (
    EXAMPLES,
    HEADERS,
    LANGUAGES,
    LIBRARIES,
    PROGRAMS,
    ROOT,
    Command,
    Language,
    Missing,
    command_of,
)
from tests.live import live_server
from tests.programs import missing
from tests.tabiya.check.test_real_bots import checked

COMPILES = pytest.mark.timeout(400)  # the first time, on a machine with much else to do
NOT_ASKED_OF_IT = {"no-list", "at-once", "encodings"}  # it takes the list, plays one match at a time, speaks JSON


def command(language: Language) -> Command:
    """What starts the example; skips the test where that cannot be had, and fails it where everything must be there."""
    try:
        return command_of(language)
    except Missing as error:
        missing(f"examples/{language.source} is not tried: {error}")


def commands() -> dict[str, Command]:
    """What starts each example that can be had here, by language."""
    found = {}
    for language in LANGUAGES.values():
        with contextlib.suppress(Missing):
            found[language.name] = command_of(language)
    return found


def test_every_folder_of_a_language_is_tested() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert folders - {"games", "openspiel", "players"} == set(LANGUAGES)


@pytest.mark.slow
@COMPILES
@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.name)
def test_an_example_is_one_file_of_fewer_than_a_hundred_lines_and_compiles_without_a_warning(
    language: Language,
) -> None:
    lines = [line for line in language.path.read_text("utf-8").splitlines() if line.strip()]
    assert len(lines) < 100
    assert max(map(len, lines)) <= 120
    assert command(language)


@pytest.mark.slow
@COMPILES
async def test_every_example_has_full_marks_in_the_check_and_does_all_extras() -> None:
    """All at once: most of a check is waiting."""
    found = commands()
    checks = await asyncio.gather(*(checked(shlex.join(words)) for words in found.values()))
    for language, (report, printed) in zip(found, checks, strict=True):
        unearned = {one["name"]: one["cause"] for one in report["scenarios"] if one["status"] != "passed"}
        assert unearned.keys() == NOT_ASKED_OF_IT, f"{language}: {unearned}\n{printed}"
        assert (report["ready"], report["percent"]) == (True, 100)
        assert report["extra_points"] == report["extra_possible"] > 0
        assert report["games"] == list(names())


@contextlib.asynccontextmanager
async def started(words: Command, token: str, name: str = "") -> AsyncIterator[asyncio.StreamReader]:
    """A bot as a process, killed in the end; what it prints. name: for its environment."""
    process = await asyncio.create_subprocess_exec(
        *words,
        env=os.environ | {"TABIYA_TOKEN": token} | ({"TABIYA_NAME": name} if name else {}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def line_with(words: str, printed: asyncio.StreamReader) -> str:
    """The first line with these words in it."""
    async for line in printed:
        if words in line.decode():
            return line.decode()
    raise AssertionError(f"it ended without a word of {words}")


@pytest.mark.slow
@COMPILES
async def test_the_examples_play_each_other_by_their_names_with_their_tokens() -> None:
    found = commands()
    bots = {f"{language} bot": words for language, words in found.items()} | {"a second": found["python"]}
    async with live_server(open_registration=False, invite_secret="tulip") as server, contextlib.AsyncExitStack() as on:
        printed = []
        for name, words in bots.items():
            _, token = await server.accounts.register(name, "tulip")
            arguments = (server.websocket_url, name, "tictactoe")
            printed.append(await on.enter_async_context(started((*words, *arguments), token)))
        async with asyncio.timeout(60):
            await asyncio.gather(*(line_with("tictactoe", lines) for lines in printed))
        matches = await server.store.list_matches()
        assert {seat.bot for match in matches for seat in match.seats} == set(bots)


@pytest.mark.slow
@COMPILES
async def test_the_examples_take_their_names_from_the_environment_as_in_a_class_run() -> None:
    async with live_server(open_registration=False, invite_secret="tulip") as server, contextlib.AsyncExitStack() as on:
        printed = []
        for language, words in commands().items():
            _, token = await server.accounts.register(f"{language} bot", "tulip")
            printed.append(
                await on.enter_async_context(started((*words, server.websocket_url), token, f"{language} bot"))
            )
        async with asyncio.timeout(60):
            await asyncio.gather(*(line_with("-", lines) for lines in printed))  # a result: a refused bot prints none


@pytest.mark.slow
@COMPILES
async def test_the_examples_print_why_the_server_closed_the_connection_and_end() -> None:
    async with live_server(open_registration=False, invite_secret="tulip") as server, contextlib.AsyncExitStack() as on:
        printed = []
        for words in commands().values():
            arguments = (server.websocket_url, "ada")
            printed.append(await on.enter_async_context(started((*words, *arguments), "of somebody else")))
        async with asyncio.timeout(60):
            await asyncio.gather(*(line_with("the token does not belong to this name", lines) for lines in printed))
            await asyncio.gather(*(lines.read() for lines in printed))  # to the end


def test_what_is_missing_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.examples.toolchains.shutil.which", lambda name: None)
    for language in LANGUAGES.values():
        if language.name == "python":
            continue
        with pytest.raises(Missing, match=r"^there is no \S+ here; Debian's package is ") as missing:
            command_of(language)
        assert "\n" not in str(missing.value)


def test_the_page_and_the_set_up_name_the_package_of_everything_that_may_be_missing() -> None:
    page = (ROOT / "docs/how-to/another-language.md").read_text("utf-8")
    set_up = (ROOT / "scripts/setup.sh").read_text("utf-8")
    for package in (*PROGRAMS.values(), *HEADERS.values(), *LIBRARIES.values()):
        assert package.split()[0] in page.replace("`", " ").split()
        assert package.split()[0] in re.split(r"[\s()]+", set_up)
    for language in LANGUAGES.values():
        assert f"(../../examples/{language.source})" in page
