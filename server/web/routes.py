"""Every address of the API: what it takes and answers, and who may use it. The reference page is written from these."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aiohttp import web
from msgspec import Struct

from tabiya.server.standings import HeadToHead, Standings, Superiority
from tabiya.server.web import questions, shapes, tournament_questions, tournament_shapes

if TYPE_CHECKING:
    from tabiya.server.web.account_orders import AccountOrders
    from tabiya.server.web.live import Streams
    from tabiya.server.web.metrics import Metrics
    from tabiya.server.web.orders import Orders
    from tabiya.server.web.reading import Reading


class Call(NamedTuple):
    """One request with its query and body as the structs that its route declares (None where it declares none)."""

    request: web.Request
    query: Any
    body: Any


Handler = Callable[[Call], Awaitable[Struct | web.StreamResponse]]
Access = Literal["anybody", "sender", "owner", "operator"]


class Route(NamedTuple):
    """One address. answer: the struct it answers with as JSON, or words for what else it sends.

    access: "operator" passes the guard, "sender" is open but never to pages of other sites, "owner" is for who has the
    token of the bot that it is about, and for operators: the handler asks the guard, because it knows the bot.
    """

    method: str
    path: str
    handler: Handler
    answer: type[Struct] | str
    query: type[Struct] | None = None
    body: type[Struct] | None = None
    access: Access = "anybody"
    status: int = 200


def routes(
    reading: Reading, orders: Orders, accounts: AccountOrders, streams: Streams, metrics: Metrics
) -> tuple[Route, ...]:
    """All of them, in the order of the reference page."""

    async def follow(call: Call) -> web.StreamResponse:
        """Follow a match: server-sent events named `state`, the last with status `ended` or `frozen`."""
        return await streams.follow(call.request, await reading.match_record(call))

    def get(path: str, handler: Handler, answer: type[Struct] | str, query: type[Struct] | None = None) -> Route:
        return Route("GET", path, handler, answer, query)

    def order(path: str, handler: Handler, answer: type[Struct], body: type[Struct], status: int = 200) -> Route:
        return Route("POST", path, handler, answer, None, body, "operator", status)

    def own(path: str, handler: Handler, answer: type[Struct]) -> Route:
        return Route("POST", path, handler, answer, None, questions.NoOrder, "owner")

    def tournament_order(
        path: str, handler: Handler, body: type[Struct] = questions.NoOrder, status: int = 200
    ) -> Route:
        return order(path, handler, tournament_shapes.TournamentDetail, body, status)

    match, tournament, bot = "/api/matches/{match}", "/api/tournaments/{tournament}", "/api/bots/{name:.+}"
    standings = "/api/standings/{game}"
    return (
        get("/api/server", reading.server, shapes.ServerInfo),
        get("/api/games", reading.games, shapes.Games),
        get(standings, reading.standings, Standings, questions.StandingsQuery),
        get(f"{standings}/superiority", reading.superiority, Superiority, questions.SuperiorityQuery),
        get(f"{standings}/head-to-head", reading.head_to_head, HeadToHead, questions.HeadToHeadQuery),
        get("/api/bots", reading.bots, shapes.Bots),
        get(bot, reading.bot, shapes.BotDetail),
        get("/api/matches", reading.matches, shapes.Matches, questions.MatchQuery),
        get(match, reading.match, shapes.MatchDetail),
        get(f"{match}/live", follow, "a stream of server-sent events, each a [LiveState](#livestate)"),
        get(f"{match}/picture/{{ply}}.svg", reading.picture, "an SVG document; it never changes"),
        get(f"{match}/transcript", reading.transcript, "text: PGN for chess, the same form for every game"),
        get("/api/export", reading.export, "text: transcripts, or a JSON line a game", questions.ExportQuery),
        get("/api/tournaments", reading.tournaments, tournament_shapes.Tournaments),
        get(tournament, reading.tournament, tournament_shapes.TournamentDetail),
        Route(
            "POST", "/api/register", accounts.register, shapes.Registered, None, questions.RegisterOrder, "sender", 201
        ),
        Route("GET", "/api/account", accounts.account, shapes.Account, access="owner"),
        own(f"{bot}/token", accounts.new_token, shapes.Registered),
        own(f"{bot}/revoke", accounts.revoke_token, shapes.Account),
        order(f"{bot}/role", accounts.set_role, shapes.Account, questions.RoleOrder),
        tournament_order("/api/tournaments", orders.create_tournament, tournament_questions.TournamentPlan, 201),
        tournament_order(f"{tournament}/start", orders.start_tournament),
        tournament_order(f"{tournament}/pause", orders.pause_tournament),
        tournament_order(f"{tournament}/cancel", orders.cancel_tournament),
        tournament_order(f"{tournament}/enter", orders.enter_tournament, tournament_questions.EnterOrder),
        tournament_order(f"{tournament}/withdraw", orders.withdraw_from_tournament, tournament_questions.WithdrawOrder),
        tournament_order(f"{tournament}/bye", orders.bye_in_tournament, tournament_questions.ByeOrder),
        order(f"{match}/abort", orders.abort_match, shapes.MatchLine, questions.AbortOrder),
        order(f"{match}/adjudicate", orders.adjudicate_match, shapes.MatchLine, questions.AdjudicateOrder),
        order(f"{match}/replay", orders.replay_match, shapes.Replayed, questions.ReplayOrder),
        get("/healthz", reading.health, shapes.Health),
        get("/metrics", metrics.page, "numbers for Prometheus, as text"),
    )
