"""The checks of a game, one function each: it yields a sentence for each fault that it finds.

All are about random games; a seed draws the same ones always.
"""

from __future__ import annotations

import functools
import inspect
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np

from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.check_game.errors_of_rules import explained, explanation
from tabiya.check_game.trace import after_random_move, starts_of_options
from tabiya.games.contract import Game
from tabiya.games.endings import Ending
from tabiya.games.errors import GameError, IllegalMove, MoveFormatError, PositionError
from tabiya.games.openings import opening, openings
from tabiya.games.picture import places_of
from tabiya.games.position import Position
from tabiya.games.python_game import PythonGame
from tabiya.games.rules import MOVE_NUMBERS
from tabiya.research.encoding import Encoding

GAMES, POSITIONS, TEXTS, OPENINGS, TRACED = 20, 200, 1_500, 30, 40
ENDING = re.compile(r"[a-z][a-z_]{0,39}")
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "defs", "g", "use", "rect", "circle", "line", "path", "text"}

REQUIRED_FUNCTIONS = (
    "generate",
    "make",
    "outcome",
    "key",
    "same",
    "write_state",
    "write_move",
    "draw",
    "start_state",
    "parse_state",
)
REQUIRED_METHODS = ("first", "read", "written", "mover", "moves", "after", "result")

Check = Callable[[Game, int], Iterator[str]]


def random_game(start: Position, draw: random.Random) -> list[Position]:
    """The positions of one random game, from `start` to its end, or one ply further than games can last."""
    line = [start]
    while line[-1].outcome() is None and line[-1].ply <= start.game.max_plies:
        line.append(after_random_move(line[-1], draw))
    return line


def random_starts(game: Game, draw: random.Random) -> Iterator[Position]:
    """Start positions without end: the usual one, and those after random openings."""
    yield game.start()
    while True:
        yield opening(game, draw.getrandbits(64)).position(game)


@functools.cache
def some_games(game: Game, seed: int) -> list[list[Position]]:
    """Random games to their ends. From the second on, one option is at one of its bounds."""
    draw = random.Random(seed)
    usual, *others = islice(random_starts(game, draw), GAMES)
    bounds = (start for start in starts_of_options(game) if start.outcome() is None)
    return [random_game(start, draw) for start in islice((usual, *bounds, *others), GAMES)]


@functools.cache
def some_positions(game: Game, seed: int) -> list[Position]:
    """Positions of random games, finished ones too."""
    found = [position for line in some_games(game, seed) for position in line]
    return random.Random(seed).sample(found, min(POSITIONS, len(found)))


def facts(game: Game, seed: int) -> Iterator[str]:
    """The class has everything that is required, with valid names and colours."""
    if lacking := sorted(missing(game)):
        yield f"{type(game).__name__} has no {', no '.join(lacking)}"
        return
    if not game.title or game.seat_names[0] == game.seat_names[1]:
        yield f"the game needs a title and different seat names, not {game.title!r} and {game.seat_names}"
    for colour in game.seat_colours:
        if not re.fullmatch("#[0-9a-f]{6}", colour):
            yield f"a colour must be #rrggbb in small letters, not {colour!r}"
    for name in game.state.names or ():
        if hasattr(np.recarray, name):
            yield f"NumPy uses the name {name!r} for its arrays: rename this field of the record"
    if game.rules_version < 1:
        yield "rules_version must be 1 or more"
    for word in game.endings:
        if not ENDING.fullmatch(word):
            yield f"an ending must be a word of small letters and _, not {word!r}"


def missing(game: Game) -> Iterator[str]:
    """Attributes and methods without which there is no game."""
    for each in type(game).__mro__:
        yield from (name for name in inspect.get_annotations(each) if name[0] != "_" and not hasattr(game, name))
    base, owed = (PythonGame, REQUIRED_METHODS) if isinstance(game, PythonGame) else (Game, REQUIRED_FUNCTIONS)
    yield from (name for name in owed if getattr(type(game), name) is getattr(base, name))


def bounds(game: Game, seed: int) -> Iterator[str]:
    """Positions keep to max_moves, max_text and max_move_text, games to max_plies, and moves are small numbers.

    The evaluator knows how many moves there can be, and no evaluation looks like a win.
    """
    evaluator = evaluator_for(game)
    for position in some_positions(game, seed):
        moves = position.legal_moves()
        longest = max(map(len, moves), default=0)
        if len(moves) > game.max_moves:
            yield f"{len(moves)} moves, more than max_moves, in {position.text()}"
        if len(position.text()) > game.max_text or not position.text().isascii():
            yield f"a text of {len(position.text())} characters, max_text is {game.max_text}: {position.text()}"
        if not all(0 <= code < MOVE_NUMBERS for code in position.move_codes()):
            yield f"a move whose number is not 0 to {MOVE_NUMBERS - 1}, in {position.text()}"
        if longest > game.max_move_text:
            yield f"a move of {longest} characters, more than max_move_text, in {position.text()}"
        if len(moves) > evaluator.width:
            yield f"{len(moves)} moves, more than the evaluator's width, in {position.text()}"
        value = int(evaluation_of(evaluator, position.state)) if position.outcome() is None else 0
        if abs(value) > EVALUATION_LIMIT:
            yield f"an evaluation of {value}, beyond {EVALUATION_LIMIT} either way: {position.text()}"
    longest_game = max(line[-1].ply for line in some_games(game, seed))
    if longest_game > game.max_plies:
        yield f"a game of {longest_game} plies, more than max_plies"


def texts(game: Game, seed: int) -> Iterator[str]:
    """A position's text reads back to the same position."""
    for position in some_positions(game, seed):
        try:
            again = game.parse(position.text())
        except PositionError as error:
            yield f"the position's own text {position.text()} cannot be read back: {error}"
            continue
        if (again.text(), again.to_move, again.legal_moves()) != (
            position.text(),
            position.to_move,
            position.legal_moves(),
        ) or not again.is_same(position):
            yield f"the text {position.text()} is read back as another position"
        elif again.outcome() != position.outcome() and position.outcome() != (None, Ending.THREEFOLD_REPETITION):
            yield f"{position.text()} has the outcome {again.outcome()} when read, and {position.outcome()} when played"


def notation(game: Game, seed: int) -> Iterator[str]:
    """Each move's text is in the notation, names one move, and what is none is refused."""
    for position in some_positions(game, seed):
        moves = position.legal_moves()
        if len(set(moves)) < len(moves):
            yield f"two moves have the same text in {position.text()}"
        for at, move in enumerate(moves[:50]):
            if not game.move_pattern.fullmatch(move) or not move.isalnum():
                yield f"the move {move!r} does not match move_pattern, or has other characters than letters and digits"
            elif position.check_move(move) != position.move_codes()[at]:
                yield f"the move {move!r} is read back as another move in {position.text()}"
    start = game.start()
    for text in ("", " ", "a1 b1", " a1", start.legal_moves()[0] + " ", "é", "x" * 10**5):
        if not _refused(MoveFormatError, lambda text=text: start.play(text)):  # type: ignore[misc]
            yield f"{text[:20]!r} is accepted as a move, but is none"
    last = some_games(game, seed)[0][-1]
    for move in start.legal_moves():
        if move not in last.legal_moves() and not _refused(IllegalMove, lambda move=move: last.play(move)):  # type: ignore[misc]
            yield f"{move!r} is accepted, but is illegal in {last.text()}"


def _refused(error: type[GameError], call: Callable[[], object]) -> bool:
    try:
        call()
    except error:
        return True
    except GameError:
        return False
    return False


def wrong_texts(game: Game, seed: int) -> Iterator[str]:
    """A text with changed letters is refused in one sentence, or read and written as a position of the game.

    Where it has other moves than before, `same` does not take it for the position before.
    """
    draw, whole = random.Random(seed), some_positions(game, seed)[:50]
    for _ in range(TEXTS):
        before = draw.choice(whole)
        text = mutated(before.text(), draw)
        try:
            position = game.parse(text)
        except PositionError as error:
            if not str(error).isprintable() or len(str(error)) >= 400:
                yield f"{text!r} is refused, but the error is not one short sentence"
            continue
        if game.parse(position.text()).text() != position.text():
            yield f"{text!r} is read, and its text is different each time"
        one, other = set(before.legal_moves()), set(position.legal_moves())
        if one and other and one != other and position.is_same(before):
            yield f"`same` takes {text!r} for {before.text()!r}, which has other moves: does it leave out a field?"
        for move in position.legal_moves()[:2]:
            after = position.play(move).text()
            if _refused(PositionError, lambda after=after: game.parse(after)):  # type: ignore[misc]
                yield f"{text!r} is read, but not the position after {move}: {after}"
    for text in ("1" * 10**6, game.start().text() + " " * 10**6, "\ud800" * 10**6):
        if not _refused(PositionError, lambda text=text: game.parse(text)):  # type: ignore[misc]
            yield f"a text of a million characters is accepted: {text[:10]!r}"


def mutated(text: str, draw: random.Random) -> str:
    """`text` with a few characters deleted, doubled, swapped or replaced, or random characters altogether."""
    if draw.random() < 0.1:
        return "".join(
            chr(draw.choice((draw.randrange(128), draw.randrange(0x110000)))) for _ in range(draw.randrange(40))
        )
    letters = list(text)
    for _ in range(draw.randint(1, 4)):
        at, other = draw.randrange(len(letters)), draw.randrange(len(letters))
        change = draw.randrange(5)
        if change == 0 and len(letters) > 1:
            del letters[at]
        elif change == 1:
            letters.insert(at, letters[other])
        elif change == 2:
            letters[at], letters[other] = letters[other], letters[at]
        elif change == 3:
            letters[at] = letters[other]
        else:
            letters[at] = draw.choice("XO-KQkq0123456789 /,wb\n\0\u0663\u00b2\u00e9\U0001f600")
    return "".join(letters)


def ends(game: Game, seed: int) -> Iterator[str]:
    """Each game ends with one of its declared endings, and `can_win` was true for the winner in all its positions."""
    known = {*game.endings, Ending.THREEFOLD_REPETITION}
    for line in some_games(game, seed):
        outcome = line[-1].outcome()
        if outcome is None:
            yield f"a game has more plies than max_plies: {line[-1].text()}"
            continue
        if outcome.ending not in known or (outcome.winner is None and not game.draws_possible):
            yield f"{outcome} is not among the game's endings: {line[-1].text()}"
        if line[-1].legal_moves() and outcome.winner is not None:  # draws that a referee declares stop no moves
            yield f"the game is over, but moves are legal in {line[-1].text()}"
        if outcome.winner is not None:
            never = next((position for position in line if not position.can_win(outcome.winner)), None)
            if never is not None:
                yield f"can_win said that seat {outcome.winner} cannot win, but it won: {never.text()}"


def turns(game: Game, seed: int) -> Iterator[str]:
    """Seats take turns in a game that says so."""
    for line in some_games(game, seed) if game.takes_turns() else ():
        for before, after in pairwise(line):
            if before.to_move == after.to_move:
                who = game.seat_names[after.to_move]
                yield f"{who} moves twice, which takes_turns() denies: after {after.last_move} in {before.text()}"


def replays(game: Game, seed: int) -> Iterator[str]:
    """The moves of a game lead to the same position again, one by one, all at once and from its history."""
    for line in some_games(game, seed):
        first, last = line[0], line[-1]
        again = game.parse(last.start_text)
        for move in last.moves:
            again = again.play(move)
        if (again.text(), again.outcome()) != (last.text(), last.outcome()):
            yield f"the same moves played again end differently: {' '.join(last.moves)}"
        at_once = first.play_all(last.moves[first.ply :], [position.to_move for position in line[:-1]])
        if at_once is None:
            if last.outcome() != (None, Ending.THREEFOLD_REPETITION):
                yield f"`play_all` refuses the moves of a game: {' '.join(last.moves)}"
        elif (at_once.text(), at_once.outcome(), at_once.legal_moves()) != (
            last.text(),
            last.outcome(),
            last.legal_moves(),
        ):
            yield f"`play_all` ends the game differently: {' '.join(last.moves)}"
        for position in line[:: max(1, len(line) // 10)]:
            text, since = position.history()
            then = game.parse(text)
            for move in since:
                then = then.play(move)
            if not then.is_same(position):
                yield f"its history does not lead to {position.text()}"


def repetitions(game: Game, seed: int) -> Iterator[str]:
    """A position comes again only as far back as `repeats` says."""
    for line in some_games(game, seed)[:3]:
        for at, position in enumerate(line):
            with np.errstate(over="ignore"):
                back = int(game.repeats(position.state))
            for number, earlier in enumerate(line[:at]):
                if position.is_same(earlier) and number < at - back:
                    yield f"the position occurred before, further back than `repeats` allows: {position.text()}"


def drawn(game: Game, seed: int) -> Iterator[str]:
    """Each position has a drawing in ASCII, and a picture that strict pages show; moves name places of the picture."""
    for line in some_games(game, seed)[:2]:
        for position in line:
            drawing = str(position)
            if not drawing.isascii() or not all(row.isprintable() for row in drawing.split("\n")):
                yield f"the drawing has characters that are not ASCII: {position.text()}"
            yield from (f"the picture of {position.text()} has {fault}" for fault in picture_faults(game.svg(position)))
            places = {place.name: place for place in game.places(position)}
            for move in position.legal_moves() if places else ():
                if not places_of(move, places) and move != "pass":
                    yield f"the move {move!r} names no place of the picture of {position.text()}"


def seen(game: Game, seed: int) -> Iterator[str]:
    """`piece_on` and `switch_is_on`, if the game has them, agree with its pictures."""
    if type(game).piece_on is Game.piece_on:
        return
    line, encoding = some_games(game, seed)[0], Encoding(game.start())
    states = np.concatenate([game.new_states(), *([position.state] for position in line)])[1:]
    found = np.zeros((len(line), *encoding.shape), np.int8)
    encoding.observe_all(states, found)
    for position, planes in zip(line, found, strict=True):
        if not np.array_equal(planes, encoding.observe(position)):
            yield f"piece_on or switch_is_on differs from the picture of {position.text()}"


def picture_faults(svg: str) -> list[str]:
    """Parts of a picture that the pages' content policy forbids, in a few words each."""
    root = ElementTree.fromstring(svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    links = [element.get("href", "#") for element in root.iter()]
    return [
        *(f"the element {name}" for name in sorted(tags - ELEMENTS)),
        *(f"a link to {link}" for link in links if not link.startswith("#")),
        *(["a style, a script or an address"] if re.search(r"\bstyle=|\bon\w+=|url\(", svg) else []),
        *([] if root.findtext(f"{SVG}title") else ["no title"]),
    ]


def opened(game: Game, seed: int) -> Iterator[str]:
    """A random opening is the same for the same seed, has opening_plies plies, and leaves no immediate win."""
    for at, drawn in enumerate(openings(game, seed, OPENINGS)):
        position = drawn.position(game)
        if openings(game, seed, at + 1)[at] != drawn:
            yield f"opening {at} of seed {seed} is different each time"
        if len(drawn.moves) != game.opening_plies or position.outcome() is not None:
            yield f"an opening has {len(drawn.moves)} plies, not opening_plies, or is over: {position.text()}"
        for move in position.legal_moves():
            outcome = position.play(move).outcome()
            if outcome is not None and outcome.winner == position.to_move:
                yield f"after an opening the move {move} wins at once: {position.text()}"


def interpreted(game: Game, seed: int) -> Iterator[str]:
    """Compiled and interpreted rules and evaluator agree. Interpreted, an index beyond an array is an error.

    Of registered games only: another process loads the game by its name.
    """
    outputs = []
    for disabled in ("1", "0"):  # compiled, a wrong index may end the process
        command = [sys.executable, "-W", "ignore", "-m", "tabiya.check_game.trace", game.name, str(TRACED), str(seed)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"NUMBA_DISABLE_JIT": disabled}
        )
        if done.returncode:
            if done.stderr:
                yield explanation(done.stderr, game)
            else:
                yield f"the process crashed ({done.returncode}): an index beyond an array, or max_moves is too small"
            return
        outputs.append(done.stdout.splitlines())
    for one, other in zip(*outputs, strict=False):
        if one != other:
            yield f"the rules give different results interpreted and compiled: {one} and {other}"
            return
    if len(outputs[0]) != len(outputs[1]):
        yield "a game is longer interpreted than compiled, or the other way round"


def differs(twin: PythonGame, game: Game, seed: int) -> Iterator[str]:
    """In random games the rules agree with the independent Python twin, which does not know repetitions."""
    for line in some_games(game, seed):
        other = twin.read(line[0].text())
        for position in line:
            if position is not line[0]:
                other = twin.after(other, position.moves[-1])
            outcome, twin_outcome = position.outcome(), twin.result(other)
            if outcome is not None and outcome.ending == Ending.THREEFOLD_REPETITION:
                break
            ours: list[Any] = [position.text(), outcome]
            theirs: list[Any] = [twin.written(other), twin_outcome]
            if outcome is None and twin_outcome is None:
                ours += [position.to_move, sorted(position.legal_moves())]
                theirs += [twin.mover(other), sorted(twin.moves(other))]
            if ours != theirs:
                yield f"the rules say {ours} after {' '.join(position.moves)}, the twin {theirs}"
                break


def faults_of(check: Check, game: Game, seed: int) -> list[str]:
    """The faults that a check finds, each once; an error of the rules is one."""
    found: dict[str, None] = {}
    try:
        found.update(dict.fromkeys(islice(check(game, seed), 1_000)))
    except Exception as error:
        found[explained(error, game)] = None
    return list(found)


CHECKS: dict[str, Check] = {
    "facts": facts,
    "interpreted": interpreted,
    "bounds": bounds,
    "texts": texts,
    "notation": notation,
    "wrong texts": wrong_texts,
    "ends": ends,
    "turns": turns,
    "replays": replays,
    "repetitions": repetitions,
    "drawings": drawn,
    "seen": seen,
    "openings": opened,
}
NEEDED = ("facts", "interpreted")
"""Without these the others would fail, or end the process."""
