"""Terms of a single player, after its question mark: `uci:./new?Hash=64&tc=5+0.05&restart=on`.

`name` is what it is called, `tc` its own time control, `restart` whether its program is started again for each game,
`book` its opening book, in Polyglot's format, and `bookplies` for how many plies of a game that is asked. They are
terms of the match and no options of the player: a PLAYER that is read elsewhere cannot have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tabiya.bots.adapters.engine_options import whole_number
from tabiya.bots.players.spec import ENGINES, PlayerError, parse_player, quoted, unescaped
from tabiya.match.own_book import MOST_PLIES, BookTerms
from tabiya.protocol.time_control import by_seat_text, parse, parse_by_seat

OWN = NAME, TIME_CONTROL, RESTART, BOOK, BOOK_PLIES = "name", "tc", "restart", "book", "bookplies"
OF_ENGINES = RESTART, BOOK, BOOK_PLIES
SWITCH = {"on": True, "off": False}


class PlayerTerms(NamedTuple):
    """A PLAYER with its own terms: empty and None where the terms of the match apply."""

    player: str
    time_control: str = ""
    restarts: bool | None = None
    book: BookTerms | None = None
    name: str = ""


def terms_of(text: str) -> PlayerTerms:
    """The terms in a player's text. Raises PlayerError, TimeControlError."""
    head, mark, tail = text.rpartition("?")
    words = tail.split("&") if mark else []
    own = {
        name.strip(): unescaped(value.strip())
        for name, _, value in (word.partition("=") for word in words)
        if name.strip() in OWN
    }
    if not own:
        return PlayerTerms(text)
    options = [word for word in words if word.partition("=")[0].strip() not in own]
    player = head + (mark + "&".join(options) if options or mark in head else "")  # a command may hold a mark, too
    control = str(parse(own[TIME_CONTROL])) if TIME_CONTROL in own else ""
    given = next((name for name in own if name in OF_ENGINES), "")
    if given and parse_player(player).kind not in ENGINES:
        raise PlayerError(f"{quoted(text)}: {given} is for programs by a protocol of engines, such as uci:./engine")
    restarts = _restarts(text, own[RESTART]) if RESTART in own else None
    return PlayerTerms(player, control, restarts, _book(text, own), _name(text, own[NAME]) if NAME in own else "")


def time_controls(players: tuple[PlayerTerms, PlayerTerms], control: str) -> str:
    """The time control of a `MatchPlan`. control: of the match. Raises TimeControlError."""
    first, second = (parse(player.time_control or control) for player in players)
    return by_seat_text(*parse_by_seat(f"{first},{second}"))


def _restarts(text: str, value: str) -> bool:
    if value not in SWITCH:
        raise PlayerError(f"{quoted(text)}: {RESTART} is on or off, not {value!r}")
    return SWITCH[value]


def _name(text: str, name: str) -> str:
    from tabiya.server.accounts.names import NameRefused, check_name

    try:
        return check_name(name)
    except NameRefused as error:
        raise PlayerError(f"{quoted(text)}: {error}") from None


def _book(text: str, own: Mapping[str, str]) -> BookTerms | None:
    given = own.get(BOOK_PLIES, str(MOST_PLIES))
    if not own.get(BOOK) and own.keys() & {BOOK, BOOK_PLIES}:
        raise PlayerError(f"{quoted(text)}: {BOOK} names a file in Polyglot's format, and {BOOK_PLIES} belongs to it")
    plies = whole_number(given)
    if plies is None or not 1 <= plies <= MOST_PLIES:
        raise PlayerError(f"{quoted(text)}: {BOOK_PLIES} is a whole number from 1 to {MOST_PLIES}, not {given!r}")
    return BookTerms(own[BOOK], plies) if BOOK in own else None
