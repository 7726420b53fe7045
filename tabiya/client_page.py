"""docs/reference/client.md: what a bot's author imports, made from the code itself: `make docs`."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

import tabiya

PAGE = "docs/reference/client.md"
HEAD = """# The client library

*Made from the code by `make docs`; do not edit.* All names are imported from `tabiya`, and all are typed. The whole of
a bot in ten lines is [examples/ten_line_bot.py](../../examples/ten_line_bot.py); [your first
bot](../tutorial/your-first-bot.md) leads there.

* **`choose` is a plain method or an `async def`.** A plain one runs in a thread of its own and may think as long as it
  likes; an `async def` runs in the event loop and must not block it.
* **Time:** `turn.time_left` and `turn.deadline` say how long there is for this move; `turn.stopped` turns true when
  nobody waits for the answer any more. Past the deadline the author is told, with the position.
* **Several matches at once** (`at_once=`): `choose` is then called for several turns at the same time. `tabiya bot
  --workers N` thinks in so many processes, each match staying in one; a worker that hangs or crashes is replaced and
  the match goes on.
* **Connections** that break are made again after a quarter of a second, then ever later up to half a minute, each time
  with up to half of it left to chance, for an hour. Matches go on: the turn comes again, and what was being thought
  about it is not thought again.
* **Errors** in a bot's code are printed with the traceback and the match, game and position that caused them; then the
  match is resigned, or with `on_error="legal"` some legal move is played.
* **The rules** (`turn.position()`, `load_game`) need the `engine` extra: `pip install "tabiya[engine]"`.
"""
ORDER = ("Bot", "Turn", "Choice", "MoveInfo", "MatchStarted", "MatchEnded", "run", "run_async", "Seek", "Summary")


def documents() -> dict[str, str]:
    """The page, by its path from the root."""
    rest = [name for name in tabiya.__all__ if name not in ORDER and name != "__version__"]
    return {PAGE: "\n".join([HEAD, *(_section(name) for name in (*ORDER, *rest))])}


def _section(name: str) -> str:
    value = getattr(tabiya, name)
    lines = [f"## {name}", "", _text(value), ""]
    if inspect.isfunction(value):
        lines[1:1] = ["", f"    {name}{_signature(value)}"]
    elif isinstance(value, type) and not issubclass(value, Exception):
        lines += [f"* {line}" for line in _members(value)] + [""]
    return "\n".join(lines)


def _members(kind: type) -> Iterator[str]:
    """Fields with their meaning, then properties and methods, in the order of the source."""
    if issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind, include_extras=True)
        for field in msgspec.structs.fields(kind):
            meaning = _meaning(hints[field.name])
            yield f"`{field.name}`" + (f": {meaning}" if meaning else "")
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            yield f"`{name}`: {_text(value)}"
        elif inspect.isfunction(value):
            call = f"{name}{_signature(value)}".replace("(self, ", "(").replace("(self)", "()")
            yield f"`{call}`: {_text(value)}"


def _meaning(hint: Any) -> str:
    texts = [getattr(part, "description", None) for part in getattr(hint, "__metadata__", ())]
    return next((text for text in texts if text), "")


def _signature(function: Any) -> str:
    return str(inspect.signature(function)).replace("'", "").replace('"', "")


def _text(value: Any) -> str:
    """The docstring as one paragraph for each of its own."""
    paragraphs = (inspect.getdoc(value) or "").split("\n\n")
    return " ".join(" ".join(paragraph.split()) for paragraph in paragraphs)
