"""`tabiya analyse`: the algorithms of the textbooks side by side on one position or drawn tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from tabiya.bots.textbook.analysis import MOST_NODES_AS_PRINTED, MOST_NODES_COMPILED, Finding
from tabiya.bots.textbook.analysis import analyse as found_by
from tabiya.bots.textbook.catalogue import LISTINGS, Listing, UnknownListing, find
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.recording.drawing import View
from tabiya.bots.textbook.recording.explanation import Explanation
from tabiya.bots.textbook.recording.question import Order, SearchQuestion
from tabiya.bots.textbook.tree import TreeError
from tabiya.cli.options import SERVER_OPTION
from tabiya.cli.output import Format, note, show, show_json
from tabiya.cli.players.analysis_subject import checked_question, facts, position_of_match, value_text
from tabiya.cli.players.analysis_techniques import show_techniques
from tabiya.errors import UserError, user_errors
from tabiya.protocol.printable import printable

ONE = "alphabeta-failhard"
USUAL = ("minimax", "alphabeta-failsoft", "alphabeta-failhard", "pvs-failhard")
COLUMNS = {
    "algorithm": "algorithm",
    "value": "value",
    "best": "best moves",
    "line": "principal variation",
    "nodes": "nodes",
    "leaves": "leaves",
    "cuts": "cut-offs",
    "researches": "re-searches",
}
MOST_NODES_HELP = (
    f"Node limit of each algorithm; 0: {MOST_NODES_COMPILED}, with --as-printed or --tree {MOST_NODES_AS_PRINTED}."
)
QUIET, TIME = {"quiet": "quiescence"}, {"time_ms": "ms"}
CONTRACTS = {
    "name": "listing",
    "family": "short name",
    "fail": "contract",
    "looks": "looks ahead",
    "ends": "tests the end",
    "about": "",
    "path": "file",
}


def analyse(
    game: str = typer.Argument("", help="Name of the game; not with --tree."),
    depth: int = typer.Option(
        0, "--depth", "-d", help="Depth in plies; 0: 3 in a game, the whole tree with --tree.", min=0, max=64
    ),
    position: str | None = typer.Option(None, "--position", "-p", help="Position text to analyse."),
    moves: str = typer.Option("", "--moves", "-m", help="Moves to play first, separated by spaces."),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    match: int | None = typer.Option(None, "--match", help="Take the position from this match instead of GAME.", min=1),
    ply: int | None = typer.Option(
        None, "--ply", help="With --match: the position before the move of this ply.", min=0
    ),
    server: str | None = SERVER_OPTION,
    database: str | None = typer.Option(
        None, "--database", help="With --match: read this database instead of asking a server."
    ),
    tree: str = typer.Option(
        "", "--tree", help=f"A drawn tree such as [[9,8,7],[6,5,4]], or a book's: {', '.join(EXAMPLES)}."
    ),
    min_begins: bool = typer.Option(False, "--min", help="Min moves at the root of the tree."),
    algorithm: list[str] = typer.Option(
        [], "--algorithm", "-a", help="Algorithm, see --list; repeat it, or separate several with commas."
    ),
    listed: bool = typer.Option(False, "--list", help="Only list the algorithms and their contracts."),
    order: Order = typer.Option(Order.NONE, "--order", help="Move ordering; the last two are for trees only."),
    sort_top: int = typer.Option(0, "--sort-top", help="Sort only this many best moves to the front; 0: all.", min=0),
    heap: bool = typer.Option(False, "--heap", help="Take moves from a heap instead of sorting them."),
    eval_granularity: int = typer.Option(
        1, "--eval-granularity", help="Divide the evaluation by this number, rounded towards zero.", min=1
    ),
    quiescence: bool = typer.Option(False, "--quiescence", help="Search captures to the end before evaluating."),
    wins: Wins = typer.Option(
        Wins.SOONER, "--wins", help="Value of a won game: higher if it comes sooner, infinite, or 1."
    ),
    candidates_only: bool = typer.Option(False, "--candidates-only", help="Search only the player's candidate moves."),
    evaluation: str = typer.Option("", "--evaluation", help="Use an evaluation from the textbooks."),
    window: str = typer.Option(
        "", "--window", help="Search window ALPHA,BETA for the side to move; full window if not given."
    ),
    as_printed: bool = typer.Option(
        False, "--as-printed", help="Run the printed Python listings, not the compiled versions."
    ),
    trace: bool = typer.Option(False, "--trace", help="Print the search tree with its cut-offs."),
    view: View = typer.Option(View.MAX, "--view", help="Values from the view of Max or of the side to move."),
    explained: bool = typer.Option(
        False, "--explain", help="Count the nodes of one algorithm with and without each technique."
    ),
    svg: Path | None = typer.Option(None, "--svg", help="Draw the search of one algorithm into this SVG file."),
    max_nodes: int = typer.Option(0, "--max-nodes", help=MOST_NODES_HELP, min=0),
    no_time: bool = typer.Option(False, "--no-time", help="Leave out times, so that the output never changes."),
    form: Format = typer.Option(Format.TABLE, "--format", help="How to print: table, json or csv."),
) -> None:
    """Run the textbooks' algorithms on a position of GAME or on a tree, and compare them."""
    if listed:
        show([_contract(listing) for listing in LISTINGS], CONTRACTS, form)
        return
    if match is not None:
        if game or tree or position is not None or moves or option:
            raise UserError("with --match the position is that of the match: leave out GAME, --tree and the position")
        game, position, moves = position_of_match(match, ply, server, database)
    elif ply is not None or server is not None or database is not None:
        raise UserError("--ply, --server and --database are for --match, the number of a match")
    if bool(game) == bool(tree):
        raise UserError("name a game, or draw a tree with --tree, such as --tree '[[9,8,7],[6,5,4]]'")
    _refuse_idle_options(
        bool(tree),
        {"--position": position, "--moves": moves, "--option": option, "--evaluation": evaluation,
         "--candidates-only": candidates_only, "--quiescence": quiescence,
         "--eval-granularity": eval_granularity > 1, "--wins": wins is not Wins.SOONER},
        {"--min": min_begins},
    )  # fmt: skip
    if position is not None and not position.strip():
        raise UserError("the position is empty; leave out --position for the start")
    names = _names(algorithm) or list((ONE,) if explained else USUAL)
    if len(names) > 1 and (explained or svg is not None):
        raise UserError("--explain and --svg need one algorithm: name it with --algorithm")
    if explained and (trace or svg is not None):
        raise UserError("--explain makes many searches and cannot be combined with --trace or --svg, which show one")
    alpha, beta = _window(window)
    question = checked_question(
        SearchQuestion(
            tree=tree, min_begins=min_begins, game=game, position=position or "", moves=moves, depth=depth, order=order,
            sort_top=sort_top, heap=heap, grain=eval_granularity, quiescence=quiescence, wins=wins,
            near=candidates_only, evaluation=evaluation, alpha=alpha, beta=beta,
        ),
        option,
    )  # fmt: skip
    _warn(question, names)
    if explained:
        show_techniques(replace(question, algorithm=names[0]), names[0], max_nodes, as_printed, form)
        return
    with user_errors(TreeError, ValueError):
        findings = found_by(question, names, max_nodes or None, as_printed)
        drawings = [_drawing(question, name, view, max_nodes) for name in names] if trace else []
    problems = _problems(findings)
    if all(finding.report is None for finding in findings):
        raise UserError(f"no algorithm could finish: {'; '.join(problems)}")
    if svg is not None:
        with user_errors(TooBig, TreeError):
            _write(svg, _explained(question, names[0], view, max_nodes).svg())
    _print(question, findings, drawings, form, no_time)
    for problem in problems:
        note(problem)


def _refuse_idle_options(on_tree: bool, for_games: dict[str, object], for_trees: dict[str, object]) -> None:
    """Raises UserError for an option that would change nothing."""
    idle = [name for name, given in (for_games if on_tree else for_trees).items() if given]
    if idle:
        raise UserError(f"{idle[0]} is for {'games, not for drawn trees' if on_tree else 'drawn trees, not for games'}")


def _problems(findings: Sequence[Finding]) -> list[str]:
    """What went wrong, once each, and for which algorithms."""
    names: dict[str, list[str]] = {}
    for finding in findings:
        if finding.problem:
            names.setdefault(finding.problem, []).append(finding.name)
    # the same for all: no names are needed
    if len(names) == 1 and len(findings) == len(*names.values()):
        return list(names)
    return [f"{', '.join(who)}: {problem}" for problem, who in names.items()]


def _names(texts: Sequence[str]) -> list[str]:
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    with user_errors(UnknownListing):
        return [name for name in dict.fromkeys(names) if find(name) is not None]


def _warn(question: SearchQuestion, names: Sequence[str]) -> None:
    careless = [name for name in names if not find(name).tests_ends]
    if question.tree and careless and not question.tree_searched().is_even():
        note(f"{', '.join(careless)} never asks if the game is over: leaves above the last ply count as lost")


def _drawing(question: SearchQuestion, name: str, view: View, max_nodes: int) -> list[str]:
    """The search as a tree; instead one line that says why where it is too big, or the tree lacks a value."""
    try:
        return str(_explained(question, name, view, max_nodes)).splitlines()
    except (TooBig, TreeError) as error:
        return [f"(not drawn: {error})"]


def _explained(question: SearchQuestion, name: str, view: View, max_nodes: int) -> Explanation:
    limit = max_nodes or MOST_NODES_AS_PRINTED
    return Explanation.of(replace(question, algorithm=name), limit).seen_by(view)


def _write(file: Path, picture: str) -> None:
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{printable(file)} cannot be written: {error.strerror}") from None


def _window(text: str) -> tuple[int, int]:
    if not text:
        return -INFINITY, INFINITY
    ends = [part.strip().replace("inf", str(INFINITY)) for part in text.split(",")]
    try:
        alpha, beta = (int(part) for part in ends)
    except ValueError:
        raise UserError(f"a window is two whole numbers ALPHA,BETA (or -inf, inf), not {text!r}") from None
    if not -INFINITY <= alpha < beta <= INFINITY:
        raise UserError(f"a window has ALPHA below BETA, not {text!r}")
    return alpha, beta


def _contract(listing: Listing) -> dict[str, Any]:
    return {
        "name": listing.name,
        "family": listing.family,
        "fail": listing.fail.value + (", strict" if listing.strict else ""),
        "looks": listing.looks.value,
        "ends": "yes" if listing.tests_ends else "no",
        "about": listing.about,
        "path": listing.path,
    }


def _print(
    question: SearchQuestion, findings: Sequence[Finding], drawings: Sequence[list[str]], form: Format, no_time: bool
) -> None:
    if form is Format.JSON:
        rows = [_facts(question, finding, no_time) for finding in findings]
        for row, lines in zip(rows, drawings, strict=False):
            row["trace"] = lines
        show_json(facts(question) | {"depth": question.depth, "algorithms": rows})
        return
    for finding, lines in zip(findings, drawings, strict=False):  # without --trace there are no drawings
        typer.echo(f"{finding.name}\n" + "\n".join(lines) + "\n")
    columns = (
        COLUMNS | (QUIET if any(f.report and f.report.quiet for f in findings) else {}) | ({} if no_time else TIME)
    )
    rows = [_row(question, finding) for finding in findings if finding.report is not None]
    if rows:
        show(rows, columns, form)


def _facts(question: SearchQuestion, finding: Finding, no_time: bool) -> dict[str, Any]:
    from dataclasses import asdict

    head = {"algorithm": finding.name, "listing": finding.listing.name}
    if finding.report is None:
        return head | {"problem": finding.problem}
    text = value_text(question, finding.report.value)
    found = {"value_text": text, "move": finding.report.move, "best": list(finding.best)} | asdict(finding.report)
    if no_time:
        del found["time_s"]
    return head | found


def _row(question: SearchQuestion, finding: Finding) -> dict[str, Any]:
    report = finding.report
    assert report is not None
    return {
        "algorithm": finding.name,
        "value": value_text(question, report.value),
        "best": " ".join(finding.best) or "?",
        "line": " ".join(report.line) or "none",
        "nodes": report.nodes,
        "leaves": report.leaves,
        "cuts": report.cuts,
        "researches": report.researches,
        "quiet": report.quiet,
        "time_ms": report.time_s * 1000,
    }
