"""What a long run waits for before it says that something was left behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from scripts.long_runs.harness.watching import PASSING, Sample, WatchedServer, left_over

BEFORE: Sample = dict.fromkeys(PASSING, 0) | {"tasks": 3, "sockets": 2}


def server_that_tells(monkeypatch: pytest.MonkeyPatch, samples: list[Sample]) -> WatchedServer:
    nobody: Any = None
    server, reported = WatchedServer(nobody, Path()), iter(samples)

    async def next_sample() -> Sample:
        try:
            server.samples.append(next(reported))
        except StopIteration:
            raise TimeoutError from None
        return server.samples[-1]

    monkeypatch.setattr(server, "next_sample", next_sample)
    return server


@pytest.mark.parametrize("what", PASSING)
async def test_it_waits_until_nothing_is_left_of_what_came(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """A page that is still being read when all bots have gone has a socket and tasks for some moments more."""
    busy = BEFORE | {what: BEFORE[what] + 1}
    server = server_that_tells(monkeypatch, [busy, busy, BEFORE, busy])
    await server.quiet(BEFORE, 1_000)
    assert server.samples == [busy, busy, BEFORE]


@pytest.mark.parametrize("what", PASSING)
async def test_leftovers_are_reported(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    busy = BEFORE | {what: 9}
    server = server_that_tells(monkeypatch, [busy, busy])
    await server.quiet(BEFORE, 1_000)
    assert server.samples == [busy, busy]
    (sentence,) = left_over(BEFORE, busy)
    assert sentence == f"{what} are left when the peers are gone: 9, {BEFORE[what]} before they came"
    assert left_over(BEFORE, busy, but=[what]) == left_over(busy, BEFORE) == []


async def test_what_is_left_while_the_server_ends_is_no_sample() -> None:
    """In its shutdown a leaked task is cancelled with all others, and the last sample would be without it."""

    class Process:
        returncode = 0

        async def lines(self) -> AsyncIterator[bytes]:
            yield b'{"tasks": 4}\n'
            await server.end()
            yield b'{"tasks": 3}\n'
            yield b'{"left": []}\n'

        def __init__(self) -> None:
            self.stdout = self.lines()

    process: Any = Process()
    server = WatchedServer(process, Path())
    await server._read()
    assert (server.samples, server.last) == ([{"tasks": 4}], {"left": []})
