"""The boards of a match: one to play on, or all as one document from which a page draws every ply.

The document is that of games/picture_sequence.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape

from tabiya.games.picture_sequence import Frame, PictureSequence
from tabiya.games.registry import load_game
from tabiya.server.web.schemas.board_responses import PlayedBoard
from tabiya.server.web.schemas.responses import BoardChange, Boards, PlaceInfo
from tabiya.server.web.views.replays import CountedPosition, ExpectedMove, ReplayCache, expected_line
from tabiya.storage.records import MatchRecord, MoveRecord

Marks = tuple[tuple[float, ...], ...]


def expected_after(move: MoveRecord) -> Sequence[object]:
    """The line that the bot expected after this move, without the move itself. Its types are not trusted."""
    line = (move.info or {}).get("pv")
    if not isinstance(line, list | tuple):
        return ()
    return line[1:] if line[:1] == [move.text] or line[:1] == (move.text,) else line


def boards(
    replays: ReplayCache, record: MatchRecord, moves: Sequence[MoveRecord], seat: int, after: int | None = None
) -> Boards:
    """All boards of a match, or with `after` of the line expected after that many moves. Raises GameError."""
    game = load_game(record.game)
    with replays.replay(record.id, record.game, record.start_text, [move.text for move in moves]) as replay:
        if after is None:
            sequence, counted = replay.sequence(game, seat), replay.counted(game)
            lines = [(), *(expected_after(move) for move in moves)]
            marks = [_marks(replay.expected(game, ply, line, seat)) for ply, line in enumerate(lines)]
            return _document(sequence, counted, marks)
        position = replay.position(after)
    sequence, counted = PictureSequence(), []
    line = expected_line(game, position, expected_after(moves[after - 1]) if after else (), seat)
    for move in (None, *line):
        position = position.play(move.move) if move else position
        sequence.add(game.svg(position, seat))
        counted.append(CountedPosition(position.text(), game.tally(position)))
    return _document(sequence, counted, [_marks(line[at:]) for at in range(len(line) + 1)])


def played_board(replays: ReplayCache, record: MatchRecord, moves: Sequence[str], ply: int, seat: int) -> PlayedBoard:
    """The board after `ply` of these moves, for whom is to move there. Raises GameError."""
    game = load_game(record.game)
    with replays.replay(record.id, record.game, record.start_text, moves) as replay:
        position, readable = replay.position(ply), tuple(replay.readable[:ply])
    legal = position.legal_moves() if position.outcome() is None else ()
    return PlayedBoard(
        svg=game.svg(position, seat),
        places=tuple(PlaceInfo(**place._asdict()) for place in game.places(position, seat)),
        moves=tuple(moves[:ply]),
        readable=readable,
        legal=legal,
        legal_readable=tuple(game.readable_move(position, move) for move in legal),
    )


def added_boards(
    replays: ReplayCache, record: MatchRecord, moves: Sequence[MoveRecord], first: int, seat: int
) -> list[tuple[BoardChange, tuple[str, ...]]]:
    """The boards from ply `first` on, each with the elements that no board before it has. Raises GameError."""
    game, found = load_game(record.game), []
    with replays.replay(record.id, record.game, record.start_text, [move.text for move in moves]) as replay:
        sequence, counted = replay.sequence(game, seat), replay.counted(game)
        for ply in range(first, len(moves) + 1):
            line = expected_after(moves[ply - 1]) if ply else ()
            change = board_change(sequence.frames[ply], counted[ply], _marks(replay.expected(game, ply, line, seat)))
            found.append((change, tuple(sequence.parts[sequence.parts_before(ply) : sequence.parts_before(ply + 1)])))
    return found


def board_change(frame: Frame, counted: CountedPosition, expected: Marks) -> BoardChange:
    """One board."""
    title = unescape(frame.title.removeprefix("<title>").removesuffix("</title>"))
    return BoardChange(title=title, position=counted.text, edits=frame.edits, tally=counted.tally, expected=expected)


def _marks(line: Sequence[ExpectedMove]) -> Marks:
    return tuple(move.mark for move in line)


def _document(sequence: PictureSequence, counted: Sequence[CountedPosition], marks: Sequence[Marks]) -> Boards:
    # others may have replayed a running match further than the marks go
    shown = tuple(board_change(*each) for each in zip(sequence.frames, counted, marks, strict=False))
    return Boards(head=sequence.head, parts=tuple(sequence.parts), boards=shown)
