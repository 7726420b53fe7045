"""A tournament taken along: as a table for spreadsheets, and as FIDE's report."""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path

from py4swiss.trf import TrfParser
from py4swiss.trf.results import ResultToken

from tests.server.local_bots import first_legal
from tests.server.web.stored_tournaments import stored_tournament
from tests.server.web.web_server import GAME, WebServer

NAMES = ("=SUM(A1)", "bob", "eve", "a-name-that-is-longer-than-the-field-of-a-report", "zoe", "kim", "joe")


async def test_the_table_is_a_file_for_spreadsheets_in_which_nothing_is_a_formula(web: WebServer) -> None:
    tournament = await stored_tournament(web.store, "round_robin", NAMES, share=0.7)
    reported = await web.json(f"/api/v1/tournaments/{tournament}")
    answer = await web.get(f"/api/v1/tournaments/{tournament}/crosstable.csv")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert f'filename="tournament-{tournament}.csv"' in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(answer.text.splitlines()))
    assert [float(row["points"]) for row in rows] == [line["points"] for line in reported["lines"]]
    assert {row["bot"] for row in rows} == {"'=SUM(A1)", *NAMES[1:]}
    for row, line in zip(rows, reported["lines"], strict=True):
        assert [row[f"n{number}"] for number in range(len(NAMES))] == [
            f"{score['points']:g}" if score else "" for score in line["against"]
        ]


async def test_each_button_of_the_page_downloads_what_it_says(web: WebServer) -> None:
    bots = ("ada", "bob")
    for name in bots:
        await web.bot(name, first_legal, max_matches=2)
    made = await web.post("/api/v1/tournaments", {"name": "cup", "game": GAME, "format": "swiss", "bots": bots})
    await web.tournament_ends()
    tournament = made.json["id"]
    page = (await web.get(f"/tournaments/{tournament}")).text.split('class="exports"')[1].split("</section>")[0]
    printed: dict[str, str] = {}
    for attributes, words in re.findall("<a class=.button. ([^>]*)>([^<]*)</a>", page):
        given = dict(re.findall('([a-z]+)="([^"]*)"', html.unescape(attributes)))
        answer = await web.get(given["href"])
        named = re.findall('attachment; filename="([^"]*)"', answer.headers.get("Content-Disposition", ""))
        (file,) = named or [given["download"]]  # a name of the answer comes before that of the link
        printed[words] = file.removeprefix(f"tournament-{tournament}.")
        assert answer.status == 200
        assert "ada" in answer.text
    assert printed == {
        "Table (CSV)": "csv",
        "Games (transcripts)": "pgn",
        "Games (JSON lines)": "jsonl",
        "Everything (JSON)": "json",
        "FIDE report (TRF)": "trf",
    }


async def test_a_swiss_is_a_report_that_another_program_reads(web: WebServer, tmp_path: Path) -> None:
    tournament = await stored_tournament(web.store, "swiss", NAMES, rounds=4)
    answer = await web.json(f"/api/v1/tournaments/{tournament}")
    file = tmp_path / "report.trf"
    file.write_text((await web.get(f"/api/v1/tournaments/{tournament}/report.trf")).text, encoding="utf-8")
    report = TrfParser.parse(file)
    report.validate_contents()
    assert report.x_section.number_of_rounds == 4
    for player in report.player_sections:
        (line,) = [line for line in answer["lines"] if line["number"] == player.starting_number - 1]
        assert (player.points_times_ten / 10, player.rank) == (line["points"], line["rank"])
        assert str(player.name).strip() == line["bot"][:33].strip()
        assert len(player.results) == 4
    results = [result.result for player in report.player_sections for result in player.results]
    assert results.count(ResultToken.PAIRING_ALLOCATED_BYE) == 4
    assert results.count(ResultToken.WIN) == results.count(ResultToken.LOSS) > 0


async def test_a_report_has_the_rounds_that_are_over_and_only_a_swiss_has_one(web: WebServer) -> None:
    running = await stored_tournament(web.store, "swiss", NAMES, share=0.6, rounds=4)
    report = (await web.get(f"/api/v1/tournaments/{running}/report.trf")).text
    games = (await web.json(f"/api/v1/tournaments/{running}"))["games"]
    current = min(game["round"] for game in games if game["state"] in ("pending", "running"))
    lengths = {len(line) for line in report.splitlines() if line.startswith("001")}
    assert lengths == {89 + 10 * current}
    other = await stored_tournament(web.store, "knockout", NAMES, name="Other")
    (await web.get(f"/api/v1/tournaments/{other}/report.trf")).assert_refused(404, "is not a Swiss")
