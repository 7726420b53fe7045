from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import CodeType, FunctionType

import pytest

from tabiya.bots.textbook.catalogue import LISTINGS, Listing, find
from tabiya.bots.textbook.printed import printed

EACH = pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
NOT_PRINTED = (
    "000-alphabeta-strict",
    "000-greedy",
    "001-alphabeta-checked",
    "001-alphabetapvs-checked",
    "004-alphabeta-corrected",
    "004-greedy",
)
BLUE_AND_RED = "BlueValue RedValue Board depth MaxDepth GameOver Analysis infinity max min"
NEGAMAX = "NegaMax Board depth MaxDepth GameOver Analysis infinity max sign color"
C_LIKE = "depth eval movegen firstmove lastmove makeMove unmakeMove val"
MATHEMATICAL = "P S terminal"
CHESS = "INFINITY Evaluate GenerateLegalMoves MovesLeft MakeNextMove UnmakeMove best val"
FUNCTIONAL = "Minimax state turn MAXIMIZING MINIMIZING Successors maximum minimum"
LIMITED = f"{FUNCTIONAL} lookahead Lookahead-Limit-Reached? static-board-evaluation"
# The names that a reader of the book will look for.
NAMES = {
    "000-minimax": BLUE_AND_RED,
    "000-negamax": NEGAMAX,
    "000-alphabeta": f"{BLUE_AND_RED} alpha beta",
    "000-negamax-alphabeta": f"{NEGAMAX} alpha beta",
    "000-alphabeta-strict": f"{NEGAMAX} alpha beta",
    "000-greedy": "A Board infinity max",
    "001-minimax": f"{C_LIKE} minimax best LARGE_NUMBER",
    "001-alphabeta": f"{C_LIKE} alphabeta alpha beta",
    "001-alphabeta-checked": f"{C_LIKE} alphabeta alpha beta",
    "001-alphabetapvs": f"{C_LIKE} alphabetapvs ply alpha beta pvfound",
    "001-alphabetapvs-checked": f"{C_LIKE} alphabetapvs ply alpha beta pvfound",
    "001-triangular": f"{C_LIKE} minimax ply best LARGE_NUMBER moveBuffer triangularArray triangularLength",
    "002-negamax": f"{MATHEMATICAL} negamax v m max infinity",
    "002-max-min": f"{MATHEMATICAL} Max Min v' m max min infinity",
    "002-preclusion": f"{MATHEMATICAL} negamax v m max",
    "002-maxab-minab": f"{MATHEMATICAL} MaxAB MinAB v' alpha beta max min",
    "002-ab": f"{MATHEMATICAL} AB v alpha beta max",
    "003-minmax": f"{CHESS} MinMax Max Min SideToMove WHITE",
    "003-negamax": f"{CHESS} NegaMax",
    "004-minimax": f"{FUNCTIONAL} results final? WIN LOSS DRAW",
    "004-lookahead": f"{LIMITED} results",
    "004-alphabeta-printed": f"{LIMITED} alpha beta infinity",
    "004-alphabeta-corrected": f"{LIMITED} alpha beta",
    "004-greedy": "",
}


def functions_of(listing: Listing) -> list[FunctionType]:
    module = listing.module
    return [each for _, each in inspect.getmembers(module, inspect.isfunction) if each.__module__ == module.__name__]


def traced(code: CodeType) -> Iterator[int]:
    """The lines that a tracer can report inside a function and the comprehensions in it."""
    yield from (line for _, _, line in code.co_lines() if line is not None)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from traced(inner)


def words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][\w-]*[\w?']?|[A-Za-z]", re.sub("//.*", "", text)))


@EACH
def test_each_line_that_runs_is_in_a_line_of_the_book_and_each_line_of_the_book_is_in_one_that_is_there(
    listing: Listing,
) -> None:
    source = inspect.getsource(listing.module).splitlines()
    marked = {number for line in printed(listing) for number in line.ours}
    assert {line for function in functions_of(listing) for line in traced(function.__code__)} <= marked
    assert [number for number in marked if not 1 <= number <= len(source) or not source[number - 1].strip()] == []


@EACH
def test_a_line_of_the_book_uses_the_names_of_the_listing(listing: Listing) -> None:
    source, functions = inspect.getsource(listing.module).splitlines(), functions_of(listing)
    variables = {name for function in functions for name in function.__code__.co_varnames} - {"b", "m", "s", "state"}
    ours = variables | {function.__name__ for function in functions}
    for line in printed(listing):
        text = " ".join(source[number - 1] for number in line.ours)
        assert not line.ours or text.startswith("def ") or words(line.text) & ours <= words(text), line


@EACH
def test_a_line_of_the_book_has_return_and_if_where_the_listing_has(listing: Listing) -> None:
    source = inspect.getsource(listing.module).splitlines()
    for line in printed(listing):
        for number in line.ours:
            assert ("return " in line.text) == ("return " in source[number - 1]), line
        starts = [source[number - 1].split()[0] for number in line.ours]
        assert line.text.split()[:1] != ["if"] or "if" in starts, line


@EACH
def test_the_lines_of_both_go_on_in_the_same_order(listing: Listing) -> None:
    numbers = [line.ours[-1] for line in printed(listing) if line.ours and "if MINIMIZING:" not in line.text]
    assert numbers == sorted(numbers)


@EACH
def test_the_book_s_names_stand_in_its_form(listing: Listing) -> None:
    form = "\n".join(line.text for line in printed(listing))
    assert {*NAMES[listing.name].split(), *listing.functions} - words(form) == set()


@EACH
def test_what_the_text_does_not_print_says_so_first(listing: Listing) -> None:
    first = printed(listing)[0]
    assert (listing.name in NOT_PRINTED) == (first.text[:2] in ("//", "; ") and first.ours == ())


def test_forms_are_written_in_the_syntax_of_their_book() -> None:
    def form(name: str) -> str:
        return "\n".join(line.text for line in printed(find(name)))

    assert "int x = RedValue(c, depth + 1)" in form("000-minimax")
    assert "unmakeMove();" in form("001-alphabeta")
    assert "for each P' in S(P)" in form("002-ab")
    assert "while (MovesLeft())" in form("003-minmax")
    assert "(> alpha beta)" in form("004-alphabeta-printed")
