"""Who tries many tokens or takes many names has to wait, and nobody else."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.protocol.limits import WireLimits
from tabiya.server.accounts.accounts import (
    NotAdmitted,
    TooManyGuesses,
    TooManyNames,
    new_token,
)
from tests.server.accounts.test_accounts import accounts, nobody
from tests.virtual_time import now_s, virtual_time


@virtual_time
async def test_guessing_many_tokens_is_slow_and_locks_out_nobody_else() -> None:
    made = await accounts()
    _, right = await made.register("ada", made.invite_secret)
    _, of_bob = await made.register("bob", made.invite_secret)
    for _ in range(20):
        with pytest.raises(NotAdmitted, match="does not belong"):
            await made.admit("ada", new_token(), nobody, "192.0.2.1")
    with pytest.raises(TooManyGuesses) as refused:
        await made.admit("Ada", new_token(), nobody, "192.0.2.1")
    assert (await made.admit("ada", right, nobody, "192.0.2.2"))[1]
    assert (await made.admit("bob", of_bob, nobody, "192.0.2.1"))[1]
    await asyncio.sleep(refused.value.wait_s)
    with pytest.raises(NotAdmitted, match="does not belong"):
        await made.admit("ada", new_token(), nobody, "192.0.2.1")


@pytest.mark.parametrize("names", [["ada"], [f"bot {number}" for number in range(200)]], ids=["one", "many"])
@virtual_time
async def test_two_hundred_wrong_tokens_from_one_address_do_not_lock_out_the_owner_there(names: list[str]) -> None:
    made = await accounts()
    _, right = await made.register("ada", made.invite_secret)
    for number in range(200):
        with pytest.raises(NotAdmitted):
            await made.admit(names[number % len(names)], new_token(), nobody, "192.0.2.1")
    assert (await made.admit("Ada", right, nobody, "192.0.2.1"))[1]


@virtual_time
async def test_beyond_the_limit_for_a_name_tokens_are_checked_slowly_at_every_address() -> None:
    made = await accounts(limits=WireLimits(hello_timeout_s=8))
    _, right = await made.register("ada", made.invite_secret)
    _, of_bob = await made.register("bob", made.invite_secret)
    for number in range(200):
        with pytest.raises(NotAdmitted, match="does not belong"):
            await made.admit("ada", new_token(), nobody, f"192.0.2.{number}")

    async def seconds(name: str, token: str, admitted: bool) -> float:
        began = now_s()
        if admitted:
            assert (await made.admit(name, token, nobody, "198.51.100.1"))[1]
        else:
            with pytest.raises(TooManyGuesses):
                await made.admit(name, token, nobody, "198.51.100.1")
        return now_s() - began

    tries = (("ada", new_token(), False), ("ada", right, True), ("bob", of_bob, True))
    assert await asyncio.gather(*(seconds(*each) for each in tries)) == pytest.approx([2, 2, 0])


@virtual_time
async def test_a_token_that_is_looked_at_slowly_is_looked_at_before_the_time_for_hello_is_over() -> None:
    made = await accounts(limits=WireLimits(hello_timeout_s=1))
    _, right = await made.register("ada", made.invite_secret)
    for _ in range(20):
        with pytest.raises(NotAdmitted):
            await made.admit("ada", new_token(), nobody, "192.0.2.1")
    began = now_s()
    assert (await made.admit("ada", right, nobody, "192.0.2.1"))[1]
    assert now_s() - began == pytest.approx(0.5)


@virtual_time
async def test_one_network_that_guesses_tokens_of_many_names_has_to_wait_for_all() -> None:
    made = await accounts()
    for number in range(200):
        with pytest.raises(NotAdmitted, match="does not belong"):
            await made.admit(f"bot {number}", new_token(), nobody, f"2001:db8::{number:x}")
    with pytest.raises(TooManyGuesses):
        await made.admit("another", new_token(), nobody, "2001:db8::ffff")
    with pytest.raises(NotAdmitted, match="does not belong"):
        await made.admit("another", new_token(), nobody, "2001:db8:0:1::1")


@virtual_time
async def test_new_names_without_a_token_are_limited_per_network_and_known_ones_do_not_count() -> None:
    made = await accounts(open_to_all=True, limits=WireLimits(guest_names_per_minute=2))
    for number in range(20):
        await made.admit(f"bot {number}", "", nobody, f"2001:db8::{number:x}")
    with pytest.raises(TooManyNames) as refused:
        await made.admit("one more", "", nobody, "2001:db8::ffff")
    with pytest.raises(TooManyNames):
        await made.register("one more", "", "2001:db8::ffff")
    assert refused.value.wait_s == 30
    assert not (await made.admit("bot 3", "", nobody, "2001:db8::ffff"))[1]
    await made.register("invited", made.invite_secret, "2001:db8::ffff")
    await made.admit("elsewhere", "", nobody, "192.0.2.1")
    await asyncio.sleep(refused.value.wait_s)
    await made.admit("one more", "", nobody, "2001:db8::ffff")


@virtual_time
async def test_this_machine_and_a_class_behind_one_address_can_get_new_names() -> None:
    made = await accounts(open_to_all=True)
    for number in range(500):
        await made.admit(f"local {number}", "", nobody, "127.0.0.1")
    for number in range(40):
        for version in range(5):
            await made.admit(f"student {number} try {version}", "", nobody, "192.0.2.1")
