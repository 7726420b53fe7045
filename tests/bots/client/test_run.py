"""`run` as a script calls it: in a process of its own, ended by Ctrl-C, by its number of matches and by mistakes."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest

from tabiya.bots.client.bot import Bot, name_of
from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.events import Connected, Disconnected, Event, MatchBegan, MatchOver, printer
from tabiya.bots.client.run import run, run_async, run_config, seeks_of
from tabiya.bots.client.summary import Summary
from tabiya.protocol.codec import Encoding
from tabiya.protocol.messages import Hello, Move, Seek
from tests.bots.client.fake_server import GAME, FakeServer, ended, fake_server, started, turn, welcome
from tests.bots.client.running_bot import Amy
from tests.source_rules.sources import ROOT
from tests.waiting import WITHIN_S

SCRIPT = """
from tabiya import Bot, run

class Amy(Bot):
    needs_rules = False
    def choose(self, turn):
        if turn.match == 99:
            import time
            time.sleep(1000)
        return turn.legal_moves[0]

print(run(Amy(), {address!r}, seek={game!r}, matches={matches!r}))
"""


async def script(server: FakeServer, matches: int | None = None) -> asyncio.subprocess.Process:
    """The script of an author as a process, which hears Ctrl-C even if the tests run where nobody does."""
    program = SCRIPT.format(address=server.url, game=GAME, matches=matches)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


async def ending(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    out, err = await asyncio.wait_for(process.communicate(), WITHIN_S)
    return process.returncode, out.decode(), err.decode()


def test_a_class_in_place_of_a_bot_gives_one_sentence() -> None:
    with pytest.raises(SystemExit, match=r"^tabiya: a bot is an object, not its class; write run\(Amy\(\), \.\.\.\)$"):
        run(Amy, "localhost:1")  # type: ignore[arg-type]


@pytest.mark.slow
async def test_a_script_plays_its_matches_and_goes_on_with_the_summary() -> None:
    async with fake_server() as server:
        process = await script(server, matches=1)
        peer = await server.connection()
        assert (await peer.welcome()).name == "Amy"
        await peer.send(started(), turn())
        await peer.receive()  # unseek
        assert (await peer.expect(Move)).move == "a1"
        await peer.send(ended())
        status, out, err = await ending(process)
    assert (status, out) == (0, "Amy: 1 won, 0 drawn, 0 lost\n")
    assert err.splitlines() == [
        f"tabiya: connected to {server.url} as Amy",
        "tabiya: match 1: tictactoe, amy against bea, 60+0",
        "tabiya: match 1: won, completed",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("sign", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
async def test_a_script_ends_cleanly_on_a_signal_even_while_its_bot_thinks(sign: signal.Signals, status: int) -> None:
    async with fake_server() as server:
        process = await script(server)
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn(99))
        await peer.quiet()
        process.send_signal(sign)
        assert await peer.gone() == 1001
        code, _, err = await ending(process)
    assert code == status
    assert "Traceback" not in err


def test_a_mistake_is_one_sentence_and_an_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(Bot(), "nowhere")
    assert str(caught.value).startswith("tabiya: 'nowhere' has no port; write HOST:PORT")


async def test_run_async_tells_its_listener_and_without_one_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    reported = list[Event]()
    async with fake_server() as server:
        for listener in (reported.append, None):
            running = asyncio.create_task(run_async(Amy(), server.url, seek="ludo", listener=listener))
            await (await server.connection()).welcome()
            with pytest.raises(ClientError, match="no game 'ludo'"):
                await running
    assert [type(event) for event in reported] == [Connected]
    assert capsys.readouterr().err == f"tabiya: connected to {server.url} as amy\n"


async def test_inside_a_running_loop_run_says_what_to_write() -> None:
    with pytest.raises(SystemExit, match=r"await run_async"):
        run(Bot(), "localhost:1")


def test_a_bot_is_called_by_its_class_unless_it_has_a_name() -> None:
    class Amy(Bot):
        pass

    class Bea(Bot):
        name = "bea the second"

    class _Cy(Bot):  # servers take no name that begins with a mark
        pass

    assert (name_of(Amy()), name_of(Bea()), name_of(_Cy())) == ("Amy", "bea the second", "Cy")


def test_what_seek_may_be() -> None:
    assert seeks_of("nim") == (Seek(game="nim"),)
    assert seeks_of(["nim", GAME], time="2/move") == (Seek(game="nim", time="2/move"), Seek(game=GAME, time="2/move"))
    own = Seek(game="nim", options={"misere": True})
    assert seeks_of(own, time="2/move") == (own,)
    assert seeks_of("") == seeks_of(()) == ()


def test_the_encoding_asked_for_is_the_only_one_offered() -> None:
    assert run_config(Bot(), "h:1", encoding="json").encodings == (Encoding.JSON,)
    assert run_config(Bot(), "h:1").encodings == (Encoding.MSGPACK, Encoding.JSON)


@pytest.mark.parametrize("options", [{"encoding": "xml"}, {"on_error": "panic"}])
def test_an_unknown_word_is_an_error(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        run_config(Bot(), "h:1", **options)  # type: ignore[arg-type]


async def test_a_bot_without_choose_gives_an_error() -> None:
    with pytest.raises(NotImplementedError, match="Bot needs a method choose"):
        Bot().choose(None)  # type: ignore[arg-type]


def test_events_as_people_read_them(capsys: pytest.CaptureFixture[str]) -> None:
    write = printer()
    write(Connected("ws://h:1", welcome("amy", authenticated=False)))
    write(Connected("ws://h:1", welcome("amy", authenticated=False, rated=False)))
    write(Connected("ws://h:1", welcome("amy"), seeks=False))
    write(MatchBegan(started(4)))
    write(MatchOver(ended(4, score=None)))
    write(Disconnected("the connection broke", 1.25))
    assert capsys.readouterr().err.splitlines() == [
        "tabiya: connected to ws://h:1 as amy (without a token)",
        "tabiya: connected to ws://h:1 as amy (without a token: only games of tournaments are rated)",
        "tabiya: connected to ws://h:1 as amy; it seeks no games, so it waits for challenges and tournaments",
        "tabiya: match 4: tictactoe, amy against bea, 60+0",
        "tabiya: match 4: no result, completed",
        "tabiya: the connection broke; trying again in 1.2 s",
    ]


def test_a_summary_counts_by_score() -> None:
    summary = Summary("amy")
    for score in (1.0, 1.0, 0.5, 0.0, None):
        summary = summary.counting(score)
    assert (summary.played, str(summary)) == (5, "amy: 2 won, 1 drawn, 1 lost, 1 without a score")


def test_hello_names_the_library() -> None:
    from tabiya.bots.client.session import Session

    hello: Hello = Session(run_config(Bot(), "h:1").session).hello()
    assert hello.client.startswith("tabiya-python")
