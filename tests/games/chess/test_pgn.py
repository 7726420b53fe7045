"""PGN: what is written is read back, by python-chess too; what others write is read."""

from __future__ import annotations

import io
from random import Random

import chess
import chess.pgn
import pytest

from tabiya.games.endings import Ending
from tabiya.games.errors import IllegalMove, TranscriptError
from tabiya.games.transcript import GameRecord, result_of
from tabiya.games.transcript_reader import read_transcripts
from tests.games.chess.walks import CHESS, ODD, walk

START = CHESS.start().text()
SCHOLARS_MATE = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")
SEED = 4


def read_one(text: str) -> GameRecord:
    (record,) = read_transcripts(CHESS, text)
    return record


def refusal(text: str) -> str:
    with pytest.raises(TranscriptError) as caught:
        list(read_transcripts(CHESS, text))
    sentence = str(caught.value)
    assert sentence.isprintable()
    assert len(sentence) < 300
    return sentence


def test_a_game_is_written_as_pgn() -> None:
    record = GameRecord(
        START,
        SCHOLARS_MATE,
        players=("greedy", 'the "best"'),
        result="1-0",
        ending=Ending.CHECKMATE,
        tags={"Event": "Class 7b", "Date": "2026.11.20", "TimeControl": "60+0.5"},
        opening_plies=2,
        clocks_ms=(None, None, 59_500, 3_600_000),
    )
    assert CHESS.transcript(record) == (
        '[Event "Class 7b"]\n'
        '[Site "?"]\n'
        '[Date "2026.11.20"]\n'
        '[Round "?"]\n'
        '[White "greedy"]\n'
        '[Black "the \\"best\\""]\n'
        '[Result "1-0"]\n'
        '[Termination "normal"]\n'
        '[Ending "checkmate"]\n'
        '[TimeControl "60+0.5"]\n'
        "\n"
        "1. e4 {book} 1... e5 {book} 2. Qh5 {[%clk 0:00:59.5]} 2... Nc6 {[%clk 1:00:00]}\n"
        "3. Bc4 Nf6 4. Qxf7# 1-0\n"
    )


def test_a_game_from_another_position_names_it_and_keeps_its_numbers() -> None:
    text = CHESS.transcript(GameRecord("4k3/8/8/8/8/8/4p3/K7 b - - 3 41", ("e2e1q", "a1b2"), result="0-1"))
    assert '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4p3/K7 b - - 3 41"]\n' in text
    assert text.endswith("\n\n41... e1=Q+ 42. Kb2 0-1\n")


def test_a_game_without_moves_is_its_result() -> None:
    assert CHESS.transcript(GameRecord(START, ())).endswith('[Result "*"]\n\n*\n')


def test_lines_are_short_and_clocks_are_not_broken() -> None:
    position = list(walk(START, Random(SEED), 120))[-1][0]
    text = CHESS.transcript(GameRecord(START, position.moves, clocks_ms=tuple(range(0, 120_000, 1_000))))
    assert max(map(len, text.splitlines())) <= 79
    assert text.count("[%clk 0:0") == len(position.moves)


def test_comments_and_tags_cannot_break_out() -> None:
    record = GameRecord(
        START, SCHOLARS_MATE[:1], players=("a\nb", "\\"), tags={"Site": '"] 1-0'}, comments=("} 1-0 {\n [x]",)
    )
    again = read_one(CHESS.transcript(record))
    assert (again.moves, again.result) == (record.moves, "*")
    assert (again.players, again.tags["Site"]) == (("a b", "\\"), '"] 1-0')
    assert again.comments == (") 1-0 ( [x]",)


def test_a_record_that_cannot_be_written_is_an_error() -> None:
    with pytest.raises(IllegalMove):
        CHESS.transcript(GameRecord(START, ("e2e5",)))
    with pytest.raises(ValueError, match="a result is one of"):
        CHESS.transcript(GameRecord(START, (), result="won"))
    with pytest.raises(ValueError, match="a tag's name"):
        CHESS.transcript(GameRecord(START, (), tags={"no good": "x"}))


@pytest.mark.parametrize(
    ("winner", "ending", "result"),
    [
        (0, Ending.CHECKMATE, "1-0"),
        (1, Ending.TIME, "0-1"),
        (None, Ending.STALEMATE, "1/2-1/2"),
        (None, Ending.ABORTED, "*"),
        (None, None, "*"),
    ],
)
def test_results(winner: int | None, ending: Ending | None, result: str) -> None:
    assert result_of(winner, ending) == result


def random_records(count: int) -> list[GameRecord]:
    random, records = Random(SEED), []
    for index in range(count):
        fen = START if index % 2 else random.choice(ODD)
        last = list(walk(fen, random, 80))[-1][0]
        plies = last.ply
        records.append(
            GameRecord(
                last.start_text,
                last.moves,
                players=(f"bot {index}", "Zoë"),
                result=random.choice(("1-0", "0-1", "1/2-1/2", "*")),
                ending=random.choice((*Ending, None)),
                tags={"Event": "e", "Round": str(index)},
                opening_plies=min(plies, 8),
                clocks_ms=tuple(random.randrange(10**7) for _ in range(plies)),
                comments=tuple(random.choice(("", "good", "why not?")) for _ in range(plies)),
            )
        )
    return records


def normal(record: GameRecord) -> GameRecord:
    return read_one(CHESS.transcript(record))


def test_what_is_written_is_read_back() -> None:
    for record in random_records(20):
        again = read_one(CHESS.transcript(record))
        assert (again.start_text, again.moves, again.players) == (record.start_text, record.moves, record.players)
        assert (again.result, again.ending, again.tags) == (record.result, record.ending, record.tags)
        assert (again.opening_plies, again.clocks_ms) == (record.opening_plies, record.clocks_ms)
        assert again.comments == (record.comments if any(record.comments) else ())


def test_a_file_of_many_games_is_read_in_order() -> None:
    records = [normal(record) for record in random_records(6)]
    assert list(read_transcripts(CHESS, "\n".join(map(CHESS.transcript, records)))) == records


def test_python_chess_reads_what_we_write() -> None:
    for record in random_records(20):
        game = chess.pgn.read_game(io.StringIO(CHESS.transcript(record)))
        assert game is not None
        assert game.errors == []
        assert tuple(move.uci() for move in game.mainline_moves()) == record.moves
        assert game.board().fen(en_passant="legal") == record.start_text
        assert game.headers["Result"] == record.result
        clocks = [node.clock() for node in game.mainline()]
        assert clocks == [pytest.approx((ms or 0) / 1000) for ms in record.clocks_ms]


def test_we_read_what_python_chess_writes() -> None:
    for record in random_records(20):
        game = chess.pgn.Game({"White": 'a "b"', "Result": record.result})
        game.setup(chess.Board(record.start_text))
        node: chess.pgn.GameNode = game
        for move in record.moves:
            node.add_variation(next(iter(node.board().legal_moves)))  # a variation, to be skipped
            node = node.add_main_variation(chess.Move.from_uci(move), comment="words {in", nags=[1])
            node.set_clock(12.5)
        again = read_one(str(game))
        assert (again.start_text, again.moves, again.result) == (record.start_text, record.moves, record.result)
        assert again.players[0] == 'a "b"'
        assert set(again.clocks_ms) <= {12_500}


def test_everything_a_stranger_may_write_is_understood() -> None:
    text = (
        '\ufeff% exported by hand\r\n[ White "A" ]\r\n[Black"B"]\r\n\r\n'
        "{before} 1.e4! $1 e5 (1...c5 {Sicilian (open)} 2.Nf3 (2.c3 d5) 2...d6) 2 . Qh5?! ; a whim\r\n"
        "% for another program\r\n"
        "2...Nc6{one}{two}3.Bc4 <reserved> Nf6?? 4 Qxf7\r\n1-0\r\n\r\n\r\n"
    )
    record = read_one(text)
    assert record.moves == SCHOLARS_MATE
    assert (record.players, record.result) == (("A", "B"), "1-0")
    assert record.comments[3] == "one two"


def test_a_missing_result_comes_from_the_tags_or_is_open() -> None:
    first, second, third = read_transcripts(
        CHESS, '[Result "0-1"]\n1. e4\n\n[White "x"]\n1. d4\n\n[Result "yes"]\n1. c4'
    )
    assert [first.result, second.result, third.result] == ["0-1", "*", "*"]
    assert [first.moves, second.moves, third.moves] == [("e2e4",), ("d2d4",), ("c2c4",)]


@pytest.mark.parametrize("text", ["", " \n\n", "% nothing\n; at all"])
def test_a_text_without_games_holds_none(text: str) -> None:
    assert list(read_transcripts(CHESS, text)) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1. e4 e5\n2. Ke3", "line 2, ply 2: 'Ke3' is not legal"),
        ("1. e4 e5 2. Nf3 Nf9", "line 1, ply 3: 'Nf9' is not a move in algebraic notation"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n1. e4', "the FEN tag is wrong: each side has exactly one king"),
        ('[Variant "Crazyhouse"]\n1. e4', "only orthodox chess is read, not 'Crazyhouse'"),
        ("1. e4 {never ends", "line 1: a comment begun with { does not end"),
        ("\n\n1. e4 (1. d4", "line 3: a variation begun with ( does not end"),
        ("1. e4) e5", "line 1: a variation ends that did not begin"),
        ("[White Bot]", 'line 1: a tag is written [Name "value"]'),
        ('[White "Bot]', 'line 1: a tag is written [Name "value"]'),
        ("1. e4 } e5", "line 1: nothing in a PGN text begins like '} e5'"),
        ("1. e4 -- 2. d4", "line 1: nothing in a PGN text begins like '-- 2. d4'"),
        ("1. e4 \x00", "nothing in a PGN text begins like"),
        ("(" * 100_000, "does not end"),
        ("x" * 100_000, "is not a move in algebraic notation"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_that_says_where(text: str, sentence: str) -> None:
    assert sentence in refusal(text)


@pytest.mark.slow
def test_a_game_longer_than_any_can_be_is_refused() -> None:
    assert "no game has more than 12700 plies" in refusal("Nf3 Nf6 Ng1 Ng8 " * 4000)


@pytest.mark.slow
def test_damaged_texts_are_read_or_refused_but_never_crash() -> None:
    random = Random(SEED)
    texts = [CHESS.transcript(record) for record in random_records(6)]
    for _ in range(400):
        letters = list(random.choice(texts))
        for _ in range(random.randint(1, 5)):
            at = random.randrange(len(letters))
            letters[at : at + random.randint(0, 3)] = random.choice([*'"{}()[]\\', "e4", "\n%"])
        try:
            records = list(read_transcripts(CHESS, "".join(letters)))
        except TranscriptError:
            continue
        for record in records:
            assert read_one(CHESS.transcript(record)).moves == record.moves
