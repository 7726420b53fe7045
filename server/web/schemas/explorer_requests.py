"""Request models for searches."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.requests import LARGEST_ID, Name, RequestModel

MOST_VALUE = 1_000_000
Value = Annotated[int, Meta(ge=-MOST_VALUE, le=MOST_VALUE)]
Text = Annotated[str, Meta(max_length=7_000)]  # an address has about 8,000 characters


class SearchRequest(RequestModel, frozen=True, kw_only=True):
    """A search: the tree or the position of a game, and the algorithm."""

    algorithm: Annotated[Name, doc("Name or short name of a listing, from `tabiya analyse --list`.")] = (
        "alphabeta-failhard"
    )
    tree: Annotated[Text, doc("A tree such as `[[9,8,7],[6,5,4]]`, or the name of a textbook's example.")] = ""
    min_begins: Annotated[bool, doc("Min moves at the root of the tree.")] = False
    game: Annotated[Name, doc("Instead of a tree: the game.")] = ""
    position: Annotated[Annotated[str, Meta(max_length=1_000)], doc("Its position; default: the start position.")] = ""
    moves: Annotated[Text, doc("Moves from that position, separated by spaces.")] = ""
    depth: Annotated[int, Meta(ge=0, le=64), doc("Depth in plies; 0: three in a game, the whole tree.")] = 0
    order: Annotated[Name, doc("Move order, as in `tabiya analyse --order`.")] = "none"
    sort_top: Annotated[int, Meta(ge=0, le=500), doc("Sort only this many moves to the front; 0: all.")] = 0
    heap: Annotated[bool, doc("Take the moves from a heap.")] = False
    iterate: Annotated[bool, doc("First search to 1, 2, 3, ... plies.")] = False
    grain: Annotated[int, Meta(ge=1, le=MOST_VALUE), doc("Divide the evaluation by this number.")] = 1
    quiescence: Annotated[bool, doc("Search captures to the end before evaluating.")] = False
    wins: Annotated[Name, doc("Value of a won game: `sooner`, `infinite` or `one`.")] = "sooner"
    near: Annotated[bool, doc("Only the evaluation's candidate moves.")] = False
    evaluation: Annotated[Name, doc("Use an evaluation from the textbooks.")] = ""
    alpha: Annotated[Value, doc("Lower edge of the window, for the side to move.")] = -MOST_VALUE
    beta: Annotated[Value, doc("Upper edge of the window.")] = MOST_VALUE


class DifferenceRequest(SearchRequest, frozen=True, kw_only=True):
    """Two searches of the same tree; missing fields of the other search are as in the first."""

    other_algorithm: Annotated[Name | None, doc("Its listing.")] = None
    other_depth: Annotated[Annotated[int, Meta(ge=0, le=64)] | None, doc("Its depth in plies.")] = None
    other_order: Annotated[Name | None, doc("Its move order.")] = None
    other_sort_top: Annotated[Annotated[int, Meta(ge=0, le=500)] | None, doc("How many moves it sorts.")] = None
    other_heap: Annotated[bool | None, doc("Whether it takes moves from a heap.")] = None
    other_iterate: Annotated[bool | None, doc("Whether it makes shallower searches first.")] = None
    other_grain: Annotated[Annotated[int, Meta(ge=1, le=MOST_VALUE)] | None, doc("Its divisor of the evaluation.")] = (
        None
    )
    other_quiescence: Annotated[bool | None, doc("Whether it uses quiescence.")] = None


class CallsRequest(SearchRequest, frozen=True, kw_only=True):
    """A visit of a search."""

    visit: Annotated[int, Meta(ge=0, le=MOST_VALUE), doc("Number in the order of visits, from 0.")] = 0


class ExercisesRequest(RequestModel, frozen=True, kw_only=True):
    """A sheet of exercises. The same seed gives the same sheet."""

    seed: Annotated[int, Meta(ge=0, le=LARGEST_ID), doc("The seed.")] = 1
    count: Annotated[int, Meta(ge=1, le=24), doc("How many.")] = 6
    level: Annotated[int, Meta(ge=0, le=3), doc("1: easy, 3: hard, 0: mixed.")] = 0
    kinds: Annotated[Name, doc("Only these kinds: some of `values,cuts,windows,order,narrow,again`.")] = ""
