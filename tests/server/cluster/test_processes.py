"""`tabiya serve --processes`: several processes hold bots and play on one SQLite file; any of them may be killed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from pathlib import Path

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage

from tabiya.protocol.messages import Hello, MatchEnded, Seek, Turn, Welcome
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId
from tests.live import PATIENCE_S, PlainBot, ServerProcess, connected, eventually, served
from tests.server.cluster.cluster import QUICK, answer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

AT_PLY = 10  # something is killed
WARM_S = 250.0  # three processes load the rules


def hosts_of(server: ServerProcess) -> dict[int, psutil.Process]:
    """The processes of a server that play, by the numbers of their hosts."""
    place, found = "tabiya.processes.host_of_server", {}
    for process in psutil.Process(server.process.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):  # it ends just now
            words = process.cmdline()
            if place in words:
                found[int(words[words.index(place) + 1])] = process
    return found


class Player:
    """A bot that comes back whenever its line is lost. plies: of the turns that it was told, each once."""

    def __init__(self, name: str) -> None:
        self.name, self.url, self.plies = name, "", list[int]()
        self.match = 0
        self.pause = asyncio.Event()
        self.pause.set()

    async def plays(self, game: str) -> MatchEnded:
        """Seek a match and play it to its end, waiting where it is paused."""
        resume, seek = "", True
        while True:
            try:
                async with connected(self.url) as bot:
                    await bot.say(Hello(name=self.name, resume=resume))
                    welcome = await bot.receives(Welcome)
                    resume = welcome.resume
                    if seek:
                        await bot.say(Seek(game=game, time="60+0"))
                    seek = False
                    return await self._answers(bot)
            except (ConnectionClosed, InvalidMessage, OSError):
                await asyncio.sleep(0.05)

    async def _answers(self, bot: PlainBot) -> MatchEnded:
        while not isinstance(message := await bot.hear(), MatchEnded):
            if isinstance(message, Turn):
                self.match = message.match
                if not self.plies or message.ply > self.plies[-1]:
                    self.plies.append(message.ply)
                if message.ply >= AT_PLY:
                    await self.pause.wait()
                await answer(bot, message)
        return message


async def test_bots_of_two_processes_play_and_all_ends_in_order(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    async with served(file, "--processes", "2", warm_s=WARM_S) as server:
        hosts = hosts_of(server)
        assert len(hosts) == 2
        players = [Player(f"p{number}") for number in range(12)]
        for player in players:
            player.url = server.url
        async with asyncio.timeout(3 * PATIENCE_S):  # a host that a busy machine starves is replaced meanwhile
            ends = await asyncio.gather(*(player.plays(QUICK) for player in players))
        assert [end.winner for end in ends].count(None) == 0
        code, log = await server.end()
        assert (code, "Traceback" in log) == (0, False), log
        assert not any(process.is_running() for process in hosts.values())
    store = await open_store(str(file), create=False)
    assert {(await store.match(MatchId(number))).host for number in range(1, 7)} <= set(hosts)  # type: ignore[union-attr]
    assert await store.check() == []
    await store.close()


@pytest.mark.parametrize("killed", ["host", "server"])
async def test_a_match_goes_on_when_its_process_is_killed_and_when_the_server_is(tmp_path: Path, killed: str) -> None:
    file = tmp_path / "games.db"
    ada, bob = Player("ada"), Player("bob")
    async with served(file, "--processes", "2", warm_s=WARM_S) as first:
        for player in (ada, bob):
            player.url = first.url
            player.pause.clear()
        playing = asyncio.gather(*(player.plays("reversi") for player in (ada, bob)))
        await eventually(lambda: AT_PLY in ada.plies + bob.plies)
        store = await open_store(str(file), create=False)
        host = (await store.hosts_of_matches())[MatchId(ada.match)]
        if killed == "host":
            hosts_of(first)[host].kill()
            await _play_on(first, ada, bob, playing)
            new = hosts_of(first)
            assert (len(new), host in new) == (2, False)
            code, log = await first.end()
            assert (code, "Traceback" in log) == (0, False), log
        else:
            hosts = hosts_of(first)
            first.process.kill()
            await first.process.wait()
            await eventually(lambda: not any(process.is_running() for process in hosts.values()))
            async with served(file, "--processes", "2", warm_s=WARM_S) as second:
                await _play_on(second, ada, bob, playing)
        assert (await store.match(MatchId(ada.match))).host != host  # type: ignore[union-attr]
        rows = await store.moves(MatchId(ada.match))
        assert [row.ply for row in rows] == list(range(len(rows)))
        assert sorted(ada.plies + bob.plies) == [row.ply for row in rows if not row.opening]
        assert await store.check() == []
        await store.close()


async def _play_on(server: ServerProcess, ada: Player, bob: Player, playing: asyncio.Future[list[MatchEnded]]) -> None:
    for player in (ada, bob):
        player.url = server.url
        player.pause.set()
    async with asyncio.timeout(2 * PATIENCE_S):
        one, other = await playing
    assert (one.match, one.winner, one.ending) == (other.match, other.winner, "more_discs")


async def test_a_process_that_stands_still_is_killed_and_replaced(tmp_path: Path) -> None:
    async with served(tmp_path / "games.db", "--processes", "2", warm_s=WARM_S) as server:
        still = min(hosts_of(server).items())
        still[1].send_signal(signal.SIGSTOP)
        await eventually(lambda: len(hosts := hosts_of(server)) == 2 and still[0] not in hosts)
