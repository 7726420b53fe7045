"""Clients of Lichess's API against bots of the protocol, on a real server over real HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from tabiya.bots.client.connection import Client
from tabiya.games.chess960.starts import STARTS, back_rank, start_fen
from tabiya.lichess import app, link
from tabiya.lichess.forms import USUAL_START
from tabiya.protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    ChallengeEnded,
    Decline,
    DrawOffer,
    MatchEnded,
    MatchStarted,
    Move,
    Resign,
    Seek,
    Turn,
    Welcome,
)
from tabiya.server.app import TabiyaServer
from tests.live import PlainBot, eventually, live_server, welcomed
from tests.tabiya.lichess.client import LichessClient, Stream, lichess_api, lichess_client, token_of

pytestmark = pytest.mark.slow

CHESS, CHESS960 = "chess", "chess960"
MATE = (("e2e4", "e7e5"), ("f1c4", "b8c6"), ("d1h5", "g8f6"))  # and f7 is mate


@contextlib.asynccontextmanager
async def begun(**challenge: Any) -> AsyncIterator[tuple[TabiyaServer, LichessClient, PlainBot, Stream, str]]:
    """A match that cid has challenged lia to and plays with the first move; the events of lia, and the game's name."""
    async with (
        lichess_client() as (server, lia),
        welcomed(server.websocket_url, "cid") as cid,
        lia.events() as events,
    ):
        usual: dict[str, Any] = {"opponent": "lia", "game": CHESS, "time": "60+1", "seat": 0, "opening": False}
        await cid.say(Challenge(**(usual | challenge)))
        name = (await events.event("challenge"))["challenge"]["id"]
        assert await lia.post(f"/api/challenge/{name}/accept") == (200, {"ok": True})
        assert (await events.event("gameStart"))["game"]["id"] == name
        yield server, lia, cid, events, name


async def plays(bot: PlainBot, move: str) -> Turn:
    """Answers the next turn."""
    turn: Turn = await bot.receives(Turn)
    await bot.say(Move(match=turn.match, ply=turn.ply, move=move))
    return turn


async def test_a_challenge_becomes_a_game_of_the_same_name_that_is_played_to_mate() -> None:
    async with begun() as (_, lia, cid, events, name), lia.game(name) as game:
        full = await game.event("gameFull")
        assert (full["id"], full["initialFen"], full["variant"]["key"]) == (name, "startpos", "standard")
        assert (full["white"]["name"], full["black"]["name"]) == ("cid", "lia")
        assert full["clock"] == {"initial": 60_000, "increment": 1_000}
        assert full["state"] | {"type": "gameState", "moves": "", "status": "started"} == full["state"]
        for number, (white, black) in enumerate(MATE):
            await plays(cid, white)
            state = await game.moves(2 * number + 1)
            assert state["moves"].endswith(white)
            assert await lia.move(name, black) == (200, {"ok": True})
            assert (await game.moves(2 * number + 2))["moves"].endswith(black)
        await plays(cid, "h5f7")
        last = await game.moves(7)
        while last["status"] == "started":
            last = await game.event("gameState")
        assert (last["status"], last["winner"]) == ("mate", "white")
        assert await game.line() is None  # no more: clients wait for the end of the stream
        finish = (await events.event("gameFinish"))["game"]
        assert (finish["status"], finish["winner"], finish["isMyTurn"]) == ({"id": 30, "name": "mate"}, "white", False)
        assert "4. Qxf7#" in await lia.text(f"/game/export/{name}")
        assert await lia.move(name, "e8f7") == (400, {"error": "Not your turn, or game already over"})
        async with lia.game(name) as again:
            assert (await again.event("gameFull"))["state"]["status"] == "mate"
            assert await again.line() is None


async def test_chess960_is_played_with_castling_as_the_kings_move_onto_its_rook() -> None:
    number = next(number for number in range(STARTS) if back_rank(number).endswith("KRB"))
    async with begun(game=CHESS960, options={"number": number}) as (_, lia, cid, _, name), lia.game(name) as game:
        full = await game.event("gameFull")
        assert (full["variant"]["key"], full["initialFen"]) == ("chess960", start_fen(number))
        await plays(cid, "f1g1")
        assert (await game.moves(1))["moves"] == "f1g1"
        assert await lia.move(name, "f8g8") == (200, {"ok": True})
        assert (await cid.receives(Turn)).last_move == "f8g8"


async def test_a_client_challenges_to_chess960_and_its_start_is_drawn() -> None:
    async with (
        lichess_client() as (server, lia),
        welcomed(server.websocket_url, "cid") as cid,
        lia.events() as events,
    ):
        asked = {"variant": "chess960", "clock.limit": 60, "clock.increment": 1}
        _, form = await lia.post("/api/challenge/cid", json=asked)
        assert (form["variant"]["key"], form["perf"]["name"]) == ("chess960", "Chess960")
        reported: Challenged = await cid.receives(Challenged)
        assert reported.game == CHESS960
        await cid.say(Accept(challenge=reported.challenge))
        game = (await events.event("gameStart"))["game"]
        assert (game["id"], game["variant"], game["perf"]) == (form["id"], form["variant"], "chess960")


async def test_a_move_that_is_not_legal_or_not_due_is_refused_and_costs_nothing() -> None:
    async with begun() as (_, lia, cid, _, name), lia.game(name) as game:
        await game.event("gameFull")
        assert await lia.move(name, "e7e5") == (400, {"error": "Not your turn, or game already over"})
        await plays(cid, "e2e4")
        await game.moves(1)
        assert (await lia.move(name, "e7e4"))[1]["error"].startswith("e7e4 is not legal in rnbqkbnr/")
        assert await lia.move(name, "e7e5") == (200, {"ok": True})
        assert (await cid.receives(Turn)).last_move == "e7e5"


async def test_a_draw_is_offered_with_a_move_and_accepted() -> None:
    async with begun() as (_, lia, cid, _, name), lia.game(name) as game:
        await plays(cid, "e2e4")
        await game.moves(1)
        await lia.move(name, "e7e5", "true")
        assert (await game.moves(2))["bdraw"] is True
        turn: Turn = await cid.receives(Turn)
        assert turn.draw_offered
        await cid.say(DrawOffer(match=turn.match, ply=turn.ply))
        assert (await game.event("gameState"))["status"] == "draw"


async def test_the_opponents_offer_is_told_and_accepted() -> None:
    async with begun() as (_, lia, cid, _, name), lia.game(name) as game:
        turn: Turn = await cid.receives(Turn)
        await cid.say(DrawOffer(match=turn.match, ply=turn.ply))
        await cid.say(Move(match=turn.match, ply=turn.ply, move="e2e4"))
        assert (await game.moves(1))["wdraw"] is True
        assert (await lia.post(f"/api/bot/game/{name}/draw/yes"))[0] == 200
        assert (await cid.receives(MatchEnded)).ending == "draw_agreed"


async def test_a_client_resigns_and_hears_of_the_others_resignation() -> None:
    async with begun() as (_, lia, cid, _, name):
        assert (await lia.post(f"/api/bot/game/{name}/resign"))[0] == 200
        assert (await cid.receives(MatchEnded)).ending == "resignation"
    async with begun() as (_, lia, cid, events, _):
        await cid.say(Resign(match=(await cid.receives(Turn)).match))
        assert (await events.event("gameFinish"))["game"]["winner"] == "black"


@pytest.mark.parametrize(("stopped", "reported"), [(False, ("resign", "black")), (True, ("unknownFinish", None))])
async def test_an_end_that_was_missed_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, stopped: bool, reported: tuple[str, str | None]
) -> None:
    welcomed, welcomes = link.Link._welcomed, list[tuple[link.Link, Welcome]]()

    def noted(self: link.Link, message: Welcome) -> None:
        welcomes.append((self, message))
        welcomed(self, message)

    monkeypatch.setattr(link.Link, "_welcomed", noted)
    monkeypatch.setattr(link.Link, "_ended", lambda self, message: None)
    async with begun() as (_, _, cid, events, _):
        await cid.say(Resign(match=(await cid.receives(Turn)).match))
        await cid.receives(MatchEnded)
        ((of_lia, welcome),) = welcomes
        if stopped:
            monkeypatch.setattr(of_lia._api, "get", lambda path: {"result": None})
        of_lia._welcomed(replace(welcome, matches=()))  # as after a lost connection
        finish = (await events.event("gameFinish"))["game"]
        assert (finish["status"]["name"], finish.get("winner")) == reported


async def test_a_stream_that_was_lost_begins_again_with_the_whole_game() -> None:
    async with begun() as (_, lia, cid, _, name):
        async with lia.game(name) as game:
            await game.event("gameFull")
            await plays(cid, "e2e4")
        async with lia.game(name) as game:
            full = await game.event("gameFull")
            if not full["state"]["moves"]:
                await game.moves(1)
        async with lia.events() as events:
            assert (await events.event("gameStart"))["game"]["gameId"] == name


async def test_a_game_goes_on_at_another_process_of_this_api_with_all_its_moves() -> None:
    async with begun() as (server, lia, cid, _, name):
        await plays(cid, "e2e4")
        async with lia.game(name) as game:
            while "e2e4" not in (await game.line() or {}).get("moves", ""):
                pass
        await lia.move(name, "e7e5")
        async with lichess_api(server) as session:
            other = LichessClient(session, lia.headers["Authorization"].removeprefix("Bearer "))
            async with other.events() as events:
                start = (await events.event("gameStart"))["game"]
                async with other.game(start["id"]) as game:
                    assert (await game.event("gameFull"))["state"]["moves"] == "e2e4 e7e5"
                    await plays(cid, "g1f3")
                    await game.moves(3)
                    assert (await other.move(start["id"], "b8c6"))[0] == 200
                    assert (await cid.receives(Turn)).last_move == "b8c6"


async def test_matches_of_the_lobby_are_games_too_with_their_opening_as_moves() -> None:
    async with (
        lichess_client(seek="30+0") as (server, lia),
        lia.events() as events,
        welcomed(server.websocket_url, "cid") as cid,
    ):
        await cid.say(Seek(game=CHESS, time="30+0"))
        started: MatchStarted = await cid.receives(MatchStarted)
        name = (await events.event("gameStart"))["game"]["id"]
        assert name == f"m{started.match:07d}"
        assert (started.position, bool(started.opening)) == (USUAL_START, True)
        playing = (await lia.get("/api/account/playing"))["nowPlaying"]
        assert [game["gameId"] for game in playing] == [name]
        async with lia.game(name) as game:
            assert (await game.event("gameFull"))["state"]["moves"].split() == list(started.opening)


async def test_matches_of_chess960_are_sought_too() -> None:
    async with (
        lichess_client(seek="30+0", games=(CHESS, CHESS960)) as (server, lia),
        lia.events() as events,
        welcomed(server.websocket_url, "cid") as cid,
    ):
        await cid.say(Seek(game=CHESS960, time="30+0"))
        await cid.receives(MatchStarted)
        assert (await events.event("gameStart"))["game"]["variant"]["key"] == "chess960"


async def test_a_client_challenges_and_hears_how_it_ends() -> None:
    asked = {"rated": "false", "clock.limit": 60, "clock.increment": 1, "color": "white", "variant": "standard"}
    async with (
        lichess_client() as (server, lia),
        welcomed(server.websocket_url, "cid") as cid,
        lia.events() as events,
    ):
        status, form = await lia.post("/api/challenge/cid", json=asked)
        assert (status, form["direction"], form["timeControl"]["show"]) == (200, "out", "1+1")
        assert [one["id"] for one in (await lia.get("/api/challenge"))["out"]] == [form["id"]]
        await cid.say(Decline(challenge=(await cid.receives(Challenged)).challenge, reason="later"))
        declined = (await events.event("challengeDeclined"))["challenge"]
        assert (declined["id"], declined["declineReasonKey"]) == (form["id"], "later")
        _, form = await lia.post("/api/challenge/cid", json=asked | {"variant": None, "fen": None})
        await cid.receives(Challenged)
        assert (await lia.post(f"/api/challenge/{form['id']}/cancel"))[0] == 200
        assert (await cid.receives(ChallengeEnded)).outcome == "withdrawn"
        assert (await events.event("challengeCanceled"))["challenge"]["id"] == form["id"]
        kept = {"data": asked | {"keepAliveStream": "true"}}
        async with lia.stream("/api/challenge/cid", "POST", **kept) as waiting:
            name = (await waiting.line() or {})["id"]
            await cid.say(Accept(challenge=(await cid.receives(Challenged)).challenge))
            assert await waiting.line() == {"done": "accepted"}
            assert await waiting.line() is None
        game = (await events.event("gameStart"))["game"]
        assert (game["id"], game["color"], game["opponent"]["username"]) == (name, "white", "cid")


async def test_a_client_declines_with_its_reason() -> None:
    async with (
        lichess_client() as (server, lia),
        welcomed(server.websocket_url, "cid") as cid,
        lia.events() as events,
    ):
        await cid.say(Challenge(opponent="lia", game=CHESS))
        name = (await events.event("challenge"))["challenge"]["id"]
        assert (await lia.post(f"/api/challenge/{name}/decline", data={"reason": "tooFast"}))[0] == 200
        ended: ChallengeEnded = await cid.receives(ChallengeEnded)
        assert (ended.outcome, ended.reason) == ("declined", "tooFast")
        assert (await lia.post(f"/api/challenge/{name}/accept")) == (404, {"error": "Challenge not found"})


@pytest.mark.parametrize(
    ("path", "body", "status", "text"),
    [
        ("/api/challenge/cid", {"json": {"variant": "atomic", "clock.limit": 60}}, 400, "Only standard"),
        ("/api/challenge/cid", {"json": {"days": 3}}, 400, "A challenge here has a clock"),
        ("/api/challenge/cid", {"json": {"clock.limit": 60, "color": "red"}}, 400, "A color is"),
        ("/api/challenge/cid", {"data": b"[", "headers": {"Content-Type": "application/json"}}, 400, "The body is no"),
        ("/api/challenge/cid", {"json": {"variant": "x" * 17_000}}, 413, ""),
        ("/api/challenge/nobody", {"json": {"clock.limit": 60}}, 400, "there is no bot called"),
        ("/api/challenge/c0000009/accept", {}, 404, "Challenge not found"),
        ("/api/bot/game/m0000009/move/e2e4", {}, 404, "No such game"),
        ("/api/bot/game/m0000009/resign", {}, 404, "No such game"),
        ("/api/bot/game/m0000009/abort", {}, 400, "Games cannot be aborted"),
        ("/api/bot/game/m0000009/takeback/yes", {}, 400, "No takeback"),
        ("/api/bot/game/m0000009/claim-victory", {}, 400, "Nothing can be claimed"),
        ("/api/tournament/x/join", {}, 404, "Not Found"),
        ("/api/account", {}, 405, "Method Not Allowed"),
    ],
)
async def test_impossible_requests_are_refused_in_json(path: str, body: Any, status: int, text: str) -> None:
    async with lichess_client() as (_, lia):
        lia.headers |= body.pop("headers", {})
        answered, error = await lia.post(path, **body)
        assert (answered, error["error"][: len(text)]) == (status, text)


async def test_a_token_that_is_taken_back_opens_nothing_any_more() -> None:
    async with lichess_client() as (server, lia), lia.events() as events:
        bot = await server.store.bot_by_name("lia")
        assert bot is not None
        await server.accounts.revoke(bot)
        assert await events.line() is None
        for _ in range(2):  # as long as the bot is known, and after that
            async with lia.session.get("/api/account/playing", headers=lia.headers) as answer:
                assert answer.status == 401


async def test_a_token_gives_access_to_its_own_bot_only() -> None:
    async with begun() as (server, lia, _, _, name):
        eve = LichessClient(lia.session, await token_of(server, "eve"))
        assert await eve.move(name, "e7e5") == (404, {"error": "No such game"})
        assert (await eve.get("/api/account/playing")) == {"nowPlaying": []}
        assert (await eve.get("/api/account"))["username"] == "eve"
        for token in ("wrong", "", "x" * 300):
            stranger = LichessClient(lia.session, token)
            assert await stranger.post(f"/api/bot/game/{name}/resign") == (401, {"error": "No such token"})
        good = lia.headers["Authorization"].removeprefix("Bearer ")
        answer = (await lia.post("/api/token/test", data=f"{good},wrong"))[1]
        assert (answer[good]["userId"], answer["wrong"]) == ("lia", None)


async def test_what_clients_ask_for_besides() -> None:
    async with begun() as (_, lia, _, _, name):
        assert await lia.post("/api/bot/account/upgrade") == (200, {"ok": True})
        assert (await lia.post(f"/api/bot/game/{name}/chat", data={"room": "player", "text": "hi"}))[0] == 200
        assert await lia.get(f"/api/bot/game/{name}/chat") == []
        online = (await lia.text("/api/bot/online?nb=1")).splitlines()
        assert len(online) == 1
        statuses = await lia.get("/api/users/status?ids=LIA,nobody")
        assert [one["online"] for one in statuses] == [True, False]
        assert (await lia.get("/api/user/cid"))["perfs"]["bullet"]["rating"] == 1_500
        assert "nobody" in (await lia.get("/api/user/nobody"))["error"]


async def test_what_is_asked_at_the_same_time_makes_one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*arguments: Any, **options: Any) -> Client:
        made.append(Client(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(link, "Client", counted)
    async with lichess_client() as (_, lia):
        await asyncio.gather(*(lia.get("/api/account/playing") for _ in range(5)))
        assert len(made) == 1


async def test_a_quiet_stream_has_empty_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "KEEP_ALIVE_S", 0.01)
    async with lichess_client() as (_, lia), lia.events() as events:
        assert await events.raw() == b"\n"


async def test_an_unused_bot_leaves_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "LINGER_S", 0.01)
    monkeypatch.setattr(app, "KEEP_ALIVE_S", 0.01)
    async with lichess_client() as (server, lia):
        async with lia.events():
            assert server.dispatcher.sessions.by_name("lia") is not None
        await eventually(lambda: server.dispatcher.sessions.by_name("lia") is None)


async def test_bots_have_a_limit_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_LINKS", 1)
    async with lichess_client() as (server, lia):
        assert (await lia.get("/api/account"))["username"] == "lia"
        eve = LichessClient(lia.session, await token_of(server, "eve"))
        assert await eve.get("/api/account") == {"error": "Too many bots are connected here"}


async def test_the_end_of_the_api_ends_its_streams_and_disconnects_its_bots() -> None:
    async with live_server() as server:
        token = await token_of(server, "lia")
        async with contextlib.AsyncExitStack() as stack:
            lia = LichessClient(await stack.enter_async_context(lichess_api(server)), token)
            await stack.enter_async_context(lia.events())
            assert server.dispatcher.sessions.by_name("lia") is not None
        await eventually(lambda: server.dispatcher.sessions.by_name("lia") is None)
