"""Films: letter by letter the pictures of which they are made, for every registered game."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tabiya.games.picture import document, places_of, tag
from tabiya.games.picture_sequence import PictureSequence
from tabiya.games.registry import load_game, names
from tests.games.test_picture import random_game


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("seat", [0, 1])
def test_a_film_is_the_picture_of_every_ply_and_much_smaller(name: str, seat: int) -> None:
    game, sequence = load_game(name), PictureSequence()
    pictures = [game.svg(position, seat) for position in random_game(game, seed=3)]
    for picture in pictures:
        sequence.add(picture)
    assert [sequence.picture(ply) for ply in range(len(pictures))] == pictures
    assert len(set(sequence.parts)) == len(sequence.parts)
    for part in sequence.parts:  # each is an element by itself, of which a page can make a node
        assert len(list(ElementTree.fromstring(f"{sequence.head}{part}</svg>"))) == 1
    if len(pictures) > 5:
        assert sum(map(len, sequence.parts)) < sum(map(len, pictures)) / 3


def test_a_longer_film_begins_as_the_shorter_one_did() -> None:
    game, short, long = load_game("chess"), PictureSequence(), PictureSequence()
    pictures = [game.svg(position) for position in random_game(game, seed=5)[:12]]
    for picture in pictures[:5]:
        short.add(picture)
    for picture in pictures:
        long.add(picture)
    assert (long.frames[:5], long.parts[: len(short.parts)]) == (short.frames, short.parts)
    assert long.parts_before(5) == len(short.parts)
    assert long.parts_before(12) == len(long.parts)
    assert all(long.parts_before(ply) <= long.parts_before(ply + 1) for ply, _ in enumerate(pictures))


def test_unchanged_parts_are_not_repeated() -> None:
    sequence, same = PictureSequence(), document("a <picture>", 10, 10, [tag("rect", width=3)])
    sequence.add(same)
    sequence.add(same)
    assert [frame.edits for frame in sequence.frames] == [((0, 0, 0),), ()]


def test_a_picture_of_another_size_is_refused() -> None:
    sequence = PictureSequence()
    sequence.add(document("small", 10, 10, []))
    with pytest.raises(ValueError, match="one size"):
        sequence.add(document("large", 20, 10, []))


@pytest.mark.parametrize("name", names())
def test_every_move_of_a_game_is_marked_on_the_places_that_it_names(name: str) -> None:
    game = load_game(name)
    for position, after in pairwise(random_game(game, seed=9)):
        places, move = {place.name: place for place in game.places(position)}, str(after.last_move)
        named = "".join(place.name for place in places_of(move, places))
        assert move in (named, "pass", named + move[-1])
