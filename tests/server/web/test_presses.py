"""How tests press what a page moves away or draws again meanwhile."""

from __future__ import annotations

import pytest

from tests.server.web.browser import Browser
from tests.server.web.play_page import click, touch
from tests.server.web.web_server import WebServer

pytestmark = pytest.mark.slow

BUTTON = """{
    const button = Object.assign(document.createElement('button'), { id: 'pressed', textContent: 'Press' });
    document.querySelector('main').prepend(button);
    window.presses = 0;
    document.addEventListener('click', ({ target }) => { window.presses += target.id === 'pressed'; });
    const drawAgain = () => document.getElementById('pressed').replaceWith(button.cloneNode(true));
    const moved = () => {
        const before = button.getBoundingClientRect();
        button.style.marginTop = '200px';
        button.getBoundingClientRect = () => { delete button.getBoundingClientRect; return before; };
    };
    HAPPENS;
}"""
HAPPENS = {
    "moved before": "moved()",
    "drawn again between": "addEventListener('mousedown', drawAgain, { once: true })",
}


@pytest.mark.parametrize("happens", HAPPENS)
async def test_a_mouse_presses_again(web: WebServer, tab: Browser, happens: str) -> None:
    await tab.open(f"{web.url}/about")
    await tab.read(BUTTON.replace("HAPPENS", HAPPENS[happens]))
    await click(tab, "#pressed")
    assert await tab.read("window.presses") == 1


async def test_so_does_a_finger(web: WebServer, tab: Browser) -> None:
    await tab.tell("Emulation.setTouchEmulationEnabled", enabled=True)
    await tab.open(f"{web.url}/about")
    await tab.read(BUTTON.replace("HAPPENS", "moved()"))
    await touch(tab, "#pressed")
    await tab.until("window.presses === 1")


async def test_what_is_waited_for_is_not_looked_for_in_half_a_page(web: WebServer, tab: Browser) -> None:
    await tab.open(f"{web.url}/about")
    await tab.read("Object.defineProperty(document, 'readyState', { get: () => window.state, configurable: true })")
    await tab.read("window.state = 'loading'; setTimeout(() => { window.there = {}; window.state = 'complete'; }, 200)")
    await tab.until("window.there.missing === undefined")
    assert tab.complaints == []
