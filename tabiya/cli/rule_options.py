"""`--draw`, `--resign`, `--sprt`, as engine authors know them: `--draw movenumber=40 movecount=8 score=10`.

One grammar for every command that has them. What stands in one option may be parted by spaces or commas; behind the
option its words may also stand unquoted, as fastchess takes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from tabiya.errors import UserError

if TYPE_CHECKING:
    from tabiya.server.core.adjudication import Adjudication
    from tabiya.server.ratings.sprt import Sprt

RULES = {
    "--draw": ("movenumber", "movecount", "score"),
    "--resign": ("movecount", "score", "twosided"),
    "--sprt": ("elo0", "elo1", "alpha", "beta", "model"),
}
"""The names of each rule's values."""

EXAMPLES = {
    "--draw": "movenumber=40 movecount=8 score=10",
    "--resign": "movecount=3 score=600",
    "--sprt": "elo0=0 elo1=5",
}

DRAW_OPTION = typer.Option(
    "",
    "--draw",
    metavar="RULE",
    help=f"Draw if both bots' scores stay near 0: {EXAMPLES['--draw']} (score in hundredths).",
)
RESIGN_OPTION = typer.Option(
    "",
    "--resign",
    metavar="RULE",
    help=f"A bot loses if its own scores stay this low: {EXAMPLES['--resign']}, optionally twosided=true.",
)
MAX_MOVES_OPTION = typer.Option(
    0, "--max-moves", "--maxmoves", help="Draw after this many moves by each side; 0: never.", min=0
)


def with_rules_joined(words: Sequence[str]) -> list[str]:
    """The words of a command with the NAME=VALUE words behind each rule's option made one with it."""
    whole, names = list[str](), tuple[str, ...]()  # names: of the values that the last word takes
    for word in words:
        name, equals, _ = word.partition("=")
        if equals and name in names:
            # --draw a=1 b=2 becomes the one word "--draw=a=1 b=2"
            whole[-1] += f"{' ' if '=' in whole[-1] else '='}{word}"
        else:
            whole.append(word)
            names = RULES.get(name, ())
    return whole


def read_adjudication(draw: str, resign: str, max_moves: int) -> Adjudication | None:
    """The rule that these options ask for; None for none. Raises UserError."""
    from tabiya.server.core.adjudication import MOST_MOVES, Adjudication, DrawRule, ResignRule

    if not (draw or resign or max_moves):
        return None
    if max_moves > MOST_MOVES:
        raise UserError(f"--max-moves is a whole number from 0 to {MOST_MOVES}, not {max_moves}")
    return Adjudication(
        draw=DrawRule(**_read("--draw", draw, DrawRule)) if draw else None,
        resign=ResignRule(**_read("--resign", resign, ResignRule)) if resign else None,
        maxmoves=max_moves,
    )


def read_sprt(given: Sequence[str]) -> Sprt | None:
    """The sequential test in texts such as `elo0=0 elo1=5`; None for none. Raises UserError."""
    from tabiya.server.ratings.sprt import Sprt

    try:
        return Sprt(**_read("--sprt", " ".join(given), Sprt)) if given else None
    except ValueError as error:
        raise UserError(f"--sprt: {error}") from None


def _read(option: str, text: str, kind: type[Any]) -> dict[str, Any]:
    """The fields of a class out of `NAME=VALUE NAME=VALUE`. Raises UserError."""
    import msgspec

    fields = {field.name: field for field in msgspec.inspect.type_info(kind).fields}  # type: ignore[attr-defined]
    types, given = get_type_hints(kind, include_extras=True), dict[str, Any]()
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals or name not in fields:
            raise UserError(f"{option} takes {', '.join(f'{one}=' for one in fields)}, not {word!r}")
        if name in given:
            raise UserError(f"{option} has {name} twice")
        try:
            given[name] = msgspec.convert(value, types[name], strict=False)  # every value is a text here
        except msgspec.ValidationError:
            raise UserError(f"{option}: {name} is {_allowed(fields[name].type)}, not {value!r}") from None
    if missing := [name for name, field in fields.items() if field.required and name not in given]:
        raise UserError(f"{option} needs {' and '.join(missing)}, as in {option} {EXAMPLES[option]}")
    return given


def _allowed(kind: Any) -> str:
    """What values a field takes, in words."""
    from msgspec.inspect import FloatType, IntType, LiteralType, Metadata

    while isinstance(kind, Metadata):
        kind = kind.type
    if isinstance(kind, IntType):
        return f"a whole number from {kind.ge} to {kind.le}"
    if isinstance(kind, LiteralType):
        return " or ".join(map(str, kind.values))
    return "a number" if isinstance(kind, FloatType) else "true or false"


def adjudicated(rule: dict[str, Any]) -> str:
    """A rule, as the API tells it, in words."""
    import msgspec

    from tabiya.server.core.adjudication import Adjudication, in_words

    return in_words(msgspec.convert(rule, Adjudication))
