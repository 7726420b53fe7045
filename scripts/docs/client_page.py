"""docs/reference/client.md: the names for authors of bots, made from the code itself."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

import tabiya
from scripts.docs.markdown import docstring, field_description
from tabiya.games.contract import Game
from tabiya.games.position import Position
from tabiya.games.rules import Outcome


class _RulesClass(NamedTuple):
    """A class of the rules on the page; texts that are empty come from the source. members: name -> meaning."""

    kind: type
    about: str
    members: dict[str, str]


PAGE = "docs/reference/client.md"
HEAD = """# The client library

*Made from the code by `make docs`; do not edit.* Import all names from `tabiya`; all are typed.
[examples/ten_line_bot.py](../../examples/ten_line_bot.py) is a complete bot;
[your first bot](../tutorial/your-first-bot.md) explains it.

* **`choose` is a plain method or an `async def`.** A plain method runs in its own thread and may compute for long; an
  `async def` runs in the event loop and must not block it.
* **Time:** `turn.time_left` and `turn.deadline` tell the time for this move. `turn.stopped` becomes true when
  the answer is no longer needed. After a missed deadline the client prints a message with the position.
* **Several matches at once** (`at_once=`): `choose` is called for several turns at the same time. `tabiya bot
  --workers N` uses N processes; each match stays in one process. A worker that crashes is replaced and asked once
  more. A bot without a move in time loses on time; with `--on-failure legal-move` the client plays a legal move and
  says so in `info.text`.
* **Connections:** the client reconnects after a quarter of a second, then at growing intervals up to half a minute
  (up to half of each is random), for an hour. Matches continue: the server sends the turn again, and
  `choose` is not called twice for it.
* **Errors** in a bot's code are printed with its lines and the match, game and position that caused them
  ([examples](../how-to/when-something-fails.md)). Then the bot resigns the match, or with `on_error="legal"`
  plays a legal move.
* **The rules** (`turn.position()`, `load_game`) need the `engine` extra: `pip install "tabiya[engine]"`.
"""
FIELDS_IN_PROTOCOL = (tabiya.MatchStarted, tabiya.MatchEnded, tabiya.Seek)  # their fields are explained there
ORDER = ("Bot", "Turn", "Choice", "MoveInfo", "MatchStarted", "MatchEnded", "run", "run_async", "Seek", "Summary")


# of the rules only what a bot needs; "" where docstring or comment of the source say it
GAME = {
    "name": "The name, as in `turn.game`.",
    "title": "The name for people.",
    "seat_names": "Names of seats 0 and 1, such as White and Black.",
    "options": "The options that `start` takes, each with `name`, `default` and `help`.",
    "start": "",
    "parse": "",
    "readable_move": "",
    "read_move": "",
    "svg": "",
}
POSITION = {
    "game": "Its `Game`.",
    "moves": "",
    "start_text": "The position before these moves, as text.",
    "to_move": "",
    **dict.fromkeys(("text", "ply", "last_move", "legal_moves", "play", "outcome", "can_win"), ""),
    **dict.fromkeys(("check_move", "history", "repetitions", "is_same"), ""),
}
OUTCOME = {
    "winner": "The winning seat; None for a draw.",
    "ending": "Such as `checkmate`; see [endings](protocol.md#endings).",
}
RULES = (
    _RulesClass(Game, "The rules of one game, as `load_game` returns them.", GAME),
    _RulesClass(Position, "", POSITION),
    _RulesClass(Outcome, "How a game ended, from `position.outcome()`.", OUTCOME),
)
COMMENTED_FIELD = re.compile(r"^    (\w+): .+?  # (.+)$", re.MULTILINE)


def documents() -> dict[str, str]:
    """The page, by its path from the root."""
    rest = [name for name in tabiya.__all__ if name not in ORDER and name not in ("__version__", "load_game")]
    sections = [_section(name, getattr(tabiya, name)) for name in (*ORDER, *rest, "load_game")]
    return {PAGE: "\n".join([HEAD, *sections, *map(_rules_section, RULES)])}


def _section(name: str, value: Any) -> str:
    lines = [f"## {name}", "", docstring(value), ""]
    if inspect.isfunction(value):
        lines[1:1] = ["", f"    {name}{_signature(value)}"]
    elif value in FIELDS_IN_PROTOCOL:
        tag = str(value.__struct_config__.tag)
        names = ", ".join(f"`{name}`" for name in value.__struct_fields__)
        lines += [f"Fields: {names}, as in [`{tag}`](protocol.md#{tag}).", ""]
    elif isinstance(value, type) and not issubclass(value, Exception):
        lines += [f"* {line}" for line in _members(value)] + [""]
    return "\n".join(lines)


def _rules_section(shown: _RulesClass) -> str:
    lines = dict(_fields(shown.kind)) | dict(_methods(shown.kind))
    members = [f"* `{name}`: {text}" if text else f"* {lines[name]}" for name, text in shown.members.items()]
    return "\n".join([f"## {shown.kind.__name__}", "", shown.about or docstring(shown.kind), "", *members, ""])


def _members(kind: type) -> Iterator[str]:
    """Fields with their meaning, then properties and methods, in the order of the source."""
    if issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind, include_extras=True)
        for field in msgspec.structs.fields(kind):
            meaning = field_description(hints[field.name])
            yield f"`{field.name}`" + (f": {meaning}" if meaning else "")
    yield from dict(_methods(kind)).values()


def _fields(kind: type) -> Iterator[tuple[str, str]]:
    """Declared fields with the comment behind them: name -> line."""
    for name, comment in COMMENTED_FIELD.findall(inspect.getsource(kind)):
        yield name, f"`{name}`: {comment[0].upper()}{comment[1:]}."


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    """Public properties and methods: name -> line."""
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            yield name, f"`{name}`: {docstring(value)}"
        elif inspect.isfunction(value):
            call = f"{name}{_signature(value)}".replace("(self, ", "(").replace("(self)", "()")
            yield name, f"`{call}`: {docstring(value)}"


def _signature(function: Any) -> str:
    return str(inspect.signature(function)).replace("'", "").replace('"', "")
