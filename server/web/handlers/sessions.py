"""Signing in on the pages: a cookie instead of a token in each request."""

from __future__ import annotations

from aiohttp import web

from tabiya.server.accounts.accounts import NotAdmitted
from tabiya.server.accounts.web_sessions import SESSION_S, WebSession
from tabiya.server.web.http.auth import COOKIE, OPERATOR, Authorizer, note_sender
from tabiya.server.web.http.json_responses import ApiCall, json_response
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.requests import SignInOrder
from tabiya.server.web.schemas.responses import SignedIn


class SessionHandlers:
    """The handlers for sessions."""

    def __init__(self, facade: ServerFacade, authorizer: Authorizer) -> None:
        self._sessions, self._authorizer = facade.web_sessions, authorizer
        self._behind_tls = facade.public is not None and facade.public.is_secure

    async def sign_in(self, call: ApiCall) -> web.Response:
        """Sign in with a token: the answer sets a cookie for this server's pages."""
        order: SignInOrder = call.body
        self._authorizer.check_wrong_guesses(call.request)
        try:
            secret, session = await self._sessions.open(order.token)
        except NotAdmitted:
            self._authorizer.count_wrong_guess(call.request)
            raise
        note_sender(call.request, session.bot, "token")
        response = json_response(_shown(session), status=201)
        self._set_cookie(call, response, secret, int(SESSION_S))
        return response

    async def session(self, call: ApiCall) -> SignedIn:
        """The account of this request's cookie."""
        found = await self._authorizer.session(call.request)
        return _shown(found) if found else SignedIn()

    async def sign_out(self, call: ApiCall) -> web.Response:
        """End the session of this request's cookie."""
        await self._authorizer.session(call.request)
        await self._sessions.close(call.request.cookies.get(COOKIE, ""))
        response = json_response(SignedIn())
        self._set_cookie(call, response, "", 0)
        return response

    def _set_cookie(self, call: ApiCall, response: web.Response, secret: str, lasts_s: int) -> None:
        secure = call.request.secure or self._behind_tls
        response.set_cookie(COOKIE, secret, max_age=lasts_s, httponly=True, samesite="Strict", secure=secure)


def _shown(session: WebSession) -> SignedIn:
    bot = session.bot
    return SignedIn(name=bot.name, role=bot.role) if bot else SignedIn(name=OPERATOR, role="operator")
