"""The bus of one machine: everybody hears everybody, no matter who comes first, and a killed one is forgotten."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from tabiya.server.cluster import unix_bus
from tabiya.server.cluster.bus import BusError
from tabiya.server.cluster.unix_bus import UnixBus
from tests.live import eventually

SUBJECT = "tabiya.test"


async def joined(folder: Path, received: list[bytes]) -> UnixBus:
    bus = await UnixBus.connect(f"unix:{folder}")
    await bus.subscribe(SUBJECT, received.append)
    return bus


async def test_published_messages_arrive_in_order_at_everybody_and_at_the_sender(tmp_path: Path) -> None:
    received: list[list[bytes]] = [[], [], []]
    folder = tmp_path / "bus"
    # two at the same moment, which find each other
    buses = [*await asyncio.gather(*(joined(folder, each) for each in received[:2])), await joined(folder, received[2])]
    for number in range(1_000):
        buses[2].publish(SUBJECT, b"%d" % number * 100)
    buses[2].publish("tabiya.nobody", b"")
    await eventually(lambda: all(len(each) == 1_000 for each in received))
    assert received == [[b"%d" % number * 100 for number in range(1_000)]] * 3
    for one, other in ((0, 1), (1, 0)):
        buses[one].publish(SUBJECT, b"%d" % one)
        await eventually(lambda one=one, other=other: received[other][-1] == b"%d" % one)  # type: ignore[misc]
    assert folder.stat().st_mode & 0o777 == 0o700
    for bus in buses:
        await bus.close()
    assert list(folder.iterdir()) == []


async def test_the_last_words_arrive_and_who_has_gone_is_told_nothing_more(tmp_path: Path) -> None:
    received: list[bytes] = []
    folder = tmp_path / "bus"
    stays, goes = await joined(folder, received), await joined(folder, [])
    for _ in range(100):
        goes.publish(SUBJECT, b"x" * 100_000)
    await goes.close()
    await eventually(lambda: len(received) == 100)
    stays.publish(SUBJECT, b"after")
    await eventually(lambda: received[-1] == b"after")
    await stays.close()


async def test_messages_for_a_member_that_does_not_read_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unix_bus, "MOST_WAITING_BYTES", 1_000_000)
    received: list[bytes] = []
    folder = tmp_path / "bus"
    other, one = await joined(folder, received), await joined(folder, [])
    for number in range(100):  # in one turn of the loop
        one.publish(SUBJECT, b"%d" % number + bytes(100_000))
    await eventually(lambda: bool(received))
    one.publish(SUBJECT, b"last")
    await eventually(lambda: received[-1] == b"last")
    assert 10 <= len(received) < 50
    for bus in (one, other):
        await bus.close()


async def test_a_socket_that_a_killed_process_has_left_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "bus"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "left"))
    bus = await joined(folder, [])
    assert not (folder / "left").exists()
    await bus.close()


async def test_one_that_stands_still_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unix_bus, "PEER_TIMEOUT_S", 0.01)
    folder = tmp_path / "bus"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as still:
        still.bind(str(folder / "still"))
        still.listen()
        received: list[bytes] = []
        bus = await joined(folder, received)
        bus.publish(SUBJECT, b"all the same")
        await eventually(lambda: received == [b"all the same"])
        await bus.close()


@pytest.mark.usefixtures("errors_expected")
async def test_an_error_about_one_message_is_logged_and_the_next_arrives(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    numbers: list[int] = []
    other = await UnixBus.connect(f"unix:{tmp_path / 'bus'}")
    await other.subscribe(SUBJECT, lambda data: numbers.append(int(data)))
    one = await joined(tmp_path / "bus", [])
    for data in (b"none", b"7"):
        one.publish(SUBJECT, data)
    await eventually(lambda: numbers == [7])
    assert [record.message for record in caplog.records] == ["an internal error about what came on tabiya.test"]
    for bus in (one, other):
        await bus.close()


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    return tmp_path


async def test_a_folder_that_others_can_use_is_refused(open_folder: Path) -> None:
    with pytest.raises(BusError, match=r"other users can open the bus's folder .*: chmod 700"):
        await UnixBus.connect(f"unix:{open_folder}")


@pytest.mark.parametrize("folder", ["missing/bus", "x" * 120])
async def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path, folder: str) -> None:
    with pytest.raises(BusError, match="cannot be used: "):
        await UnixBus.connect(f"unix:{tmp_path / folder}")
