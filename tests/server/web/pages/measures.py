"""What holds on every page, as tests ask it in a browser: what axe finds, and what is cut or lies on something else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from tests.server.web.browser import Browser

WIDTHS = (320, 390, 1440, 1920, 3840)
USUAL_WIDTH = 1440
MEASURE = Path(__file__).with_name("measure.js").read_text(encoding="utf-8")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
FOUND = """axe.run({exclude: ALIKE}, OPTIONS).then(({violations}) => violations
    .filter(({impact, id}) => ["serious", "critical"].includes(impact) || ALSO.includes(id))
    .map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 160)} ${nodes[0].any.map((one) => one.message)}`))"""
ALSO = ["heading-order", "empty-table-header", "landmark-one-main", "region", "page-has-heading-one"]
# of what is alike the first ones
ALIKE = ["tr:nth-child(n + 5)", "article:nth-child(n + 4)", "li:nth-child(n + 6)", ".pairing:nth-of-type(n + 4)"]
EVERY_RULE, COLOURS = {"resultTypes": ["violations"]}, {"runOnly": ["color-contrast"]}


FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 0)"
"""Two frames, after which everything has its place for the new size."""


async def shown(tab: Browser, width: int, scheme: str = "light", media: str = "", forced: str = "none") -> None:
    """The page as on a screen of this width (or on paper), in a colour scheme or in forced colours."""
    height = 844 if width < 600 else width * 9 // 16
    size = {"width": width, "height": height, "deviceScaleFactor": 1}
    await tab.tell("Emulation.setDeviceMetricsOverride", **size, mobile=False)  # a mobile one zooms out until all fits
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
        {"name": "forced-colors", "value": forced},
    ]
    await tab.tell("Emulation.setEmulatedMedia", media=media, features=features)
    await tab.read(FRAMES)


def axe(options: dict[str, list[str]]) -> str:
    """What axe finds with these options, as an expression to be read in a page that has run AXE."""
    return (
        FOUND.replace("OPTIONS", json.dumps(options))
        .replace("ALSO", json.dumps(ALSO))
        .replace("ALIKE", json.dumps(ALIKE))
    )


async def faults(tab: Browser, widths: Sequence[int] = WIDTHS, strangers: Sequence[str] = ()) -> list[str]:
    """What is found in the page as it stands, at these widths, in the light and, at the least of them, in the dark.

    strangers: texts that others have chosen.  A width costs more than what is looked at there, so each is taken once.
    """
    await tab.read(f"{AXE}; 0")
    found = []
    for width in widths:
        await shown(tab, width)
        found += [f"{width}: {fault}" for fault in await tab.read(f"({MEASURE})({json.dumps(strangers)})")]
        if width == (USUAL_WIDTH if USUAL_WIDTH in widths else widths[-1]):
            found += await tab.read(axe(EVERY_RULE))
        if width == widths[0]:
            await shown(tab, width, "dark")
            found += [f"dark: {fault}" for fault in await tab.read(axe(COLOURS))]
    return found
