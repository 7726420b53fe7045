"""Orders about accounts: registering, tokens that are replaced or revoked, and the operator's role."""

from __future__ import annotations

from collections.abc import Awaitable

from tabiya.server.accounts.accounts import NameNotFree, NoAccount, TooManyNames, WrongInvite
from tabiya.server.accounts.names import NameRefused, check_name
from tabiya.server.web.auth import Guard
from tabiya.server.web.handlers.queries import Reading
from tabiya.server.web.json_responses import Refusal
from tabiya.server.web.routes import Call
from tabiya.server.web.schemas.requests import RegisterOrder, RoleOrder
from tabiya.server.web.schemas.responses import Account, Registered
from tabiya.server.web.server_facade import Backend
from tabiya.storage.records import BotRecord

OPERATOR = "operator"  # who has the server's own operator token; no bot can be called so


class AccountOrders:
    """The handlers of everything that is about accounts."""

    def __init__(self, backend: Backend, reading: Reading, guard: Guard) -> None:
        self._backend, self._reading, self._guard = backend, reading, guard

    async def register(self, call: Call) -> Registered:
        """Make an account for a bot; the token is shown this once."""
        order: RegisterOrder = call.body
        self._guard.check_guesses(call.request)
        try:
            name = check_name(order.name)
        except NameRefused as error:
            raise Refusal(400, str(error)) from None
        if await self._backend.store.bot_by_name(name):
            raise Refusal(409, f"the name {name!r} is taken; if it is yours, an operator can make it a new token")
        try:
            bot, token = await self._backend.accounts.register(name, order.invite, call.request.remote or "")
        except WrongInvite:
            self._guard.wrong_guess(call.request)
            raise
        except TooManyNames as error:
            raise Refusal(429, str(error), Retry_After=str(error.wait_s)) from None
        except NameNotFree as error:
            raise Refusal(409, str(error)) from None
        return Registered(name=bot.name, token=token)

    async def account(self, call: Call) -> Account:
        """Whose token this is; the way to try one."""
        bot = await self._guard.owner(call.request)
        if bot is None:
            return Account(name=OPERATOR, role="operator", shut_out=False, connected=False)
        return self._account(bot)

    async def new_token(self, call: Call) -> Registered:
        """Replace a bot's token; the old one is good no more, who is connected with it is closed with 4011."""
        bot = await self._owned(call)
        try:
            return Registered(name=bot.name, token=await self._backend.accounts.rotate(bot))
        except NoAccount as error:
            raise Refusal(409, str(error)) from None

    async def revoke_token(self, call: Call) -> Account:
        """Shut a bot out at once, until it is given a new token; its connection is closed with 4011."""
        bot = await self._owned(call)
        return await self._changed(bot, self._backend.accounts.revoke(bot))

    async def set_role(self, call: Call) -> Account:
        """Make the owner of an account an operator, or no longer one."""
        order: RoleOrder = call.body
        bot = await self._reading.bot_record(call.request.match_info["name"])
        return await self._changed(bot, self._backend.accounts.set_role(bot, order.role))

    async def _owned(self, call: Call) -> BotRecord:
        """The bot that the order is about, once the guard has let it pass."""
        bot = await self._reading.bot_record(call.request.match_info["name"])
        await self._guard.check_owner_or_operator(call.request, bot)
        return bot

    async def _changed(self, bot: BotRecord, change: Awaitable[None]) -> Account:
        try:
            await change
        except NoAccount as error:
            raise Refusal(409, str(error)) from None
        return self._account(await self._backend.store.bot(bot.id) or bot)

    def _account(self, bot: BotRecord) -> Account:
        connected = bot.id in self._backend.present()
        return Account(name=bot.name, role=bot.role, shut_out=bot.token_hash is None, connected=connected)
