"""Tokens, invitations and the operator; names that may be had."""

from __future__ import annotations

import pytest

from server.accounts import Accounts, NotAdmitted, hash_token, new_token
from server.config import ServerConfig
from server.names import LONGEST_NAME, NameRefused, check_name, same_name, with_suffix
from storage.memory import MemoryStore
from tests.virtual_time import virtual_time


async def accounts(store: MemoryStore | None = None, *, open_to_all: bool = False, **config: str) -> Accounts:
    """Prepared accounts over a store."""
    made = Accounts(store or MemoryStore(), ServerConfig(**config), open_to_all=open_to_all)  # type: ignore[arg-type]
    await made.prepare()
    return made


@virtual_time
async def test_a_token_is_shown_once_and_stored_as_a_hash_only() -> None:
    store = MemoryStore()
    made = await accounts(store)
    bot, token = await made.register("Ada", made.invite_secret)
    assert bot.token_hash == hash_token(token)
    assert len(token) >= 43
    assert token not in repr(vars(store.tables))
    assert (await made.admit("ada", token, lambda name: False)) == (bot, True)


@virtual_time
async def test_registration_wants_the_invite_code_where_it_is_not_open() -> None:
    made = await accounts(invite_secret="open sesame")
    for wrong in ("", "open", "open sesame ", "\udcff"):
        with pytest.raises(NotAdmitted, match="invite code is not right"):
            await made.register("ada", wrong)
    await made.register("ada", "open sesame")
    await (await accounts(open_to_all=True)).register("bob", "")


@virtual_time
async def test_a_name_is_registered_once_whatever_its_case() -> None:
    made = await accounts(open_to_all=True)
    await made.register("Ada", "")
    with pytest.raises(NotAdmitted, match="ada"):
        await made.register("ada", "")
    with pytest.raises(NotAdmitted, match="reserved"):
        await made.register("Tabiya", "")


@virtual_time
async def test_the_servers_secrets_are_made_once_and_kept_unless_given() -> None:
    store = MemoryStore()
    first, second = await accounts(store), await accounts(store)
    assert (first.invite_secret, first.operator_token) == (second.invite_secret, second.operator_token)
    assert len(first.operator_token) >= 43
    given = await accounts(store, invite_secret="ours", operator_token="o" * 40)
    assert (given.invite_secret, given.operator_token) == ("ours", "o" * 40)


@virtual_time
async def test_only_the_operators_token_is_the_operators() -> None:
    made = await accounts()
    assert made.is_operator(made.operator_token)
    for wrong in ("", "x", made.operator_token[:-1], new_token(), "\udc80"):
        assert not made.is_operator(wrong)


@virtual_time
async def test_a_revoked_token_admits_nobody() -> None:
    store = MemoryStore()
    made = await accounts(store)
    bot, token = await made.register("ada", made.invite_secret)
    await store.rotate_token(bot.id, None)
    with pytest.raises(NotAdmitted, match="does not belong"):
        await made.admit("ada", token, lambda name: False)


@virtual_time
async def test_a_name_that_is_too_common_is_refused_in_the_end() -> None:
    made = await accounts(open_to_all=True)
    with pytest.raises(NotAdmitted, match="too many bots"):
        await made.admit("ada", "", lambda name: True)


def test_a_name_is_returned_in_its_normal_form() -> None:
    assert check_name("Zoe\u0308") == "Zo\u00eb"
    assert same_name(" Zoe\u0308") == same_name("ZO\u00cb")


@pytest.mark.parametrize(
    "name", ["", "-", " a", "a ", "a  b", "a\tb", "x" * 41, "none", "\u2066x", "a\u0000", "\ud800"]
)
def test_a_bad_name_is_refused_in_one_printable_sentence(name: str) -> None:
    with pytest.raises(NameRefused) as refused:
        check_name(name)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("number", [2, 17, 9_999])
def test_a_suffix_fits_into_the_longest_name(number: int) -> None:
    name = with_suffix("x" * LONGEST_NAME, number)
    assert check_name(name) == name
    assert len(name) == LONGEST_NAME
    assert name.endswith(f"-{number}")


def test_the_longest_name_can_be_cut_at_a_space() -> None:
    name = "x" * (LONGEST_NAME - 3) + " yz"
    assert check_name(with_suffix(name, 2)).endswith("-2")
