"""Takes the pictures in docs/pictures again.

    python -m scripts.docs.screenshots [--to docs/pictures] [--only match play] [--small]

Needs Chromium. A class of eight bots plays three tournaments on a server in this process; look at what comes out.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from scripts.docs.screenshots.camera import Shot, photograph
from scripts.docs.screenshots.person import play_some_moves
from scripts.docs.screenshots.scene import SMALL, WHOLE, ClassSize, scene
from tests.server.web.browser import Browser, browser, new_tab

ROOT = Path(__file__).parents[3]


async def at_a_line(tab: Browser) -> None:
    """Wait until the explorer shows at which line the search is."""
    await tab.until("document.querySelector('.line.at')")


SHOTS = (
    Shot("match", lambda scene: scene.match),
    Shot("match-dark", lambda scene: scene.match, dark=True),
    Shot("play", lambda scene: "/play", before=play_some_moves),
    Shot("projector", lambda scene: "/projector", width=1920, height=1080, shown=1280),
    Shot("explore", lambda scene: "/explore?tree=000&algorithm=000-alphabeta&step=14", before=at_a_line),
    Shot("standings", lambda scene: "/standings/reversi", height=760),
    Shot("tournament", lambda scene: f"/tournaments/{scene.running}", height=900),
    Shot("bot", lambda scene: "/bots/Corner%20Hunter", height=900),
    Shot("documents", lambda scene: "/docs/reference/protocol", height=760, dark=True),
)


async def take(to: Path, shots: tuple[Shot, ...], size: ClassSize) -> None:
    """Play, and take these pictures."""
    with browser() as address:
        async with scene(size) as found:
            for shot in shots:
                async with new_tab(address) as tab:
                    picture = await photograph(tab, found, shot)
                (to / f"{shot.name}.webp").write_bytes(picture)
                print(f"{shot.name}.webp: {len(picture):,} bytes")


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    names = [shot.name for shot in SHOTS]
    parser = argparse.ArgumentParser(prog="python -m scripts.docs.screenshots", description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "docs/pictures", help="the folder")
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="of all pictures these")
    parser.add_argument("--small", action="store_true", help="a class of four bots, to see whether all goes")
    given = parser.parse_args(arguments)
    given.to.mkdir(parents=True, exist_ok=True)
    shots = tuple(shot for shot in SHOTS if shot.name in given.only)
    asyncio.run(take(given.to, shots, SMALL if given.small else WHOLE))


if __name__ == "__main__":
    main()
