"""Questions about searches, as an address asks them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.requests import LARGEST_ID, Name, RequestModel

MOST_VALUE = 1_000_000
Value = Annotated[int, Meta(ge=-MOST_VALUE, le=MOST_VALUE)]
Text = Annotated[str, Meta(max_length=7_000)]  # an address has about 8,000 characters


class SearchRequest(RequestModel, frozen=True, kw_only=True):
    """What is searched and how: a drawn tree, or a position of a game."""

    algorithm: Annotated[Name, doc("A listing's name or short name, as `tabiya analyse --list` shows.")] = (
        "alphabeta-failhard"
    )
    tree: Annotated[Text, doc("A drawn tree such as `[[9,8,7],[6,5,4]]`, or the name of a book's example.")] = ""
    min_begins: Annotated[bool, doc("Min is to move at the root of the tree.")] = False
    game: Annotated[Name, doc("Instead of a tree: the game.")] = ""
    position: Annotated[Annotated[str, Meta(max_length=1_000)], doc("Its position; the start if not given.")] = ""
    moves: Annotated[Text, doc("Moves from there, separated by spaces.")] = ""
    depth: Annotated[int, Meta(ge=0, le=64), doc("Plies; 0: three in a game, the whole of a tree.")] = 0
    order: Annotated[Name, doc("How moves are ordered, as `tabiya analyse --order`.")] = "none"
    sort_top: Annotated[int, Meta(ge=0, le=500), doc("Sort only so many moves to the front; 0: all.")] = 0
    heap: Annotated[bool, doc("Take the moves from a heap.")] = False
    iterate: Annotated[bool, doc("Search 1, 2, 3, ... plies before.")] = False
    grain: Annotated[int, Meta(ge=1, le=MOST_VALUE), doc("Divide the evaluation by this.")] = 1
    quiescence: Annotated[bool, doc("Play captures out before evaluating.")] = False
    wins: Annotated[Name, doc("What a won game is worth: `sooner`, `infinite` or `one`.")] = "sooner"
    near: Annotated[bool, doc("Only moves that the evaluation thinks worth searching.")] = False
    evaluation: Annotated[Name, doc("An evaluation of the books instead of the game's own.")] = ""
    alpha: Annotated[Value, doc("Lower edge of the window, for the side to move.")] = -MOST_VALUE
    beta: Annotated[Value, doc("Upper edge of the window.")] = MOST_VALUE


class DifferenceRequest(SearchRequest, frozen=True, kw_only=True):
    """Two searches of the same tree: what is not said of the other one is as in the first."""

    other_algorithm: Annotated[Name | None, doc("Its listing.")] = None
    other_depth: Annotated[Annotated[int, Meta(ge=0, le=64)] | None, doc("Its plies.")] = None
    other_order: Annotated[Name | None, doc("How it orders the moves.")] = None
    other_sort_top: Annotated[Annotated[int, Meta(ge=0, le=500)] | None, doc("How many it sorts.")] = None
    other_heap: Annotated[bool | None, doc("Whether it takes them from a heap.")] = None
    other_iterate: Annotated[bool | None, doc("Whether it searches less deep before.")] = None
    other_grain: Annotated[Annotated[int, Meta(ge=1, le=MOST_VALUE)] | None, doc("What it divides by.")] = None
    other_quiescence: Annotated[bool | None, doc("Whether it plays captures out.")] = None


class CallsRequest(SearchRequest, frozen=True, kw_only=True):
    """Which visit of a search."""

    visit: Annotated[int, Meta(ge=0, le=MOST_VALUE), doc("Its number, in the order of the visits, from 0.")] = 0


class ExercisesRequest(RequestModel, frozen=True, kw_only=True):
    """A sheet of exercises. The same seed makes the same ones."""

    seed: Annotated[int, Meta(ge=0, le=LARGEST_ID), doc("Another seed makes another sheet.")] = 1
    count: Annotated[int, Meta(ge=1, le=24), doc("How many.")] = 6
    level: Annotated[int, Meta(ge=0, le=3), doc("1 is easy, 3 hard; 0: both.")] = 0
    kinds: Annotated[Name, doc("Only these: some of `values,cuts,windows,order,narrow,again`.")] = ""
