"""What every test of the bots needs."""

from __future__ import annotations

import asyncio

# looptime's plugin asks for "the" event loop before pytest-asyncio has made one. Python 3.11 then makes one that nobody
# closes, and whichever test meets the garbage collector first fails on the warning. With none set it makes none.
asyncio.set_event_loop(None)
