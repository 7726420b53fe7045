"""Following what is new in a match: from any ply, made once for all, and the last word for certain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tabiya.protocol.messages import Move, MoveInfo
from tabiya.server.web.live import match_moves, streams
from tests.server.web.live.event_reader import events_of
from tests.server.web.web_server import LINE, WebServer, web_server
from tests.waiting import WITHIN_S, until


async def events(
    web: WebServer, match: int, after: int, seat: int = 0, last: str | None = None
) -> AsyncIterator[dict[str, Any]]:
    """The events of a stream until it ends; an empty one for the word that the server closes."""
    query, headers = {"after": after, "seat": seat}, {} if last is None else {"Last-Event-ID": last}
    async with web.session.get(f"{web.url}/api/v1/matches/{match}/live", params=query, headers=headers) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "text/event-stream"
        async for event in events_of(answer):
            assert event.name in ("moves", "closing")
            assert event.number == str(event.data.get("ply", ""))
            yield event.data


async def test_every_follower_gets_what_it_lacks_and_the_end(web: WebServer) -> None:
    match = await web.begin("a1 a2 b1 b2")
    await web.at_ply(match, 4)
    seen: dict[int, list[dict[str, Any]]] = {after: [] for after in (0, 2, 4)}

    async def follow(after: int) -> None:
        async for event in events(web, match, after):
            seen[after].append(event)
            if all(seen.values()) and len(seen[after]) == 1:
                web.bots["ada"].say(Move(match=match, ply=4, move="c1"))

    await asyncio.gather(*map(follow, seen))
    for after, received in seen.items():
        assert [move["ply"] for event in received for move in event["moves"]] == [*range(after + 1, 6)]
        for before, event in zip([after, *(event["ply"] for event in received)], received, strict=False):
            assert event["after"] == before
        first, *_, last = received
        assert (first["status"], first["to_move"], first["result"]) == ("running", 0, None)
        assert first["clock_ms"][0] > 50_000
        assert first["html"].keys() == {"last"}
        assert "<bdi>ada</bdi> is thinking" in first["html"]["last"]
        assert (last["status"], last["to_move"]) == ("ended", None)
        assert last["result"]["sentence"] == "ada completed a line against bob"
        assert {"head", "facts", "player-0", "player-1", "last"} == last["html"].keys()
        assert "<bdi>ada</bdi> completed a line against <bdi>bob</bdi>" in last["html"]["head"]
    assert web.dispatcher.runner.spectators.watchers(match) == 0
    [event] = [event async for event in events(web, match, 3)]
    assert (event["after"], event["status"], [move["move"] for move in event["moves"]]) == (3, "ended", ["b2", "c1"])


async def test_a_row_is_that_of_the_page_and_boards_continue_its_document(web: WebServer) -> None:
    match = await web.begin("", game="chess")
    info = MoveInfo(score=30, depth=4, nodes=1_000, pv=("e2e4", "e7e5"))
    web.bots["ada"].say(Move(match=match, ply=0, move="e2e4", info=info))
    await web.at_ply(match, 1)
    web.bots["bob"].say(Move(match=match, ply=1, move="c7c5"))
    await web.at_ply(match, 2)
    page = (await web.get(f"/matches/{match}")).text
    for seat in (0, 1):
        boards = await web.json(f"/api/v1/matches/{match}/boards?seat={seat}")
        async for event in events(web, match, 0, seat):
            assert [move["board"] for move in event["moves"]] == boards["boards"][1:]
            new = [part for move in event["moves"] for part in move["parts"]]
            assert new == boards["parts"][len(boards["parts"]) - len(new) :]
            assert event["moves"][0]["board"]["expected"] == ([[51, 21, 51, 41]] if seat == 0 else [[41, 71, 41, 51]])
            for move in event["moves"]:
                assert move["page"]["row"] in "".join(map(str.strip, page.splitlines()))
            assert (event["moves"][0]["page"]["point"], event["moves"][1]["page"]["point"]) == ("1,36.6", "")
            break


async def test_a_browser_that_comes_again_says_by_itself_what_it_has(web: WebServer) -> None:
    match = await web.play(LINE)
    [event] = [event async for event in events(web, match, 0, last="4")]
    assert (event["after"], event["ply"]) == (4, 5)
    [event] = [event async for event in events(web, match, 1, last="x")]
    assert event["after"] == 1


async def test_a_client_with_unknown_moves_gets_all_moves(web: WebServer) -> None:
    match = await web.play(LINE)
    [event] = [event async for event in events(web, match, 9)]
    assert (event["after"], len(event["moves"])) == (0, 5)


async def test_an_event_is_made_once_for_all_who_have_the_same(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    made: list[tuple[int, int]] = []
    tell = match_moves.FollowedMatch._render

    def counted(self: match_moves.FollowedMatch, saved: Any, first: int, seat: int) -> None:
        made.append((first, seat))
        tell(self, saved, first, seat)

    monkeypatch.setattr(match_moves.FollowedMatch, "_render", counted)
    arrived = 0

    async def follow() -> None:
        nonlocal arrived
        async for event in events(web, match, 2):
            arrived += 1
            if arrived == 20:
                web.bots["ada"].say(Move(match=match, ply=2, move="b1"))
            if event["ply"] == 3:
                return

    await asyncio.gather(*(follow() for _ in range(20)))
    assert made == [(3, 0)]


async def test_a_match_that_freezes_ends_the_stream(web: WebServer, errors_expected: None) -> None:
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    seen: list[dict[str, Any]] = []
    async for event in events(web, match, 2):
        if not seen:
            await web.freeze(match)
        seen.append(event)
    assert (seen[0]["status"], seen[-1]["status"]) == ("running", "frozen")
    assert "A server error stopped this match" in seen[-1]["html"]["head"]
    [event] = [event async for event in events(web, match, 1)]
    assert (event["status"], len(event["moves"])) == ("frozen", 1)


async def test_a_client_that_does_not_read_delays_nobody_and_skips_no_move(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        match_moves, "MOST_UNREAD_BYTES", 0
    )  # as if nobody read: all are brought up to date by themselves
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    plies: list[int] | None = None
    async for event in events(web, match, 2):
        if plies is None:
            plies = []
            for ply, (name, move) in enumerate((("ada", "b1"), ("bob", "b2"), ("ada", "c1")), start=2):
                web.bots[name].say(Move(match=match, ply=ply, move=move))
                if ply < 4:
                    await web.at_ply(match, ply + 1)
        plies += [move["ply"] for move in event["moves"]]  # none in a state that comes again
    assert plies == [3, 4, 5]


async def test_a_quiet_match_is_heard_to_beat_and_who_goes_away_is_forgotten(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.001)
    match = await web.begin("")
    async with web.session.get(f"{web.url}/api/v1/matches/{match}/live?after=0") as answer:
        async for line in answer.content:
            if line == b": beat\n":
                break
        assert web.dispatcher.runner.spectators.watchers(match) == 1
    await until(lambda: not web.dispatcher.runner.spectators.watchers(match))


async def test_the_last_word_of_a_stream_is_that_the_server_closes() -> None:
    async with web_server() as web:
        match = await web.begin("")
        seen = []
        async for event in events(web, match, 0):
            seen.append(event.get("status"))
            if len(seen) == 1:
                await web.server.stop()
        assert seen == ["running", None]


async def test_a_seat_and_a_ply_that_cannot_be_are_refused(web: WebServer) -> None:
    match = await web.play(LINE)
    (await web.get(f"/api/v1/matches/{match}/live?after=-1")).assert_refused(400, "after")
    (await web.get(f"/api/v1/matches/{match}/live?after=0&seat=2")).assert_refused(400, "seat")


@pytest.mark.parametrize("gives_way_s", [600.0, 0.0])
async def test_followers_wait_while_a_move_is_being_saved_and_not_for_long(
    web: WebServer, monkeypatch: pytest.MonkeyPatch, gives_way_s: float
) -> None:
    saving, broadcast = list[int](), match_moves.FollowedMatch.broadcast

    async def broadcast_while_saving(followed: match_moves.FollowedMatch) -> None:
        saving[:] = [1] * (followed._detail.plies > 2)  # a broadcast of before would wait with nothing to tell
        await broadcast(followed)

    monkeypatch.setattr(match_moves, "BATCH_SIZE", 1)
    monkeypatch.setattr(match_moves, "MAX_BROADCAST_WAIT_S", gives_way_s)
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    plies = {0: 0, 1: 0}

    async def follow(number: int) -> None:
        async for event in events(web, match, 2):
            plies[number] = event["ply"]
            if event["ply"] == 3:
                return

    following = [asyncio.ensure_future(follow(number)) for number in plies]
    async with asyncio.timeout(WITHIN_S):
        await until(lambda: sorted(plies.values()) == [2, 2])
        monkeypatch.setattr(type(web.store), "waiting", property(lambda store: sum(saving)))
        monkeypatch.setattr(match_moves.FollowedMatch, "broadcast", broadcast_while_saving)
        web.bots["ada"].say(Move(match=match, ply=2, move="b1"))
        if gives_way_s:
            await until(lambda: sorted(plies.values()) != [2, 2])
            await asyncio.sleep(0.02)
            assert sorted(plies.values()) == [2, 3]
            saving.clear()
        await asyncio.gather(*following)


async def test_a_client_of_http_1_0_gets_the_events_without_chunks(web: WebServer) -> None:
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    reader, writer = await asyncio.open_connection("127.0.0.1", web.server.pages_port)
    writer.write(f"GET /api/v1/matches/{match}/live?after=2 HTTP/1.0\r\n\r\n".encode())
    received = await reader.readuntil(b'"ply":2')
    web.bots["ada"].say(Move(match=match, ply=2, move="b1"))
    received += await reader.readuntil(b'"ply":3')
    assert b"chunked" not in received
    assert received.count(b"\n\nevent: moves\nid: ") == 2
    writer.close()
