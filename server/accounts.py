"""Who a bot is: tokens (random, stored as hashes only), free names where registration is open, invitations."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from server.config import ServerConfig
from server.names import NameRefused, check_name, same_name, with_suffix
from storage.errors import NameTaken
from storage.records import BotRecord
from storage.store import Store

TOKEN_BYTES = 32
MOST_SUFFIXES = 10_000
INVITE_SETTING, OPERATOR_SETTING = "invite_secret", "operator_token"


class NotAdmitted(Exception):
    """Wrong token, name or invitation; the text may be shown to the peer."""


def new_token() -> str:
    """A fresh secret of 256 random bits."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_token(token: str) -> str:
    """What is stored of a token. It has 256 random bits, so one round of SHA-256 is enough."""
    return hashlib.sha256(_bytes(token)).hexdigest()


def _bytes(text: str) -> bytes:
    """What is compared and hashed; a header that is no UTF-8 reaches us with halves of surrogate pairs."""
    return text.encode(errors="surrogatepass")


class Accounts:
    """Admission of bots and operators, over the store."""

    def __init__(self, store: Store, config: ServerConfig, *, open_to_all: bool) -> None:
        """open_to_all: whether names without a token may play."""
        self._store, self._config, self.open_to_all = store, config, open_to_all
        self.invite_secret = ""
        self.operator_token = ""
        self._coming: set[str] = set()  # names of guests that are about to be welcomed

    async def prepare(self) -> None:
        """Load the two secrets, making and keeping them the first time."""
        self.invite_secret = self._config.invite_secret or await self._store.keep_setting(
            INVITE_SETTING, secrets.token_urlsafe(9)
        )
        self.operator_token = self._config.operator_token or await self._store.keep_setting(
            OPERATOR_SETTING, new_token()
        )

    def is_operator(self, token: str) -> bool:
        """Whether this is the operator's token, compared in constant time."""
        return hmac.compare_digest(_bytes(token), _bytes(self.operator_token))

    async def register(self, name: str, invitation: str) -> tuple[BotRecord, str]:
        """A new account and its token, shown this once. Raises NotAdmitted."""
        if not self.open_to_all and not hmac.compare_digest(_bytes(invitation), _bytes(self.invite_secret)):
            raise NotAdmitted("the invite code is not right; ask the person who runs the server")
        token = new_token()
        try:
            bot = await self._store.create_bot(check_name(name), token_hash=hash_token(token), created_at=time.time())
        except (NameRefused, NameTaken) as error:
            raise NotAdmitted(str(error)) from None
        return bot, token

    async def admit(self, name: str, token: str, is_taken: Callable[[str], bool]) -> tuple[BotRecord, bool]:
        """The bot of a `hello`, and whether it has proved who it is. Raises NotAdmitted, StoreError.

        is_taken: whether a guest of this name is connected; another one gets a suffix.  The caller enters the bot
        among the connected before it awaits anything else.
        """
        if token:
            bot = await self._store.bot_by_token_hash(hash_token(token))
            if bot is None or bot.name.casefold() != same_name(name):
                raise NotAdmitted("the token does not belong to this name")
            return bot, True
        if not self.open_to_all:
            raise NotAdmitted("this server admits only registered bots; register and send the token in hello")
        try:
            return await self._guest(check_name(name), is_taken), False
        except NameRefused as error:
            raise NotAdmitted(str(error)) from None

    async def _guest(self, name: str, is_taken: Callable[[str], bool]) -> BotRecord:
        """The record of a free name, or of the first `name-2`, `name-3`, … that nobody else holds."""
        for number in range(1, MOST_SUFFIXES):
            candidate = name if number == 1 else with_suffix(name, number)
            key = same_name(candidate)
            if key in self._coming or is_taken(candidate):
                continue
            self._coming.add(key)
            try:
                bot = await self._guest_called(candidate)
            finally:
                self._coming.discard(key)
            if bot is not None:
                return bot
        raise NotAdmitted(f"too many bots are called {name!r}")

    async def _guest_called(self, name: str) -> BotRecord | None:
        """The guest of exactly this name, made if need be; None if the name belongs to an account."""
        bot = await self._store.bot_by_name(name)
        if bot is None:
            try:
                return await self._store.create_bot(name, guest=True, created_at=time.time())
            except NameTaken:  # registered in this very moment
                return None
        return bot if bot.guest else None
