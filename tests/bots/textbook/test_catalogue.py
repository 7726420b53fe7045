from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from tabiya.bots.textbook.catalogue import LISTINGS, Horizon, Listing, UnknownListing, find, names

ROOT = Path(__file__).parents[3]
EACH = pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
# What the five texts print, by the names they use.
PRINTED = {
    "000": {"BlueValue", "RedValue", "NegaMax"},
    "001": {"minimax", "alphabeta", "alphabetapvs"},
    "002": {"negamax", "Max", "Min", "MaxAB", "MinAB", "AB"},
    "003": {"MinMax", "Max", "Min", "NegaMax"},
    "004": {"Minimax"},
}


def test_every_file_of_a_listing_is_in_the_catalogue_and_the_other_way_round() -> None:
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("bots/textbook/text_*/*.py")}
    assert files - {f"bots/textbook/text_{text}/__init__.py" for text in PRINTED} == {
        listing.path for listing in LISTINGS
    }


def test_every_function_that_the_texts_print_is_there_under_its_name() -> None:
    for text, functions in PRINTED.items():
        modules = [listing.module for listing in LISTINGS if listing.source == text]
        written = {name for module in modules for name, _ in inspect.getmembers(module, inspect.isfunction)}
        assert functions <= written


@EACH
def test_a_listing_says_what_it_promises(listing: Listing) -> None:
    about = inspect.getdoc(listing.module)
    assert about is not None
    assert about.startswith(listing.source)
    words = ["Value", "Depth", "Deviation"] + ["Ends"] * (listing.looks is not Horizon.AT_MOVES)
    assert [word for word in words if word not in about] == []


@EACH
def test_a_listing_is_as_short_as_in_the_book(listing: Listing) -> None:
    module = ast.parse(inspect.getsource(listing.module))
    for function in [node for node in module.body if isinstance(node, ast.FunctionDef)]:
        assert function.end_lineno is not None
        assert function.end_lineno - function.lineno < 20


@EACH
def test_a_listing_imports_nothing_but_the_protocol_of_a_node(listing: Listing) -> None:
    module = ast.parse(inspect.getsource(listing.module))
    imported = {node.module for node in ast.walk(module) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "tabiya.bots.textbook.node"}
    assert not [node for node in ast.walk(module) if isinstance(node, ast.Import)]


def test_names_are_unique_and_found() -> None:
    assert len(names()) == len(LISTINGS) + len([listing for listing in LISTINGS if listing.family])
    for listing in LISTINGS:
        assert find(listing.name) is listing
        assert not listing.family or find(listing.family) is listing


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownListing, match=r"there is no algorithm 'mtdf' \(there are: minimax, .*004-greedy"):
        find("mtdf")
