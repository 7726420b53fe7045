"""Buckets of wrong guesses."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from tabiya.server.transport import rate_limit
from tabiya.server.transport.addresses import network_of
from tabiya.server.transport.rate_limit import KeyedTokenBuckets, TokenBucket
from tests.virtual_time import virtual_time


@virtual_time
async def test_after_the_first_guesses_one_may_come_each_five_seconds() -> None:
    wrong = KeyedTokenBuckets(burst=3, per_second=0.2)
    waits = []
    for _ in range(5):
        waits.append(wrong.wait_s("a"))
        wrong.spend("a")
    assert waits[:3] == [0, 0, 0]
    assert waits[3] == 5
    assert wrong.wait_s("b") == 0
    await asyncio.sleep(wrong.wait_s("a"))
    assert wrong.wait_s("a") == 0


@virtual_time
async def test_the_memory_of_guesses_is_bounded_and_forgets_who_has_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST_KEYS", 10)
    wrong = KeyedTokenBuckets(burst=1, per_second=0.2)
    looked_at, is_full = list[TokenBucket](), TokenBucket.is_full

    def counted(bucket: TokenBucket, now_ns: int) -> bool:
        looked_at.append(bucket)
        return is_full(bucket, now_ns)

    monkeypatch.setattr(TokenBucket, "is_full", counted)
    for number in range(100):
        wrong.spend(f"{number}")
    assert len(wrong._buckets) == 10
    assert len(looked_at) == 10  # and not again for every one of the ninety that found no place
    await asyncio.sleep(100)
    wrong.spend("late")
    assert wrong.wait_s("late") == 5
    assert list(wrong._buckets) == ["late"]


@pytest.mark.parametrize(
    ("address", "origin"),
    [("192.0.2.7", "192.0.2.7"), ("2001:db8::5%eth0", "2001:db8::/64"), ("local", "local"), ("", "")],
)
def test_the_hosts_of_one_ipv6_network_are_one_guesser(address: str, origin: str) -> None:
    assert network_of(address) == origin


@pytest.mark.parametrize("seed", range(20))
def test_answers_that_were_asked_for_never_find_the_bucket_empty(seed: int) -> None:
    draw, now_ns, due = Random(seed), 0, 0
    own, bucket = TokenBucket(5, 10, 0), TokenBucket(5, 10, 0, most_given=7)
    for _ in range(20_000):
        match draw.choice("aaawooooo"):
            case "a" if due < 7:
                bucket.give()
                due += 1
            case "w":
                now_ns += draw.randrange(100_000_000)
            case "o" if due and draw.random() < 0.4:
                due -= 1
                assert bucket.take(now_ns)
            case "o" if own.take(now_ns):
                assert bucket.take(now_ns)


def test_given_tokens_are_kept_up_to_a_limit() -> None:
    bucket = TokenBucket(5, 10, 0, most_given=7)
    for _ in range(100):
        bucket.give()
    assert sum(bucket.take(0) for _ in range(100)) == 12
