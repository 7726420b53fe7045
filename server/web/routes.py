"""All routes of the API: parameters, responses and access. docs/reference/api.md is generated from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, NamedTuple

from aiohttp import web
from msgspec import Struct

from tabiya.server.standings import HeadToHead, Standings, Superiority
from tabiya.server.tournaments.settings import TournamentOrder
from tabiya.server.web.handlers.accounts import AccountHandlers
from tabiya.server.web.handlers.admin import AdminHandlers
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import ApiCall
from tabiya.server.web.live import LiveStreams
from tabiya.server.web.metrics import Metrics
from tabiya.server.web.schemas import requests, responses, tournament_responses

Handler = Callable[[ApiCall], Awaitable[Struct | web.StreamResponse]]
Access = Literal["anybody", "sender", "owner", "operator"]


class Route(NamedTuple):
    """One route. answer: the struct that is sent as JSON, or a description of another response.

    access: "operator" needs the operator's role; "sender" is open, but not for pages of other sites; "owner" needs the
    token of the bot concerned or an operator's, which the handler checks, because it knows the bot.
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
    queries: QueryHandlers, orders: AdminHandlers, accounts: AccountHandlers, streams: LiveStreams, metrics: Metrics
) -> tuple[Route, ...]:
    """All routes, in the order of the reference page."""

    async def follow(call: ApiCall) -> web.StreamResponse:
        """Follow a match: server-sent events named `state`, the last with status `ended` or `frozen`."""
        return await streams.follow(call.request, await queries.match_record(call))

    def get(path: str, handler: Handler, answer: type[Struct] | str, query: type[Struct] | None = None) -> Route:
        return Route("GET", path, handler, answer, query)

    def order(path: str, handler: Handler, answer: type[Struct], body: type[Struct], status: int = 200) -> Route:
        return Route("POST", path, handler, answer, None, body, "operator", status)

    def own(path: str, handler: Handler, answer: type[Struct]) -> Route:
        return Route("POST", path, handler, answer, None, requests.EmptyOrder, "owner")

    def tournament_order(
        path: str, handler: Handler, body: type[Struct] = requests.EmptyOrder, status: int = 200
    ) -> Route:
        return order(path, handler, tournament_responses.TournamentDetail, body, status)

    match, tournament, bot = "/api/matches/{match}", "/api/tournaments/{tournament}", "/api/bots/{name:.+}"
    standings = "/api/standings/{game}"
    return (
        get("/api/server", queries.server, responses.ServerInfo),
        get("/api/games", queries.games, responses.Games),
        get(standings, queries.standings, Standings, requests.StandingsQuery),
        get(f"{standings}/superiority", queries.superiority, Superiority, requests.SuperiorityQuery),
        get(f"{standings}/head-to-head", queries.head_to_head, HeadToHead, requests.HeadToHeadQuery),
        get("/api/bots", queries.bots, responses.Bots),
        get(bot, queries.bot, responses.BotDetail),
        get("/api/matches", queries.matches, responses.Matches, requests.MatchQuery),
        get(match, queries.match, responses.MatchDetail),
        get(f"{match}/live", follow, "a stream of server-sent events, each a [LiveState](#livestate)"),
        get(f"{match}/picture/{{ply}}.svg", queries.picture, "an SVG document; it never changes"),
        get(f"{match}/transcript", queries.transcript, "text: PGN for chess, the same form for every game"),
        get("/api/export", queries.export, "text: transcripts, or a JSON line a game", requests.ExportQuery),
        get("/api/tournaments", queries.tournaments, tournament_responses.Tournaments),
        get(tournament, queries.tournament, tournament_responses.TournamentDetail),
        Route(
            "POST",
            "/api/register",
            accounts.register,
            responses.Registered,
            None,
            requests.RegisterOrder,
            "sender",
            201,
        ),
        Route("GET", "/api/account", accounts.account, responses.Account, access="owner"),
        Route("GET", f"{match}/failure", accounts.failure, responses.Failure, access="owner"),
        own(f"{bot}/token", accounts.new_token, responses.Registered),
        own(f"{bot}/revoke", accounts.revoke_token, responses.Account),
        order(f"{bot}/role", accounts.set_role, responses.Account, requests.RoleOrder),
        tournament_order("/api/tournaments", orders.create_tournament, TournamentOrder, 201),
        tournament_order(f"{tournament}/start", orders.start_tournament),
        tournament_order(f"{tournament}/pause", orders.pause_tournament),
        tournament_order(f"{tournament}/cancel", orders.cancel_tournament),
        tournament_order(f"{tournament}/enter", orders.enter_tournament, requests.EnterOrder),
        tournament_order(f"{tournament}/withdraw", orders.withdraw_from_tournament, requests.WithdrawOrder),
        tournament_order(f"{tournament}/bye", orders.bye_in_tournament, requests.ByeOrder),
        order(f"{match}/abort", orders.abort_match, responses.MatchLine, requests.AbortOrder),
        order(f"{match}/adjudicate", orders.adjudicate_match, responses.MatchLine, requests.AdjudicateOrder),
        order(f"{match}/replay", orders.replay_match, responses.Replayed, requests.ReplayOrder),
        get("/healthz", queries.health, responses.Health),
        get("/metrics", metrics.page, "numbers for Prometheus, as text"),
    )
