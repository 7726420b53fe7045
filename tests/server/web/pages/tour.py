"""A server with something of everything, played and written by strangers, and an address of every page."""

from __future__ import annotations

from urllib.parse import quote

from aiohttp.test_utils import make_mocked_request
from msgspec.structs import replace

from tabiya.games.registry import names
from tabiya.protocol.messages import Move, MoveInfo, Notice
from tabiya.server.archive.reviews import encoded
from tabiya.server.pairing import FORMATS
from tabiya.server.web.pages.operator import PARTS
from tabiya.storage.records import BotId, MatchId, NewTournament, ResultRecord, SeatRecord, TournamentEntry
from tests.server.archive.test_reviews import judged_move
from tests.server.local_bots import first_legal
from tests.server.web.web_server import LINE, WebServer
from tests.storage.samples import NOON, move, new_match

BOTS = 200
MARKUP = "\"'><script>window.ran = 1</script><img src=x onerror=window.broken=1>{{7*7}}&amp;"
TURNED = "safe\u202egnp.exe \u05d0\u05d1\u05d2 1-0"
MARKED = "Z\u0351\u0344a\u0321\u0316l\u0301\u0302\u0303g\u0330\u0331o\u0332 \U0001f984\U0001f3f3\ufe0f\u200d\U0001f308"
ADMITTED = ("W" * 40, "\u5bbd" * 20, "\u05d0\u05d1\u05d2" * 13, "\u0645\u0631\u062d\u0628\u0627 (3)", "a'(b)!/@")
ONLY_STORED = (MARKUP, TURNED, MARKED + "W" * 20)
LONG = "W" * 64
STRANGERS = (*ADMITTED, *ONLY_STORED, TURNED + LONG)
NO_PAGES = {"/client", "/docs", "/standings"}  # they only lead to one
EXPLORED = (
    "/explore?tree=000&algorithm=000-alphabeta&step=14",
    "/explore?game=reversi&depth=3&step=40&size=large",
    "/explore/exercises?seed=7",
    "/explore/exercises?seed=7&level=3#solutions",
)
SPEAKS = MoveInfo(depth=9, score=125, nodes=1_204_000, pv=("b2", "c3"), text=TURNED)


async def stored_by_strangers(web: WebServer) -> tuple[int, int]:
    """A match and a tournament with texts that no order could bring in; the tournament's number, the match's."""
    bots = [await web.store.create_bot(name, created_at=NOON, guest=True) for name in ONLY_STORED]
    for number in range(BOTS):
        await web.store.create_bot(f"bot {number}", created_at=NOON)
    entries = tuple(
        TournamentEntry(number=number, bot_id=BotId(bot.id), bot=bot.name, version=TURNED)
        for number, bot in enumerate(bots)
    )
    tournament = await web.store.create_tournament(
        NewTournament(
            name=TURNED + LONG, game="reversi", format="round_robin", settings={"time_control": "60+0.5"}, seed=1,
            state={"marks": "1."}, entries=entries, created_at=NOON,
        )
    )  # fmt: skip
    seats = (
        SeatRecord(bot_id=bots[0].id, bot=bots[0].name, version=LONG),
        SeatRecord(bot_id=bots[1].id, bot=bots[1].name, version=TURNED),
    )
    match = await web.store.create_match(new_match((bots[0], bots[1]), seats=seats, options={LONG: TURNED}))
    await web.store.append_move(move(match, 2, "c4", forgiven_us=0, info={"text": TURNED + LONG, "pv": [MARKUP]}))
    await web.store.finish_match(
        ResultRecord(match_id=match, winner=1, ending="time", reason=TURNED + LONG, remaining_us=(1, 1), ended_at=NOON)
    )
    return int(tournament), int(match)


async def tournaments(web: WebServer) -> list[int]:
    """One of every format, played to its end; then one that has not begun, and one that runs."""
    for name in ADMITTED:
        await web.bot(name, first_legal, max_matches=5, version="1.0")
    made = []
    for form in FORMATS:
        made.append(await _tournament(web, f"{LONG[:40]} {form}", form))
        await web.bots[ADMITTED[0]].until(lambda: _ends(web) == len(made))
    made.append(await _tournament(web, ADMITTED[2], "swiss", start=False))
    for name in ADMITTED:
        web.bots[name].choose = lambda turn: None
    made.append(await _tournament(web, "class cup", "swiss"))
    return made


async def _tournament(web: WebServer, name: str, form: str, **plan: object) -> int:
    bots = ADMITTED[: 2 if form == "sprt" else 5]
    games = {"games": 4} if form in ("ladder", "sprt") else {}
    order = {"name": name, "game": names()[0], "format": form, "bots": bots, "seed": 4, "concurrency": 8}
    answer = await web.post("/api/v1/tournaments", order | games | plan)
    assert answer.status == 201, answer.text
    return int(answer.json["id"])


def _ends(web: WebServer) -> int:
    return sum(notice.kind == "tournament_ended" for notice in web.bots[ADMITTED[0]].received(Notice))


async def tour(web: WebServer) -> list[str]:
    """Fill the server; an address of every page, the larger and the stranger ones, and of what goes wrong."""
    stored, strange = await stored_by_strangers(web)
    ended = await web.play(LINE)
    judged = [replace(judged_move(ply, ply % 2, 0.5 * (ply == 1), best="b2"), move="b1") for ply in range(5)]
    await web.store.keep_review(MatchId(ended), "an engine", encoded(judged))
    held = await tournaments(web)
    assert (await web.post("/api/v1/seasons", {"game": names()[0], "name": LONG, "size": 3})).status == 201
    running = await web.begin("", bots=("ada", ADMITTED[0]), control="3600+0.5")  # longer than all is looked at
    web.bots["ada"].say(Move(match=running, ply=0, move="a1", info=SPEAKS))
    await web.at_ply(running, 1)
    table = f"/standings/{names()[0]}"
    matches = (f"/matches/{ended}", f"/matches/{running}", f"/matches/{strange}")
    bots = ("/bots", "/bots/ada", *(f"/bots/{quote(name, safe='')}" for name in (ADMITTED[2], *ONLY_STORED)))
    standings = (table, f"{table}?pooled=true&rows=all", f"/standings/{names()[-1]}?time=7")
    others = ("/", "/matches?limit=20", "/play", "/my-bot", "/about", "/client/", "/projector", *EXPLORED)
    seasons = (f"/seasons/{names()[0]}", f"/seasons/{names()[-1]}")
    operator = ("/operator", *(f"/operator/{part}" for part in PARTS))
    documents = ("/docs/", "/docs/?search=clock", "/docs/reference/design", "/docs/tutorial/your-first-bot")
    embedded = (
        f"/embed/matches/{ended}",
        f"/embed/matches/{strange}",
        f"/embed{table}",
        f"/embed/tournaments/{held[0]}",
        "/embed/explore?tree=000&algorithm=000-alphabeta",
    )
    apart = f"/head-to-head?game={names()[0]}&first={quote(ADMITTED[0])}&second={quote(ADMITTED[2])}"
    wrong = (f"/{quote(MARKUP)}", f"/matches?status={quote(TURNED)}")
    held_at = ("/tournaments", *(f"/tournaments/{number}" for number in (*held, stored)))
    return [*others, *standings, *seasons, *held_at, *matches, *bots, *documents, *embedded, apart, *wrong, *operator]


async def forgotten(web: WebServer, addresses: list[str]) -> set[str]:
    """The routes of pages that no address leads to, as the application has them."""
    router = web.server.web.application("127.0.0.1").router
    known = {resource.canonical for resource in router.resources()}
    apis, files = ("/api/", "/healthz", "/readyz", "/metrics", "/live"), (".atom", ".png", "{file}")
    pages = {path for path in known if not path.startswith(apis) and not path.endswith(files)}
    for address in addresses:
        resource = (await router.resolve(make_mocked_request("GET", address))).route.resource
        pages.discard(resource.canonical if resource else "")
    return pages - NO_PAGES
