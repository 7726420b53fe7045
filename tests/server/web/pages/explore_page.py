"""The page of the search explorer as tests handle it: a server that has an explorer, and a tab."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.recording.recording import Recording
from tabiya.explorer.explorer import Explorer
from tests.server.web.browser import Browser, new_tab
from tests.server.web.pages.measures import USUAL_WIDTH, shown
from tests.server.web.web_server import WebServer, web_server

READY = "document.querySelector('#at')?.textContent && document.getElementById('sides')?.hidden === false"
READ = """(async () => {
  const { readRecording } = await import("/static/explore_recording.js");
  const bytes = Uint8Array.from(atob(PACKED), (letter) => letter.charCodeAt(0));
  const recording = await readRecording(new Response(bytes));
  return await (DOES)(recording);
})()"""


@contextlib.asynccontextmanager
async def exploring(browser_address: str) -> AsyncIterator[tuple[WebServer, Browser]]:
    """A server that searches, and a tab of the usual width on one of its pages; nothing is complained of in the end."""
    async with web_server() as web, new_tab(browser_address) as tab:
        web.server.explorer = Explorer(processes=1)
        await tab.open(f"{web.url}/about")
        await shown(tab, USUAL_WIDTH)
        yield web, tab
        assert tab.complaints == []


async def open_search(web: WebServer, tab: Browser, **given: Any) -> None:
    """The page at a question and a view, once the search is drawn."""
    await tab.open(f"{web.url}/explore?{urlencode(given)}")
    await tab.until(READY)


async def read_in_page(tab: Browser, recording: Recording, about: dict[str, Any], does: str) -> Any:
    """What a function of the page's recording returns. about: the rest of the head.  does: JavaScript."""
    packed = base64.b64encode(recording.packed(about)).decode()
    return await tab.read(READ.replace("PACKED", json.dumps(packed)).replace("DOES", does))


def recorded(**given: Any) -> tuple[Recording, dict[str, Any]]:
    """A search and what is said about it."""
    question = SearchQuestion(**given).checked()
    recording, report = question.recorded()
    return recording, question.about(report, recording)
