"""A picture of a page, as WebP, in a size that is the same everywhere."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from scripts.docs.screenshots.scene import Scene
from tests.server.web.browser import Browser

QUALITY = 82  # of WebP: above, letters look no better
SETTLED_S = 1.5  # what a page fetches and draws after it was loaded, such as the line that a bot expects
LOADED = "[...document.images].every((image) => image.complete && image.naturalWidth)"


class Shot(NamedTuple):
    """One picture. address: of its page on the scene's server.  before: what is done in the page first.

    width, height: of the window in which the page is shown.  shown: width of the picture, where it is not the window's.
    """

    name: str
    address: Callable[[Scene], str]
    width: int = 1280
    height: int = 860
    shown: int = 0
    dark: bool = False
    before: Callable[[Browser], Awaitable[None]] | None = None


async def photograph(tab: Browser, scene: Scene, shot: Shot) -> bytes:
    """The picture."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if shot.dark else "light"}
    await tab.tell(
        "Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}]
    )
    await tab.tell("Emulation.setScrollbarsHidden", hidden=True)
    size = {"width": shot.width, "height": shot.height}
    await tab.tell("Emulation.setDeviceMetricsOverride", **size, deviceScaleFactor=1, mobile=False)
    await tab.open(scene.pages + shot.address(scene))
    if shot.before is not None:
        await shot.before(tab)
    await tab.until(LOADED)
    await asyncio.sleep(SETTLED_S)
    area = {"x": 0, "y": 0, **size, "scale": (shot.shown or shot.width) / shot.width}
    taken = await tab.tell("Page.captureScreenshot", format="webp", quality=QUALITY, clip=area)
    return base64.b64decode(taken["data"])
