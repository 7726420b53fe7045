"""The first message of a connection: who is welcomed, under which name, and who is turned away."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.games.registry import names
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.messages import (
    Busy,
    ClientMessage,
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    Refused,
    Resign,
    Seek,
    Turn,
    Unseek,
    Welcome,
)
from tabiya.server.accounts.accounts import Accounts, NameNotFree
from tests.server.local_bots import LocalBot, Table, silent, table
from tests.virtual_time import virtual_time

GAME = names()[0]


async def register(there: Table, name: str) -> str:
    """An account's token."""
    accounts: Accounts = there.server.accounts
    _, token = await accounts.register(name, accounts.invite_secret)
    return token


@virtual_time
async def test_the_name_of_a_guest_is_free_to_register_when_the_guest_is_gone() -> None:
    async with table() as there:
        guest = await there.bot("gu")
        with pytest.raises(NameNotFree):
            await register(there, "GU")
        guest.client.cut()
        token = await register(there, "GU")
        back = LocalBot(there.network, "gu")
        back.say(Hello(name="gu", token=token))
        welcome = await back.receives(Welcome)
        assert (welcome.name, welcome.authenticated) == ("gu", True)


async def turned_away(there: Table, hello: Hello) -> tuple[int, str]:
    """Close code and reason for this hello."""
    bot = LocalBot(there.network, "?")
    bot.say(hello)
    return await bot.ends()


@pytest.mark.parametrize(
    ("first", "code", "reason"),
    [
        (Seek(game=GAME), CloseCode.BAD_HELLO, "the first message is hello, not seek"),
        (Hello(name="ada", protocol=2), CloseCode.UNSUPPORTED_PROTOCOL, "protocol 2 is not supported (only 1)"),
        (Hello(name="ada\x00"), CloseCode.BAD_HELLO, "a name consists of letters, digits"),
        (Hello(name="Server"), CloseCode.BAD_HELLO, "reserved"),
        (Hello(name="ada", token="wrong"), CloseCode.BAD_TOKEN, "the token does not belong to this name"),
    ],
)
@virtual_time
async def test_a_connection_that_breaks_the_protocol_at_its_start_is_closed_with_the_reason(
    first: ClientMessage, code: CloseCode, reason: str
) -> None:
    async with table() as there:
        bot = LocalBot(there.network, "?")
        bot.say(first)
        reported = await bot.ends()
        assert reported[0] == code
        assert reason in reported[1]
        assert await there.store.list_bots() == ()


@virtual_time
async def test_a_hello_that_cannot_be_read_names_the_field_and_a_second_one_is_refused() -> None:
    async with table() as there:
        bot = LocalBot(there.network, "ada")
        bot.client.send_frame(b"\x82\xa4type\xa5hello\xa4name\x07")
        code, reason = await bot.ends()
        assert (code, "name" in reason) == (CloseCode.BAD_HELLO, True)
        ada = await there.bot("ada")
        assert (await ada.refusal(Hello(name="bob"))).code == "already_welcome"


@virtual_time
async def test_with_closed_registration_only_the_right_token_is_accepted() -> None:
    async with table(open_registration=False) as there:
        token, token_of_bob = await register(there, "Zo\u00eb"), await register(there, "bob")
        for name, given in (("Zo\u00eb", token_of_bob), ("ada", "")):
            assert (await turned_away(there, Hello(name=name, token=given)))[0] == CloseCode.BAD_TOKEN
        assert (
            "`tabiya register NAME --invite CODE` prints the token" in (await turned_away(there, Hello(name="ada")))[1]
        )
        welcome = (await there.bot("zoe\u0308", token=token)).received(Welcome)[0]
        assert (welcome.name, welcome.authenticated) == ("Zo\u00eb", True)


@virtual_time
async def test_guests_of_one_name_who_come_in_the_same_instant_are_different_bots() -> None:
    async with table() as there:
        for _ in range(2):  # new names, and names that are known
            bots = [LocalBot(there.network, "ada") for _ in range(20)]
            for bot in bots:
                bot.say(Hello(name="ada"))
            for bot in bots:
                await bot.receives(Welcome)
            assert len({bot.received(Welcome)[0].name for bot in bots}) == 20
            assert [bot.closed for bot in bots] == [None] * 20
            for bot in bots:
                bot.client.cut()


@virtual_time
async def test_guests_of_one_name_get_suffixes_and_may_come_back_under_their_names_when_they_are_gone() -> None:
    async with table() as there:
        bots = [await there.bot(name) for name in ("ada", "Ada", "ADA")]
        welcomes = [bot.received(Welcome)[0] for bot in bots]
        assert [(welcome.name, welcome.authenticated) for welcome in welcomes] == [
            ("ada", False),
            ("Ada-2", False),
            ("ADA-3", False),
        ]
        bots[0].client.cut()
        assert (await there.bot("ada")).received(Welcome)[0].name == "ada"
        assert len(await there.store.list_bots()) == 3


@virtual_time
async def test_messages_of_a_replaced_connection_are_dropped() -> None:
    async with table() as there:
        token = await register(there, "ada")
        older = await there.bot("ada", silent, token=token, delay_s=lambda: 0.1)
        bob = await there.bot("bob", silent)
        for bot in (older, bob):
            bot.say(Seek(game=GAME))
        started = await older.receives(MatchStarted)
        newer = await there.bot("ada", silent, token=token)
        older.say(Resign(match=started.match))  # on its way before the close frame has arrived
        older.say(Move(match=started.match, ply=0, move="a1"))
        await older.ends()
        await asyncio.sleep(1)
        assert there.dispatcher.runner.active(started.match) is not None
        assert newer.received(Refused) == older.received(Refused) == []


@virtual_time
async def test_a_newer_connection_of_the_same_account_replaces_the_older_gets_the_turn_and_plays_on() -> None:
    async with table() as there:
        tokens = [await register(there, name) for name in ("ada", "bob")]
        bots = [await there.bot(name, silent, token=token) for name, token in zip(("ada", "bob"), tokens, strict=True)]
        for bot in bots:
            bot.say(Seek(game=GAME))
        started = await bots[0].receives(MatchStarted)
        mover = started.seat
        turn = await bots[mover].receives(Turn)
        newer = await there.bot(("ada", "bob")[mover], token=tokens[mover])
        assert (await bots[mover].ends())[0] == CloseCode.REPLACED
        assert len(there.dispatcher.sessions) == 2
        welcome = newer.received(Welcome)[0]
        assert [running.match for running in welcome.matches] == [started.match]
        assert (await newer.receives(Turn)).ply == turn.ply
        assert (await bots[1 - mover].receives(Turn)).ply == turn.ply + 1


@virtual_time
async def test_messages_before_welcome_are_handled_after_it() -> None:
    async with table() as there:
        bot = LocalBot(there.network, "ada")
        bot.say(Hello(name="ada"))
        bot.say(Unseek(game=GAME))
        assert (await bot.receives(Refused)).code == "not_seeking"
        assert isinstance(bot.inbox[0], Welcome)


@virtual_time
async def test_a_bot_that_says_too_much_before_welcome_is_never_welcomed() -> None:
    async with table() as there:
        there.store.seconds_to_commit = lambda: 5.0
        bot = LocalBot(there.network, "ada")
        bot.say(Hello(name="ada"))
        for _ in range(64):
            bot.say(Unseek(game=GAME))
        assert (await bot.ends())[0] == CloseCode.FLOOD
        await asyncio.sleep(10)
        assert len(there.dispatcher.sessions) == 0


@virtual_time
async def test_garbage_behind_a_hello_closes_the_line_and_nobody_is_welcomed() -> None:
    async with table() as there:
        token = await register(there, "ada")
        older = await there.bot("ada", token=token)
        there.store.hold_commits()
        newer = LocalBot(there.network, "ada")
        newer.say(Hello(name="ada", token=token))
        newer.client.send_frame(b"\xc1")
        assert (await newer.ends())[0] == CloseCode.GARBAGE
        there.store.release()
        await there.idle()
        assert older.closed is None


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_database_that_is_away_turns_bots_away_until_later() -> None:
    async with table() as there:
        there.store.fail_next()
        code, reason = await turned_away(there, Hello(name="ada"))
        assert (code, reason) == (CloseCode.BUSY, "the server cannot reach its database; try again later")
        await there.bot("ada")


@virtual_time
async def test_the_seeks_of_a_hello_count_and_a_bad_one_is_refused_alone() -> None:
    async with table() as there:
        bot = await there.bot("ada", seek=("go", GAME))
        assert (await bot.receives(Refused)).code == "unknown_game"
        assert [entry.terms.game for entry in there.dispatcher.matchmaker.lobby.seeks()] == [GAME]


@virtual_time
async def test_too_many_bad_messages_close_the_connection() -> None:
    async with table() as there:
        bot = await there.bot("ada")
        for _ in range(20):
            bot.client.send_frame(b"\x81\xa4type\xa4seek")
        code, reason = await bot.ends()
        assert (code, reason) == (CloseCode.GARBAGE, "20 messages that cannot be read")
        refused = bot.received(Refused)
        assert len(refused) == 20
        assert {(one.code, one.about) for one in refused} == {("bad_message", "seek")}


@virtual_time
async def test_a_connection_with_a_replaced_token_is_closed_at_once() -> None:
    async with table(open_registration=False) as there:
        tokens = [await register(there, name) for name in ("ada", "bob")]
        ada = await there.bot("ada", silent, token=tokens[0], delay_s=lambda: 0.1)
        bob = await there.bot("bob", silent, token=tokens[1])
        for bot in (ada, bob):
            bot.say(Seek(game=GAME))
        started = await ada.receives(MatchStarted)
        account = await there.store.bot_by_name("ada")
        assert account is not None
        ada.say(Resign(match=started.match))  # on its way when the token goes
        new = await there.server.accounts.rotate(account)
        assert there.dispatcher.sessions.by_name("ada") is None  # its match goes on without it from this instant
        code, reason = await ada.ends()
        assert (code, "replaced" in reason) == (CloseCode.TOKEN_REVOKED, True)
        await asyncio.sleep(1)
        again = await there.bot("ada", silent, token=new)
        assert [running.match for running in again.received(Welcome)[0].matches] == [started.match]


@virtual_time
async def test_guessing_many_tokens_is_told_when_to_try_again() -> None:
    async with table(open_registration=False) as there:
        token = await register(there, "ada")
        for _ in range(20):
            assert (await turned_away(there, Hello(name="ada", token="not the token")))[0] == CloseCode.BAD_TOKEN
        bot = LocalBot(there.network, "ada")
        bot.say(Hello(name="ada", token="not the token"))
        code, reason = await bot.ends()
        busy = bot.received(Busy)[0]
        assert (code, "too many wrong tokens" in reason) == (CloseCode.BUSY, True)
        assert 0 < busy.retry_ms <= 5_000
        await there.bot("ada", token=token)  # who has it need not wait
        await asyncio.sleep(busy.retry_ms / 1000)
        assert (await turned_away(there, Hello(name="ada", token="not the token")))[0] == CloseCode.BAD_TOKEN


async def playing_guest(there: Table) -> tuple[LocalBot, str, int]:
    """Eve, a guest with a secret, in a match against Bob: her connection, her secret, the match."""
    eve, bob = await there.bot("eve", silent, resume=""), await there.bot("bob", silent)
    for bot in (eve, bob):
        bot.say(Seek(game=GAME))
    return eve, eve.received(Welcome)[0].resume, (await eve.receives(MatchStarted)).match


@virtual_time
async def test_a_guest_with_its_secret_takes_over_from_its_own_old_connection() -> None:
    async with table() as there:
        eve, secret, match = await playing_guest(there)
        again = await there.bot("eve", silent, resume=secret)
        welcome = again.received(Welcome)[0]
        assert (welcome.name, welcome.resume, welcome.authenticated) == ("eve", secret, False)
        assert [running.match for running in welcome.matches] == [match]
        assert (await eve.ends())[0] == CloseCode.REPLACED


@pytest.mark.parametrize("shown", [None, "", "a guess"])
@virtual_time
async def test_the_name_of_a_guest_with_a_secret_is_kept_while_it_is_away_from_its_match(shown: str | None) -> None:
    async with table() as there:
        eve, secret, match = await playing_guest(there)
        eve.client.cut()
        await there.idle()
        other = await there.bot("eve", silent, resume=shown)
        assert other.received(Welcome)[0].name == "eve-2"
        with pytest.raises(NameNotFree):
            await register(there, "eve")
        again = await there.bot("eve", silent, resume=secret)
        assert [running.match for running in again.received(Welcome)[0].matches] == [match]


@virtual_time
async def test_the_name_of_a_guest_with_a_secret_is_free_when_it_has_left_without_a_match() -> None:
    async with table() as there:
        eve, secret, match = await playing_guest(there)
        eve.say(Resign(match=match))
        await eve.receives(MatchEnded)
        eve.client.cut()
        await there.idle()
        other = await there.bot("eve", silent, resume="")
        assert other.received(Welcome)[0].name == "eve"
        assert other.received(Welcome)[0].resume not in ("", secret)


@virtual_time
async def test_a_guest_that_asks_for_no_secret_gets_none() -> None:
    async with table() as there:
        assert (await there.bot("eve", silent)).received(Welcome)[0].resume == ""
