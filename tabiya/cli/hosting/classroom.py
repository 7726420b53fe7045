"""`tabiya class run FOLDER`: submitted programs play a tournament on this machine and are graded."""

from __future__ import annotations

import errno
import os
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tabiya.cli.games import COMPILING_ENGINES, games_of, time_control_from
from tabiya.cli.options import SANDBOX_HELP, available_sandbox
from tabiya.cli.output import FORMAT_OPTION, Format, note, note_if_slow, show, show_json
from tabiya.cli.stores import on_store
from tabiya.cli.whole_file import write_whole
from tabiya.errors import UserError, user_errors
from tabiya.loaded_game import game_named
from tabiya.protocol.printable import printable
from tabiya.sandbox.option import SandboxOption
from tabiya.server.grading.gradebook_names import Gradebook

if TYPE_CHECKING:
    from tabiya.classroom.record import Rules, RunRecord
    from tabiya.classroom.staff import StaffBot

app = typer.Typer(
    help="A class's submitted programs: run them against each other and grade them.", no_args_is_help=True
)
GRADES = "grades.csv"
FORMATS = ("round_robin", "swiss", "none")


@app.callback()
def _group() -> None:
    """Does nothing: without a callback Typer takes the only command for the group, and `run` could not be said."""


@app.command()
def run(
    submissions: Path = typer.Argument(help="Folder with one Python file or one folder per bot."),
    game: str = typer.Option(..., "--game", "-g", help="Name of the game."),
    time_control: str = typer.Option("2/move", "--time", "-t", help="Time control of the games."),
    final: int = typer.Option(0, "--final", help="How many bots play in the final, a round robin; 0: no final.", min=0),
    rounds: int = typer.Option(0, "--rounds", help="Rounds of the qualifier; 0: the usual number.", min=0),
    final_rounds: int = typer.Option(2, "--final-rounds", help="How often each two bots meet in the final.", min=1),
    qualifier: str = typer.Option(
        "", "--qualifier", help="Qualifier: round_robin, swiss or none [swiss for more than 12 bots]."
    ),
    staff: list[str] = typer.Option(
        [], "--staff", help="A staff bot and its points: PLAYER=POINTS@PERCENT-PERCENT, such as greedy=4@25-75."
    ),
    staff_rounds: int = typer.Option(
        2, "--staff-rounds", help="How often each bot meets each staff bot, for two games.", min=1, max=100
    ),
    add_player: list[str] = typer.Option([], "--add-player", help="A built-in PLAYER that also plays, such as greedy."),
    grades_for: list[Gradebook] = typer.Option(
        [], "--grades-for", help="Also write the grades in the format of moodle, canvas or gradescope."
    ),
    assignment: str = typer.Option("", "--assignment", help="Name of the assignment in that file [Tabiya GAME]."),
    output: Path | None = typer.Option(
        None, "--output", help="Folder of this run [FOLDER-run]; an unfinished run in it continues."
    ),
    again: bool = typer.Option(
        False,
        "--again",
        help="Repeat a finished run with the present submissions; games of unchanged programs are kept.",
    ),
    check: bool = typer.Option(True, "--check/--no-check", help="Run `tabiya check` on each program first."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Only check the submissions and estimate the time."),
    memory: int = typer.Option(1024, "--memory", help="Memory limit of one bot, in megabytes.", min=16),
    files: int = typer.Option(64, "--file-size", help="Largest file that a bot may write, in megabytes.", min=1),
    sandbox: SandboxOption = typer.Option(SandboxOption.AUTO, "--sandbox", help=SANDBOX_HELP),
    seed: int = typer.Option(0, "--seed", help="Seed of openings and pairings."),
    host: str = typer.Option("127.0.0.1", "--host", help="Address of the pages; 0.0.0.0 for the whole network."),
    pages_port: int = typer.Option(8080, "--pages-port", help="Port of the pages; 0: any free one.", min=0, max=65_535),
    form: Format = FORMAT_OPTION,
) -> None:
    """Play the programs of a folder against each other on this machine, with limits, and write grades.csv."""
    from tabiya.classroom.record import Rules
    from tabiya.server.grading.gradebooks import AssignmentError, check_assignment

    game_named(game)
    if qualifier not in ("", *FORMATS):
        raise UserError(f"the qualifier is {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, not {qualifier!r}")
    with user_errors(AssignmentError):
        check_assignment(assignment)
    if qualifier == "none" and final:
        raise UserError("--final needs a qualifier; leave --final or --qualifier none out")
    if again and dry_run:
        raise UserError("--again plays games; leave --dry-run out")
    rules = Rules(
        game=game,
        time_control=time_control_from(time_control),
        format=qualifier,
        rounds=rounds,
        final=final,
        final_rounds=final_rounds,
        seed=seed,
        check=check,
        memory_mb=memory,
        file_mb=files,
        sandbox=available_sandbox(sandbox, memory, files),
        staff=_staff(staff),
        staff_rounds=staff_rounds,
    )
    folder = output or submissions.absolute().with_name(f"{submissions.absolute().name}-run")
    try:
        record = _record(submissions, tuple(add_player), folder, rules, again)
        if record.rules.sandbox != rules.sandbox:
            note(f"this run continues with the sandbox with which it began: {record.rules.sandbox}")
        if grades_for and not record.rules.staff:
            raise UserError("--grades-for needs staff bots; name some with --staff")
        if not dry_run:
            _check_port(host, pages_port)
        _examine(record, folder)
        if not dry_run:
            _play(record, folder, host, pages_port)
        found = _report(record, folder, form)
        _write_gradebooks(record, folder, found, grades_for, assignment or f"Tabiya {game}")
    except OSError as error:
        raise UserError(f"{error.filename or folder}: {error.strerror or error}") from None


def _staff(texts: list[str]) -> tuple[StaffBot, ...]:
    """The staff bots that are asked for. Raises UserError."""
    from tabiya.bots.players.spec import PlayerError, parse_player
    from tabiya.classroom.staff import StaffError, read_staff

    with user_errors(PlayerError, StaffError):
        staff = read_staff(texts)
        for bot in staff:
            parse_player(bot.player)
    return staff


def _check_port(host: str, port: int) -> None:
    """Raises UserError if the pages cannot be served there: better now than after the examination of a whole class."""
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            return  # the server has more to say of it
        raise UserError(
            f"cannot listen on {host} port {port}: another program listens there (choose another with --pages-port; "
            "0 takes any free one)"
        ) from None


def _record(submissions: Path, beside: tuple[str, ...], into: Path, rules: Rules, again: bool) -> RunRecord:
    from tabiya.classroom.preparation import prepared
    from tabiya.classroom.record import RecordError, load
    from tabiya.classroom.rerun import prepare_rerun

    with user_errors(RecordError):
        known = load(into)
        if known is None or not known.has_begun or again:  # a run that goes on takes no other players
            for player in (*beside, *(bot.player for bot in rules.staff)):
                games_of(player, (rules.game,))
        return (prepare_rerun if again else prepared)(submissions, beside, into, rules, note)


def _examine(record: RunRecord, into: Path) -> None:
    from tabiya.classroom.check_submissions import check_submissions
    from tabiya.classroom.record import save
    from tabiya.processes.compile_kernels import warm_all

    waiting = [entry for entry in record.players if entry.grade is None]
    if record.rules.check and not record.is_playing and waiting:
        if any(entry.player for entry in waiting):
            # compiling may take longer than the examination waits for a bot, and ours would not play
            with note_if_slow(COMPILING_ENGINES):
                warm_all((record.rules.game,), 1)
        note(f"{len(waiting)} submissions are checked first (tabiya check)")
        check_submissions(waiting, record.rules, into, note)
        save(into, record)
    for entry in record.entries:
        if entry.is_staff and entry.problem:
            raise UserError(f"{entry.name} cannot play: {entry.problem}")
    _say_estimate(record)


def _say_estimate(record: RunRecord) -> None:
    from tabiya.classroom.check_submissions import estimated_s, games_of_stages
    from tabiya.classroom.preparation import check_numbers

    entries = record.competitors
    check_numbers(record.rules, len(entries), f"{len(entries)} of the submissions can play")
    games = games_of_stages(record.rules, len(entries), len(record.new_to_staff))
    seconds = estimated_s(entries, games, os.cpu_count() or 1)  # the server plays a game a core at once
    if seconds is not None:
        note(f"{len(entries)} bots, {games} games: about {_duration(seconds)} if they think as long as in the check")


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return (
        f"{seconds:.0f} seconds" if seconds < 90 else f"{minutes} minutes" if minutes < 90 else f"{minutes / 60:.1f} h"
    )


def _play(record: RunRecord, into: Path, host: str, pages_port: int) -> None:
    from tabiya.classroom.class_tournament import ClassTournament
    from tabiya.cli.progress import bars

    begun = time.perf_counter()
    with bars() as progress:
        ClassTournament(into, record, note, progress.set).play(host, pages_port)
    note(f"played in {_duration(time.perf_counter() - begun)}")


def _report(record: RunRecord, into: Path, form: Format) -> list[dict[str, Any]]:
    """Print the grades and write them to the run's folder. Its rows."""
    from tabiya.classroom.class_tournament import DATABASE
    from tabiya.classroom.grades import COLUMNS, FOR_STAFF, SPARE, GameTimes, read_games, rows, table_rows
    from tabiya.classroom.similarity import similar_entries

    # after a dry run there is no database yet
    begun = (into / DATABASE).exists()
    games = on_store(str(into / DATABASE), lambda store: read_games(store, record)) if begun else GameTimes()
    found = rows(record, games, similar_entries(record.entries, into))
    write_csv(into / GRADES, found, COLUMNS)
    if form is Format.JSON:
        show_json(found)
    else:
        left_out = ("note", *(() if record.rules.staff else FOR_STAFF)) if form is Format.TABLE else ()
        headings = {key: heading for key, heading in COLUMNS.items() if key not in left_out}
        show(table_rows(found), headings, form, SPARE)
        if form is Format.TABLE:  # whole sentences, which would make a table too wide for any terminal
            for row in found:
                if row["note"]:
                    typer.echo(printable(f"{row['name']}: {row['note']}"))
    note(f"grades: {into / GRADES}")
    return found


def _write_gradebooks(
    record: RunRecord, into: Path, found: list[dict[str, Any]], wanted: list[Gradebook], assignment: str
) -> None:
    """Write the grades as other systems lay them out, if there are any yet. Raises OSError."""
    from tabiya.classroom.gradebooks import gradebook_rows

    if "staff" not in record.standings:  # a dry run
        return
    for gradebook in wanted:
        rows = gradebook_rows(gradebook, record, found, assignment)
        path = into / f"grades-{gradebook}.csv"
        write_csv(path, rows, {heading: heading for heading in rows[0]})
        note(f"grades for {gradebook}: {path}")


def write_csv(path: Path, found: list[dict[str, Any]], columns: dict[str, str]) -> None:
    """Write the rows whole or not at all. Raises OSError."""
    from tabiya.protocol.csv_text import csv_text

    write_whole(path, csv_text(found, columns))
