"""How smoothly the explorer's page steps through a large search, and what memory it takes.

    python -m benchmarks.explorer [--question 'game=chess&depth=3&algorithm=minimax'] [--steps 400]

A server and Chromium on this machine. The page is opened once while the server searches, and once when the answer is
kept there: from then until it is drawn, and from a key or a jump of the slider until all is drawn and laid out again.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from urllib.parse import parse_qsl, urlencode

from tabiya.explorer.explorer import Explorer
from tests.server.web.browser import Browser, browser, new_tab
from tests.server.web.pages.explore_page import READY
from tests.server.web.web_server import WebServer, web_server

QUESTION = "game=nim&position=1,4,8 normal 1&depth=13&wins=one&algorithm=minimax"
LAST = "document.getElementById('slider').max"
KEYS = ("ArrowRight", "ArrowRight", "ArrowLeft", "r", "c", "C")
STEP = """(() => {
  const began = performance.now(), slider = document.getElementById("slider");
  if (typeof WHERE === "number") {
    slider.value = WHERE;
    slider.dispatchEvent(new Event("input"));
  } else document.body.dispatchEvent(new KeyboardEvent("keydown", { key: WHERE, bubbles: true }));
  document.querySelector(".tree .stage").getBoundingClientRect();
  return performance.now() - began;
})()"""
DRAWN_S = 120


async def step_ms(tab: Browser, where: int | str) -> float:
    """One step: a key, or the slider moved to a step."""
    return float(await tab.read(STEP.replace("WHERE", repr(where))))


async def memory_mb(tab: Browser) -> float:
    """Megabytes of the page's objects and arrays after garbage collection."""
    await tab.tell("HeapProfiler.collectGarbage")
    used = await tab.tell("Runtime.getHeapUsage")
    return float(used["usedSize"] + used["embedderHeapUsedSize"] + used["backingStorageSize"]) / 1_000_000


async def opened_s(web: WebServer, tab: Browser, question: dict[str, str]) -> float:
    """Seconds until the search is drawn."""
    began = time.perf_counter()
    await tab.open(f"{web.url}/explore?{urlencode(question)}")
    while True:
        try:  # a look is given up after 40 s; who opens the page again begins the search again
            await tab.until(READY)
            return time.perf_counter() - began
        except TimeoutError:
            if time.perf_counter() - began > DRAWN_S:
                raise


async def measure(question: dict[str, str], steps: int) -> None:
    """Print what was measured."""
    with browser() as address:
        async with web_server() as web, new_tab(address) as tab:
            web.server.explorer = Explorer(processes=1)
            searched, again = await opened_s(web, tab, question), await opened_s(web, tab, question)
            last = int(await tab.read(LAST))
            took = []
            for number in range(steps // (len(KEYS) + 1)):
                took.append(await step_ms(tab, int(last * (number * 0.618034 % 1))))
                took += [await step_ms(tab, key) for key in KEYS]
            memory = await memory_mb(tab)
    took.sort()
    print(f"{(last + 1) // 2:,} visits: searched and drawn after {searched:.1f} s, drawn again after {again:.2f} s")
    print(
        f"{len(took)} steps: median {statistics.median(took):.1f} ms, "
        f"95 % {took[int(0.95 * len(took))]:.1f} ms, most {took[-1]:.1f} ms"
    )
    print(f"memory of the page: {memory:.0f} MB, {1_000_000 * memory / ((last + 1) // 2):.0f} bytes a visit")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--question", default=QUESTION, help="as the page's address has it (%(default)s)")
    parser.add_argument("--steps", type=int, default=400, help="(%(default)s)")
    given = parser.parse_args()
    asyncio.run(measure(dict(parse_qsl(given.question)), given.steps))


if __name__ == "__main__":
    main()
