"""Who a bot is: tokens (random, stored as hashes only), free names where registration is open, invitations, operators.

Secrets are compared in constant time. A token is looked up by its hash, so how long that takes depends on the hash of
the guess and tells nothing of the token.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from tabiya.server.accounts.names import NameRefused, check_name, same_name, skeleton, with_suffix
from tabiya.server.accounts.secrets_file import SecretsFile
from tabiya.server.config import ServerConfig
from tabiya.server.transport.addresses import is_loopback, network_of
from tabiya.server.transport.rate_limit import KeyedTokenBuckets
from tabiya.storage.errors import NameTaken
from tabiya.storage.records import BotId, BotRecord, Role
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.server.accounts")
TOKEN_BYTES = 32
INVITE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another when read from a projector
INVITE_GROUPS, INVITE_GROUP = 3, 4
MOST_SUFFIXES = 10_000
INVITE_SETTING, OPERATOR_SETTING, WORKER_SETTING = "invite_secret", "operator_token", "worker_token"
HOUSE_SETTING = "house_bots"  # the accounts made for them: ids with spaces between
HASHED = "sha256:"  # begins what is stored of these two; older databases hold the texts
# Limits per address (any name) and per name (any address): far more than for one name at one
# address, because a class may share an address, and one bot may run in many places.
GUESSES_AT_ONCE, GUESSES_PER_SECOND = 200.0, 2.0
SLOW_CHECK_S = 2.0  # with 256 half-open hellos at most, 128 guesses a second for the whole server: docs/security.md
NAMES_BURST_MINUTES = 10  # a class comes at once, and tries some names


class NotAdmitted(Exception):
    """Wrong token, name or invitation; the text may be shown to the peer."""


class WrongInvite(NotAdmitted):
    """The invite code is not right."""


class NameNotFree(NotAdmitted):
    """The name belongs to a bot, or looks too much like one that does."""


class NotNow(NotAdmitted):
    """A rate limit of this source is used up. wait_s: seconds until it is looked at again."""

    def __init__(self, what: str, wait_s: int) -> None:
        super().__init__(f"{what}; try again in {wait_s} s")
        self.wait_s = wait_s


class TooManyGuesses(NotNow):
    """One more wrong token after too many; whether the next one is right is found out slowly until the wait is over."""


class TooManyNames(NotNow):
    """Too many new names without a token or an invite code."""


class SetAtStart(Exception):
    """The setting is fixed by the start command and cannot be changed here."""


class NoAccount(Exception):
    """The request needs an account, but the bot is a guest."""


def new_token() -> str:
    """A fresh secret of 256 random bits. It does not begin with "-", which a command line takes for an option."""
    while (token := secrets.token_urlsafe(TOKEN_BYTES)).startswith("-"):
        pass
    return token


def new_invite() -> str:
    """A fresh invite code of 59 random bits, such as `k7fw-3m9q-xn4t`, for reading aloud and typing."""
    letters = [secrets.choice(INVITE_LETTERS) for _ in range(INVITE_GROUPS * INVITE_GROUP)]
    groups = ["".join(letters[start : start + INVITE_GROUP]) for start in range(0, len(letters), INVITE_GROUP)]
    return "-".join(groups)


def hash_token(token: str) -> str:
    """The hash that is stored for a token or the invite code. They are random: one round of SHA-256 is enough."""
    return hashlib.sha256(_bytes(token)).hexdigest()


def _bytes(text: str) -> bytes:
    """The bytes to compare and hash; a header that is no UTF-8 arrives as surrogates."""
    return text.encode(errors="surrogatepass")


class Accounts:
    """Admission of bots and operators, over the store.

    guesses: wrong secrets by HTTP, by address.  is_connected: whether a bot of this name is.
    on_token_changed: called with every bot whose token is no longer good.
    """

    def __init__(
        self, store: Store, config: ServerConfig, *, open_to_all: bool, secrets_file: SecretsFile | None = None
    ) -> None:
        """open_to_all: whether names without a token may play.  secrets_file: where texts of secrets can be kept."""
        self._store, self._config, self.open_to_all = store, config, open_to_all
        self._secrets_file = secrets_file
        self.invite_secret = ""  # the texts of the secrets; empty if only the hash is known
        self.operator_token = ""
        self._invite_hash = ""
        self._operator_hash = ""
        self.guesses = KeyedTokenBuckets()
        self.is_connected: Callable[[str], bool] = lambda name: False
        self.on_token_changed: Callable[[BotId], None] = lambda bot_id: None
        self._guesses_of_bot = KeyedTokenBuckets()
        self._guesses_of_address = KeyedTokenBuckets(GUESSES_AT_ONCE, GUESSES_PER_SECOND)
        self._guesses_of_name = KeyedTokenBuckets(GUESSES_AT_ONCE, GUESSES_PER_SECOND)
        names_a_minute = config.limits.guest_names_per_minute
        self._new_names = KeyedTokenBuckets(NAMES_BURST_MINUTES * names_a_minute, names_a_minute / 60)
        self._by_skeleton: dict[str, str] = {}  # skeleton of a name -> the name that has it
        self._coming: dict[str, asyncio.Event] = {}  # names that the store is asked about
        self._changes = 0  # of tokens, since the start
        self._lent: dict[str, BotId] = {}  # by the hash of a token
        self.worker_token = ""
        self._worker_hashes: list[str] = []

    async def prepare(self) -> None:
        """Load the secrets, or make them the first time, and read which names are taken."""
        config = self._config
        self.invite_secret, self._invite_hash = await self._secret(INVITE_SETTING, config.invite_secret, new_invite)
        self.operator_token, self._operator_hash = await self._secret(
            OPERATOR_SETTING, config.operator_token, new_token
        )
        self.worker_token, worker_hash = await self._secret(WORKER_SETTING, config.worker_token, new_token)
        self._worker_hashes.append(worker_hash)
        await self._restore_program_tokens()
        for bot in await self._store.list_bots():
            # names registered before this rule can look alike: the oldest one counts
            self._by_skeleton.setdefault(skeleton(bot.name), bot.name)

    async def _secret(self, setting: str, given: str, make: Callable[[], str]) -> tuple[str, str]:
        """The text of a secret, empty if it is not known here, and the hash that is asked for."""
        if given:
            return given, hash_token(given)
        stored, file = await self._store.setting(setting), self._secrets_file
        if stored is not None and not stored.startswith(HASHED):
            text = stored  # from an earlier database: codes that people already have stay valid
        else:
            text = file.text(setting) if file else ""
            if stored == HASHED + hash_token(text):
                return text, hash_token(text)
            if stored is not None and file is None:  # a server that can keep no text does not make one at every start
                return "", stored.removeprefix(HASHED)
            text = make()
            if stored is not None:
                log.warning(
                    "%s is not in the file beside the database: a new one is made, the old one is void", setting
                )
        if file:
            file.keep(setting, text)
        await self._store.put_setting(setting, HASHED + hash_token(text))
        return text, hash_token(text)

    async def renew_invite(self) -> str:
        """Replace the invite code; the old one becomes invalid. Raises SetAtStart, StoreError."""
        if self._config.invite_secret:
            raise SetAtStart(
                "the invite code is set by TABIYA_INVITE_SECRET where the server is started; change it there"
            )
        text = new_invite()
        if self._secrets_file:
            self._secrets_file.keep(INVITE_SETTING, text)
        await self._store.put_setting(INVITE_SETTING, HASHED + hash_token(text))
        self.invite_secret, self._invite_hash = text, hash_token(text)
        return text

    # --- who somebody is

    async def is_operator(self, token: str) -> bool:
        """Whether this is the server's own operator token, or that of an account with the operator's role."""
        if hmac.compare_digest(hash_token(token), self._operator_hash):
            return True
        bot = await self.owner(token) if token else None
        return bot is not None and bot.role == "operator"

    def is_worker(self, token: str) -> bool:
        """Whether this token allows to run the programs of bots."""
        given = hash_token(token)
        return any(hmac.compare_digest(given, known) for known in self._worker_hashes)

    def new_worker_token(self) -> str:
        """Another token for a worker, good until the server ends."""
        token = new_token()
        self._worker_hashes.append(hash_token(token))
        return token

    def accept_token(self, token_hash: str, bot_id: BotId) -> None:
        """Accept the token with this hash for the bot, whose program a worker runs."""
        self._lent[token_hash] = bot_id

    async def new_house_token(self, name: str) -> str | None:
        """A token for one of the server's own players, valid until the server ends; empty if it may play as a guest.

        Makes its account if needed. None if the account was not made here: it may be somebody's. Raises NotAdmitted.
        """
        bot, made = await self._store.bot_by_name(name), (await self._store.setting(HOUSE_SETTING) or "").split()
        if bot is None or bot.guest:
            if self.open_to_all:
                return ""
            bot, _ = await self.register(name, "", by_operator=True)
            await self._store.put_setting(HOUSE_SETTING, " ".join([*made, str(bot.id)]))
        elif str(bot.id) not in made:
            return None
        token = new_token()
        self.accept_token(hash_token(token), bot.id)
        return token

    def take_back(self, token_hash: str) -> None:
        """Make a lent token invalid."""
        self._lent.pop(token_hash, None)

    async def _restore_program_tokens(self) -> None:
        """Accept the tokens of programs that workers still run after a restart."""
        bots = {program.id: program.bot_id for program in await self._store.open_programs()}
        for lease in await self._store.leases():
            if lease.kind == "play" and lease.ended_at is None:
                self._lent[lease.token_hash] = bots[lease.program_id]

    async def owner(self, token: str) -> BotRecord | None:
        """The bot with this token; None if there is none, or it was shut out."""
        if (lent_to := self._lent.get(hash_token(token))) is not None:
            bot = await self._store.bot(lent_to)
            return bot if bot is not None and bot.token_hash is not None else None
        while True:
            changes = self._changes  # a token that is replaced while the store is asked must not pass
            bot = await self._store.bot_by_token_hash(hash_token(token))
            if changes == self._changes:
                return bot

    def knows(self, name: str) -> bool:
        """Whether there is a bot of this name, connected or not."""
        holder = self._by_skeleton.get(skeleton(name))
        return holder is not None and same_name(holder) == same_name(name)

    # --- accounts

    async def register(
        self, name: str, invitation: str, address: str = "", *, by_operator: bool = False
    ) -> tuple[BotRecord, str]:
        """A new account and its token, shown this once.  Raises NotAdmitted.

        address: where the request comes from.  by_operator: who needs no invitation.
        """
        spellings = {invitation, invitation.lower()}  # our codes have no capitals, but a board or a phone may add some
        is_invited = by_operator or any(hmac.compare_digest(hash_token(one), self._invite_hash) for one in spellings)
        if not is_invited and not self.open_to_all:
            wrong = "the invite code is not right" if invitation else "a new name needs the server's invite code"
            raise WrongInvite(f"{wrong}; ask the person who runs the server")
        token = new_token()
        try:
            checked = check_name(name, held=self.knows(name))
        except NameRefused as error:
            raise NotAdmitted(str(error)) from None
        if not is_invited:  # the invite code shows that a person let them in
            self._count_name(checked, address)
        bot = await self._adopt(checked, hash_token(token))
        return bot or await self._create(checked, token_hash=hash_token(token)), token

    async def _adopt(self, name: str, token_hash: str) -> BotRecord | None:
        """The bot of a guest who is gone, from now on an account with all its games; None if no guest has the name.

        Nobody could prove that a free name is theirs, so its games go to who registers it.  Raises NameNotFree.
        """
        bot, key = await self._store.bot_by_name(name), same_name(name)
        if bot is None or not bot.guest:
            return None
        if key in self._coming or self.is_connected(name):
            raise NameNotFree(f"a bot without a token plays as {bot.name!r} now; stop it, then register")
        with self._asked_about(key):  # a new guest of this name gets a suffix
            await self._store.rotate_token(bot.id, token_hash)
        return replace(bot, guest=False, token_hash=token_hash)

    async def rotate(self, bot: BotRecord) -> str:
        """A new token in place of the old one, shown this once; a connection that used the old one is closed.

        Also lets in again a bot that was shut out.  Raises NoAccount.
        """
        token = new_token()
        await self._change_token(bot, hash_token(token))
        return token

    async def revoke(self, bot: BotRecord) -> None:
        """Shut a bot out until it is given a new token; its connection is closed. Raises NoAccount."""
        await self._change_token(bot, None)

    async def _change_token(self, bot: BotRecord, token_hash: str | None) -> None:
        _check_account(bot)
        await self._store.rotate_token(bot.id, token_hash)
        self._changes += 1
        self.on_token_changed(bot.id)

    async def set_role(self, bot: BotRecord, role: Role) -> None:
        """Make a bot's owner an operator, or no longer one. Raises NoAccount."""
        _check_account(bot)
        await self._store.set_role(bot.id, role)

    async def _create(self, name: str, *, token_hash: str | None = None, guest: bool = False) -> BotRecord:
        """A new bot under a checked name. Raises NameNotFree."""
        key = skeleton(name)
        holder = self._by_skeleton.get(key)
        if holder is not None and same_name(holder) != same_name(name):
            raise NameNotFree(f"the name {name!r} looks too much like {holder!r}, which is taken; choose another")
        self._by_skeleton.setdefault(key, name)  # held while the store is asked
        try:
            bot = await self._store.create_bot(name, token_hash=token_hash, guest=guest, created_at=time.time())
        except NameTaken as error:  # the name stays reserved: a guest uses it
            raise NameNotFree(str(error)) from None
        except BaseException:
            if holder is None:
                self._by_skeleton.pop(key, None)
            raise
        # again: another request for the same name may have failed meanwhile, and let go of it
        self._by_skeleton.setdefault(key, name)
        return bot

    # --- hello

    async def admit(
        self, name: str, token: str, is_taken: Callable[[str], bool], address: str = ""
    ) -> tuple[BotRecord, bool]:
        """The bot of a `hello`, and whether it has proved who it is. Raises NotAdmitted, StoreError.

        is_taken: whether a guest of this name is connected; another one gets a suffix.  The caller enters the bot
        among the connected before it awaits anything else.  address: where it comes from, to slow down who guesses.
        """
        if token:
            return await self._known(name, token, address), True
        if not self.open_to_all:
            cure = "`tabiya register NAME --invite CODE` prints the token to send in hello"
            raise NotAdmitted(f"this server admits only registered bots: {cure}")
        try:
            checked = check_name(name, held=self.knows(name))
            self._count_name(checked, address)
            return await self._guest(checked, is_taken), False
        except NameRefused as error:
            raise NotAdmitted(str(error)) from None

    async def _known(self, name: str, token: str, address: str) -> BotRecord:
        """The account of this name and token.

        Wrong tokens count by address and name, by address alone and by name alone. Beyond these limits tokens are
        checked slowly, but not refused: else a classmate behind the same router could shut out the right one by trying
        wrong ones. Nobody guesses 256 random bits.
        """
        origin, key = network_of(address), same_name(name)
        counted = [(self._guesses_of_bot, f"{origin} {key}"), (self._guesses_of_address, origin)]
        if self.knows(name):  # unknown names must not fill the memory
            counted.append((self._guesses_of_name, key))
        wait_s = max(guesses.wait_s(guesser) for guesses, guesser in counted)
        if wait_s:
            await asyncio.sleep(min(SLOW_CHECK_S, self._config.limits.hello_timeout_s / 2))
        bot = await self.owner(token)
        if bot is not None and same_name(bot.name) == key:
            return bot
        if wait_s:  # not counted: otherwise a client that never stops would wait forever, even with the right token
            raise TooManyGuesses(
                "too many wrong tokens from your address, and this one is wrong, too; wait before you try again", wait_s
            )
        for guesses, guesser in counted:
            guesses.spend(guesser)
        raise NotAdmitted("the token does not belong to this name")

    def _count_name(self, name: str, address: str) -> None:
        """Limit the new names of an address, because each is stored forever. Raises TooManyNames."""
        if is_loopback(address) or self.knows(name):
            return
        origin = network_of(address)
        if wait_s := self._new_names.wait_s(origin):
            raise TooManyNames("too many new names from your address", wait_s)
        self._new_names.spend(origin)

    async def _guest(self, name: str, is_taken: Callable[[str], bool]) -> BotRecord:
        """The record of a free name, or of the first `name-2`, `name-3`, … that nobody else holds."""
        for number in range(1, MOST_SUFFIXES):
            candidate = name if number == 1 else with_suffix(name, number)
            key = same_name(candidate)
            while (
                key in self._coming
            ):  # the first one may have disconnected before its welcome; then the name is free again
                await self._coming[key].wait()
            if is_taken(candidate):
                continue
            with self._asked_about(key):
                bot = await self._guest_called(candidate)
            if bot is not None:  # no await before the caller has added it to the connected bots
                return bot
        raise NotAdmitted(f"too many bots are called {name!r}")

    @contextlib.contextmanager
    def _asked_about(self, key: str) -> Iterator[None]:
        """Make others who ask for this name wait meanwhile."""
        answered = self._coming[key] = asyncio.Event()
        try:
            yield
        finally:
            del self._coming[key]
            answered.set()

    async def _guest_called(self, name: str) -> BotRecord | None:
        """The guest of exactly this name, made if need be; None if it belongs to an account or looks like another."""
        bot = await self._store.bot_by_name(name)
        if bot is None:
            try:
                return await self._create(name, guest=True)
            except NameNotFree:
                return None
        return bot if bot.guest else None


def _check_account(bot: BotRecord) -> None:
    if bot.guest:
        raise NoAccount(f"{bot.name} plays without a token and has no account")
