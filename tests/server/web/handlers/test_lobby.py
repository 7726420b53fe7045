"""Who can be played, and challenges by a code, as the API tells of them."""

from __future__ import annotations

from tabiya.protocol.messages import Accept, Challenge, Challenged
from tests.server.local_bots import first_legal, silent
from tests.server.web.web_server import WebServer

CODE = "a secret of sixteen"


async def test_opponents_are_those_that_are_here_and_play_the_servers_own_first(web: WebServer) -> None:
    web.server.house_bots = {"easy": {"nim": "sees three plies"}, "away": {}}
    for name, more in (("ada", {}), ("easy", {"games": ("nim",)}), ("watcher", {"max_matches": 0})):
        await web.bot(name, first_legal, **more)
    ada = {"name": "ada", "plays": [], "free": True, "house": False, "levels": {}}
    easy = {"name": "easy", "plays": ["nim"], "free": True, "house": True, "levels": {"nim": "sees three plies"}}
    assert await web.json("/api/v1/opponents") == {"opponents": [easy, ada], "preparing": []}


async def test_players_of_the_server_that_are_being_started_are_told_until_they_are_here(web: WebServer) -> None:
    web.server.house_bots, web.server.starting_house_bots = {"easy": {}, "hard": {}}, ["easy", "hard"]
    assert (await web.json("/api/v1/opponents"))["preparing"] == ["easy", "hard"]
    await web.bot("easy", first_legal)
    assert (await web.json("/api/v1/opponents"))["preparing"] == ["hard"]


async def test_a_bot_with_all_its_matches_is_not_free(web: WebServer) -> None:
    await web.begin("", bots=("ada", "bob"))
    assert [one["free"] for one in (await web.json("/api/v1/opponents"))["opponents"]] == [False, False]


async def test_a_challenge_is_told_to_who_has_its_code_until_it_is_taken(web: WebServer) -> None:
    ada, bob = await web.bot("ada", silent), await web.bot("bob", silent)
    ada.say(Challenge(game="nim", options={"heaps": "1,2"}, time="30+1", seat=1, code=CODE, rated=False))
    number = (await ada.receives(Challenged)).challenge
    address = f"/api/v1/challenges/{CODE}"
    reported = {
        "challenge": number, "challenger": "ada", "game": "nim", "options": {"heaps": "1,2", "misere": False},
        "time": "30+1", "seat": 0, "rated": False, "position": None,
    }  # fmt: skip
    assert await web.json(address) == reported
    bob.say(Accept(challenge=number, code=CODE))
    await bob.until(lambda: web.dispatcher.matchmaker.lobby.by_code(CODE) is None)
    (await web.get(address)).assert_refused(404, "open challenge with the code")
