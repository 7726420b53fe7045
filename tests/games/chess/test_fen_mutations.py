"""Mutated FENs: our reader and python-chess accept and refuse the same ones, but for the stated differences."""

from __future__ import annotations

from random import Random

import chess
import pytest

from tabiya.games.errors import PositionError
from tests.games.chess.walks import CHESS, ODD, positions

COUNT, SEED = 20_000, 777
LETTERS = "pnbrqkPNBRQK12345678/ -abcdefghw036"


def mutated(fen: str, random: Random) -> str:
    """`fen` with one to three characters replaced, removed, doubled or exchanged."""
    text = list(fen)
    for _ in range(random.randint(1, 3)):
        at, other = random.randrange(len(text)), random.randrange(len(text))
        change = random.randrange(4)
        if change == 0:
            text[at] = random.choice(LETTERS)
        elif change == 1 and len(text) > 1:
            del text[at]
        elif change == 2:
            text.insert(at, random.choice(LETTERS))
        else:
            text[at], text[other] = text[other], text[at]
    return "".join(text)


def gently_mutated(fen: str, random: Random) -> str:
    """`fen` with other men, the other side, other rights or another en-passant square: often still a position."""
    men, side, rights, square, *counters = fen.split()
    for _ in range(random.randint(0, 2)):
        at = random.choice([index for index, letter in enumerate(men) if letter.isalpha()])
        men = men[:at] + random.choice("pnbrqPNBRQ1") + men[at + 1 :]
    side = random.choice("wb")
    rights = random.choice((rights, rights, "-", "K", "q", "Qk"))
    square = random.choice((square, "-", random.choice("abcdefgh") + random.choice("36")))
    return " ".join([men, side, rights, square, *counters])


def read_by_python_chess(fen: str) -> chess.Board | None:
    """Its board, None if it does not read the text or calls the position invalid."""
    try:
        board = chess.Board(fen)
    except ValueError:
        return None
    return board if board.is_valid() else None


def is_stated_difference(fen: str) -> bool:
    """Whether `fen` is one of those that only one of the two accepts, on purpose.

    We want at least four fields and each castling letter once in KQkq; the counters within 0..150 and 1..9999; no more
    promoted men than missing pawns; an en-passant square only on the rank where it can be.  python-chess wants the
    castling letters of White first, reads what we refuse in each of these points, and takes a long castling right of a
    side without rooks on its first rank for none.
    """
    fields = fen.split()
    if len(fields) < 4 or len(fen) > CHESS.max_text:
        return True
    rights, counters = fields[2], fields[4:6]
    if rights != "-" and (len(set(rights)) != len(rights) or set(rights) - set("KQkq") or rights != in_order(rights)):
        return True
    if has_right_without_rooks(fields[0], rights):
        return True
    if any(not counter.isdigit() or len(counter) > 4 for counter in counters):
        return True
    if (counters and int(counters[0]) > 150) or (len(counters) == 2 and int(counters[1]) == 0):
        return True
    return any(promoted(fields[0], letters) > 8 - fields[0].count(letters[0]) for letters in ("PNBRQ", "pnbrq"))


def in_order(rights: str) -> str:
    return "".join(sorted(rights, key="KQkq".index))


def has_right_without_rooks(men: str, rights: str) -> bool:
    ranks = men.split("/")
    return ("Q" in rights and "R" not in ranks[-1]) or ("q" in rights and "r" not in ranks[0])


def promoted(men: str, letters: str) -> int:
    usual = (2, 2, 2, 1)
    return sum(max(0, men.count(letter) - most) for letter, most in zip(letters[1:], usual, strict=True))


@pytest.mark.slow
def test_mutated_fens_are_read_and_refused_like_python_chess_does() -> None:
    random = Random(SEED)
    fens = [*ODD, *(position.text() for position, _, _ in positions(500, SEED))]
    accepted = refused = stated = 0
    for _ in range(COUNT):
        fen = random.choice((mutated, gently_mutated))(random.choice(fens), random)
        board = read_by_python_chess(fen)
        try:
            ours = CHESS.parse(fen)
        except PositionError:
            refused += board is None
            assert board is None or is_stated_difference(fen), f"seed {SEED}: only we refuse {fen!r}"
        else:
            assert board is not None or is_stated_difference(fen), f"seed {SEED}: only we accept {fen!r}"
            if board is not None:
                accepted += 1
                assert ours.text() == board.fen(en_passant="legal"), f"seed {SEED}: {fen!r}"
        stated += is_stated_difference(fen)
    assert min(accepted, refused) > 2000, f"seed {SEED}: {accepted} accepted, {refused} refused by both"
    assert stated < COUNT // 3
