"""`--draw`, `--resign` and `--max-moves`, as engine authors know them: `--draw movenumber=40 movecount=8 score=10`.

One grammar for every command that has them. What stands in one option may be parted by spaces or commas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from tabiya.errors import UserError

if TYPE_CHECKING:
    from msgspec import Struct

    from tabiya.server.core.adjudication import Adjudication

SEVERAL_WORDS = {"--draw": ("movenumber", "movecount", "score"), "--resign": ("movecount", "score", "twosided")}
"""Options that take NAME=VALUE words, and the names."""

EXAMPLES = {"--draw": "movenumber=40 movecount=8 score=10", "--resign": "movecount=3 score=600"}

DRAW_OPTION = typer.Option(
    "",
    "--draw",
    metavar="RULE",
    help=f"Draw when both bots' scores are near 0: {EXAMPLES['--draw']} (hundredths).",
)
RESIGN_OPTION = typer.Option(
    "",
    "--resign",
    metavar="RULE",
    help=f"Loss for a bot whose own scores say so: {EXAMPLES['--resign']}, and if wanted twosided=true.",
)
MAX_MOVES_OPTION = typer.Option(
    0, "--max-moves", "--maxmoves", help="Draw after so many moves of each; 0: never.", min=0
)


class RuleOptionsCommand(TyperCommand):
    """A command in which all words of `--draw` and `--resign` belong to the option, quoted or not."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See click. The words that follow such an option become one."""
        return super().parse_args(ctx, joined(args))


def joined(args: list[str]) -> list[str]:
    """The same arguments, the NAME=VALUE words behind --draw and --resign made into one."""
    whole, rest = list[str](), args[::-1]
    while rest:
        whole.append(rest.pop())
        option, equals, _ = whole[-1].partition("=")
        if option not in SEVERAL_WORDS:
            continue
        if not equals and rest:
            whole.append(rest.pop())
        while rest and _belongs_to(option, rest[-1]):
            whole[-1] += f" {rest.pop()}"
    return whole


def _belongs_to(option: str, word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name in SEVERAL_WORDS[option]


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


def _read(option: str, text: str, kind: type[Struct]) -> dict[str, Any]:
    """The fields of a struct out of `NAME=VALUE NAME=VALUE`. Raises UserError."""
    import msgspec

    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    given: dict[str, Any] = {}
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals or name not in fields:
            raise UserError(f"{option} takes {', '.join(f'{one}=' for one in fields)}, not {word!r}")
        if name in given:
            raise UserError(f"{option} has {name} twice")
        try:
            given[name] = msgspec.convert(value, fields[name].type, strict=False)
        except msgspec.ValidationError:
            raise UserError(f"{option}: {name} is {_allowed(fields[name].type)}, not {value!r}") from None
    if missing := [name for name, field in fields.items() if field.required and name not in given]:
        raise UserError(f"{option} needs {' and '.join(missing)}, as in {option} {EXAMPLES[option]}")
    return given


def _allowed(kind: Any) -> str:
    """What values a field takes, in words."""
    import msgspec

    described = msgspec.inspect.type_info(kind)
    while isinstance(described, msgspec.inspect.Metadata):
        described = described.type
    if isinstance(described, msgspec.inspect.IntType):
        return f"a whole number from {described.ge} to {described.le}"
    return "true or false"


def adjudicated(rule: dict[str, Any]) -> str:
    """A rule, as the API tells it, in words."""
    import msgspec

    from tabiya.server.core.adjudication import Adjudication, in_words

    return in_words(msgspec.convert(rule, Adjudication))
