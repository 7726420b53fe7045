"""Every stored game can be had by other programs, pairs together, however many there are."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from typing import Any

import chess
import chess.pgn
import pytest

from tabiya.games.registry import load_game
from tabiya.games.transcript_reader import read_transcripts
from tabiya.protocol.messages.parts import FROM_BOOK
from tabiya.server.archive.exports import MAX_HELD, ExportFilter, ExportFormat, GameKind, exported_games
from tabiya.server.matches.pair_keys import pair_key, place_in_run
from tabiya.storage.memory import MemoryStore
from tabiya.storage.records import BotRecord, MatchId, MoveRecord, OpeningPly
from tests.storage.samples import move, new_match, result, seat, two_bots

NOON = 1_795_176_000.0
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MATE = "f2f3 e7e5 g2g4 d8h4"


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore()
    yield store
    await store.close()


class Games:
    """Puts games into a store."""

    def __init__(self, store: MemoryStore, bots: tuple[BotRecord, BotRecord]) -> None:
        self.store, self.bots = store, bots

    async def create(self, key: str, first: int = 0, **changes: Any) -> MatchId:
        """A chess match that runs. first: which bot has the first seat."""
        seats = [seat(self.bots[number], "2.1") for number in (first, 1 - first)]
        terms: dict[str, Any] = {
            "game": "chess",
            "start_text": START,
            "options": {},
            "adjudication": None,
            "time_control": "60+1",
        }
        usual = terms | {"seats": (seats[0], seats[1]), "opening": (), "created_at": NOON}
        return await self.store.create_match(new_match(self.bots, key, **(usual | changes)))

    async def add(
        self, key: str, moves: str = MATE, first: int = 0, opening: int = 0, ending: str = "checkmate", **changes: Any
    ) -> MatchId:
        """A chess match that has ended. opening: how many of its moves were played for both."""
        names = moves.split()
        opened = tuple(OpeningPly(seat=ply % 2, text=text) for ply, text in enumerate(names[:opening]))
        match_id = await self.create(key, first, opening=opened, **changes)
        for ply in range(opening, len(names)):
            await self.store.append_move(a_move(match_id, ply, names[ply]))
        winner = 1 if ending in ("checkmate", "resigned_by_scores") else None
        await self.store.finish_match(
            result(match_id, winner, ending, reason="so it ended", lost_turn=None, ended_at=NOON + 9)
        )
        return match_id


def a_move(match_id: MatchId, ply: int, text: str) -> MoveRecord:
    info = {"score": [31, -250, 29_999, 29_997][ply % 4], "depth": 12}
    remaining_us = (59_500_000 - ply, 58_250_000)
    return move(match_id, ply, text, remaining_us=remaining_us, think_us=1_234_567, info=info, at=NOON + ply)


@pytest.fixture
async def games(store: MemoryStore) -> Games:
    return Games(store, await two_bots(store))


async def written(store: MemoryStore, form: ExportFormat = ExportFormat.PGN, **wanted: Any) -> list[bytes]:
    return [game.text async for game in exported_games(store, ExportFilter(**wanted), form)]


def read(texts: list[bytes]) -> list[chess.pgn.Game]:
    stream, found = io.StringIO(b"".join(texts).decode()), []
    while (game := chess.pgn.read_game(stream)) is not None:
        assert not game.errors
        found.append(game)
    return found


async def test_python_chess_reads_moves_clocks_judgements_times_and_how_it_ended(games: Games) -> None:
    await games.add("one", opening=2)
    (game,) = read(await written(games.store))
    assert [move.uci() for move in game.mainline_moves()] == MATE.split()
    headers = game.headers
    assert (headers["White"], headers["Black"], headers["Result"]) == ("ada", "Bob", "0-1")
    assert (headers["Termination"], headers["Ending"], headers["TimeControl"]) == ("normal", "checkmate", "60+1")
    assert (headers["Date"], headers["FirstVersion"], headers["Reason"]) == ("2026.11.20", "2.1", "so it ended")
    nodes = list(game.mainline())
    assert [node.clock() for node in nodes] == [None, None, 59.499, 58.25]
    assert [node.emt() for node in nodes] == [None, None, 1.234, 1.234]
    assert [node.comment.split()[0] for node in nodes[:2]] == ["book", "book"]
    mates = [node.eval() for node in nodes]
    assert mates[2] == chess.engine.PovScore(chess.engine.Mate(1), chess.WHITE)
    assert mates[3] == chess.engine.PovScore(chess.engine.Mate(-2), chess.WHITE)
    assert [node.eval_depth() for node in nodes] == [None, None, 12, 12]
    await games.add("two")
    scores = [node.eval() for node in list(read(await written(games.store))[1].mainline())[:2]]
    assert [score.white() for score in scores if score] == [chess.engine.Cp(31), chess.engine.Cp(250)]


async def test_a_move_of_a_bots_own_book_is_marked_and_is_no_ply_of_the_opening(games: Games) -> None:
    match_id = await games.create("one", opening=(OpeningPly(seat=0, text="f2f3"),))
    for ply, printed in ((1, FROM_BOOK), (2, "book")):  # what else a bot says is not repeated
        text = MATE.split()[ply]
        await games.store.append_move(move(match_id, ply, text, info={"text": printed}, think_us=0, at=NOON))
    await games.store.finish_match(result(match_id, None, "aborted", lost_turn=None, ended_at=NOON))
    (pgn,) = await written(games.store)
    (game,) = read([pgn])
    comments = [node.comment.split() for node in game.mainline()]
    assert [words[-1] for words in comments] == ["book", "book", "0:00:00.000]"]
    (record,) = read_transcripts(load_game("chess"), pgn.decode())
    assert record.opening_plies == 1


async def test_odds_in_time_stand_in_tags_of_their_own(games: Games) -> None:
    await games.add("one", time_control="60+1,5+0")
    (game,) = read(await written(games.store))
    assert "TimeControl" not in game.headers
    assert (game.headers["WhiteTimeControl"], game.headers["BlackTimeControl"]) == ("60+1", "5+0")


@pytest.mark.parametrize(
    ("ending", "result"), [("resigned_by_scores", "0-1"), ("drawn_by_scores", "1/2-1/2"), ("move_limit", "1/2-1/2")]
)
async def test_a_game_ended_by_scores_or_length_says_so(games: Games, ending: str, result: str) -> None:
    rule = {"draw": None, "resign": {"movecount": 3, "score": 600, "twosided": False}, "maxmoves": 9}
    await games.add("one", "e2e4 e7e5", ending=ending, adjudication=rule)
    (game,) = read(await written(games.store))
    assert [game.headers[name] for name in ("Termination", "Ending", "Result")] == ["adjudication", ending, result]
    (line,) = await written(games.store, ExportFormat.JSONL)
    assert json.loads(line)["match"]["adjudication"] == rule


async def test_a_game_from_another_start_has_its_position(games: Games) -> None:
    start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 5"
    await games.add("one", "e2e4 e8d7", start_text=start)
    (game,) = read(await written(games.store))
    assert game.headers["FEN"] == start
    assert game.headers["SetUp"] == "1"


async def test_the_games_of_a_pair_follow_each_other_however_they_ended(games: Games) -> None:
    for number in (1, 2, 0, 5, 3, 4):
        await games.add(pair_key("aa-1", number), first=number % 2)
    await games.add("lobby-x")
    rounds = [game.headers["Round"] for game in read(await written(games.store))]
    assert rounds == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "?"]


async def test_half_a_pair_is_not_lost_and_one_played_anew_neither(games: Games) -> None:
    for number, tries in ((0, 1), (0, 2), (1, 1), (2, 1)):
        await games.add(pair_key("aa-1", number, tries))
    assert [game.headers["Round"] for game in read(await written(games.store))] == ["1.1", "1.1", "1.2", "2.1"]


async def test_games_that_wait_for_their_partner_are_limited(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.server.archive.exports.MAX_HELD", 2)
    assert MAX_HELD > 2
    for number in (0, 2, 4, 1, 3, 5):
        await games.add(pair_key("aa-1", number))
    found = [game.headers["Round"] for game in read(await written(games.store))]
    assert sorted(found) == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"] != found
    assert found[0] == "1.1"


async def test_more_than_a_page_comes_whole_and_in_order(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.server.archive.pages.PAGE", 3)
    ids = [await games.add(f"lobby-{number}") for number in range(7)]
    lines = [json.loads(line) for line in await written(games.store, ExportFormat.JSONL)]
    assert [line["match"]["id"] for line in lines] == ids


async def test_a_json_line_has_everything(games: Games) -> None:
    match_id = await games.add("one", opening=1)
    (line,) = await written(games.store, ExportFormat.JSONL)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    game = json.loads(line)
    assert game["match"]["seats"][1] == {"bot_id": games.bots[1].id, "bot": "Bob", "version": "2.1"}
    assert game["match"]["result"]["ending"] == "checkmate"
    stored = await games.store.moves(match_id)
    assert [move["think_us"] for move in game["moves"]] == [move.think_us for move in stored]
    assert game["moves"][1]["info"] == {"score": -250, "depth": 12}
    assert game["tournament"] == ""


async def test_games_are_filtered(games: Games) -> None:
    await games.add("one")
    await games.add("two", created_at=NOON + 100)
    await games.create("running")
    counts = [
        len(await written(games.store, ExportFormat.JSONL, **wanted))
        for wanted in ({}, {"since": NOON + 50}, {"bot": "ADA"}, {"bot": "eve"}, {"game": "nim"}, {"tournament": 1})
    ]
    assert counts == [2, 1, 2, 0, 0, 0]


async def test_a_game_that_the_rules_cannot_replay_is_left_out_with_a_word(games: Games) -> None:
    await games.add("bad", "e2e5")
    await games.add("good")
    texts = await written(games.store)
    assert texts[0].startswith(b"% match 1 is left out: it cannot be replayed by the rules:")
    assert len(read(texts)) == 1


async def test_a_game_that_cannot_be_read_is_left_out_and_the_others_are_not(
    games: Games,
) -> None:
    bad = await games.add("bad")
    await games.add("good")
    del games.store.tables.moves[bad][1]
    texts = await written(games.store)
    assert texts[0] == b"% match 1 is left out: match 1 has no move for ply 1, but one for ply 2\n\n"
    assert len(read(texts)) == 1
    assert [json.loads(line)["match"]["id"] for line in await written(games.store, ExportFormat.JSONL) if line] == [2]


async def test_of_each_game_it_is_said_whether_it_was_aborted_or_is_left_out(games: Games) -> None:
    unreadable = await games.add("unreadable")
    del games.store.tables.moves[unreadable][1]
    await games.add("aborted", ending="aborted")
    await games.add("unplayable", "e2e5")
    await games.add("good")
    for form, third in ((ExportFormat.PGN, GameKind.LEFT_OUT), (ExportFormat.JSONL, GameKind.PLAYED)):
        kinds = [game.kind async for game in exported_games(games.store, ExportFilter(), form)]
        assert kinds == [GameKind.LEFT_OUT, GameKind.ABORTED, third, GameKind.PLAYED]


def test_a_key_says_its_place_in_a_run_and_others_have_none() -> None:
    assert place_in_run(pair_key("0a1f-12", 7)) == ("0a1f-12", 7)
    assert place_in_run(pair_key("0a1f-12", 7, 3)) == ("0a1f-12", 7)
    for key in ("lobby-1", "match-", "match-aa-1", "match-aa-1-x", "tournament-1-2-0", "match-aa-1-2-3-4"):
        assert place_in_run(key) is None
