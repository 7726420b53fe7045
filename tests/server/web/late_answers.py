"""Answers of the server that reach a page only when a test says so, or never."""

from __future__ import annotations

import json

from tests.server.web.browser import Browser

HOLD = """((wanted) => {
    const fetched = window.fetch;
    window.held = [];
    window.fetch = async (...asked) => {
        const answer = await fetched(...asked), address = String(asked[0]);
        const isHeld = new RegExp(wanted).test(address);
        if (isHeld) {
            await answer.clone().blob(); // all of it is here
            await new Promise((comes, fails) => window.held.push({ address, comes, fails }));
        }
        return answer;
    };
})"""
LOOK = "document.dispatchEvent(new Event('visibilitychange'))"  # as when somebody comes back to the page
ROUND_TRIP = "fetch('/api/v1/games').then((answer) => answer.text())"


async def hold(tab: Browser, addresses: str) -> None:
    """From now on what is answered to these addresses is held back. addresses: a regular expression."""
    await tab.read(f"{HOLD}({json.dumps(addresses)})")


async def until_held(tab: Browser, count: int = 1) -> None:
    """Wait until the server has given so many answers."""
    await tab.until(f"window.held.length >= {count}")


async def come(tab: Browser, number: int = 0) -> None:
    """An answer comes, and the page has done what it does with it."""
    await tab.read(f"window.held[{number}].comes()")
    await settle(tab)


async def fail(tab: Browser, number: int = 0) -> None:
    """An answer is lost, as if the server had gone meanwhile."""
    await tab.read(f"window.held[{number}].fails(new TypeError())")
    await settle(tab)


async def settle(tab: Browser) -> None:
    """What is there to be read is read: other answers have come since."""
    for _ in range(2):
        await tab.read(ROUND_TRIP)
        await tab.read("new Promise((done) => setTimeout(done, 0))")
