"""`tabiya matches`: list and show matches, and, for the operator, end them."""

from __future__ import annotations

import time
from typing import Any

import typer

from tabiya.api_client.api import Api, as_owner
from tabiya.api_client.settings import ClientSettings, client_settings
from tabiya.cli.options import OPERATOR_OPTION, SERVER_OPTION, TOKEN_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, show, show_json, table
from tabiya.cli.rule_options import adjudicated
from tabiya.errors import UserError
from tabiya.games.endings import PROGRAM_FAILED
from tabiya.protocol.messages.parts import FROM_BOOK

app = typer.Typer(help="Matches: list, show, abort, adjudicate, replay.", no_args_is_help=True)

LIST_COLUMNS = {
    "id": "match",
    "game": "game",
    "first": "first",
    "second": "second",
    "result": "result",
    "how": "how it ended",
    "plies": "plies",
    "time_control": "time",
    "when": "begun",
}
MOVE_COLUMNS = {
    "ply": "ply",
    "player": "player",
    "move": "move",
    "clock": "clock",
    "think": "think",
    "credit": "credit",
    "network": "network",
    "server": "server",
    "claimed": "claimed",
    "sent": "sent (UTC)",
    "arrived": "arrived",
    "notes": "notes",
}
SPARE_IN_LIST = (("plies",), ("when",), ("time_control",), ("game",))
SPARE_IN_MOVES = (("sent", "arrived"), ("claimed",), ("server",), ("network",), ("credit",))
MATCH_ARGUMENT = typer.Argument(help="Number of the match.", min=1)
REASON_OPTION = typer.Option("", "--reason", "-r", help="Reason; everybody can read it.")


@app.command("list")
def list_matches(
    game: str | None = typer.Option(None, "--game", "-g", help="Only this game."),
    bot: str | None = typer.Option(None, "--bot", "-b", help="Only this bot."),
    tournament: int | None = typer.Option(None, "--tournament", help="Only this tournament."),
    status: str | None = typer.Option(None, "--status", help="Only matches that are running, frozen or ended."),
    before: int | None = typer.Option(None, "--before", help="Only matches before this number."),
    limit: int = typer.Option(20, "--limit", "-n", help="How many to list.", min=1, max=200),
    server: str | None = SERVER_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """List matches, newest first."""
    api = Api(client_settings(server))
    answer = api.get("/matches", game=game, bot=bot, tournament=tournament, status=status, before=before, limit=limit)
    rows = answer["matches"] if form is Format.JSON else [line | _summary(line) for line in answer["matches"]]
    if rows or form is not Format.TABLE:
        show(rows, LIST_COLUMNS, form, SPARE_IN_LIST)
    else:
        typer.echo("no such matches")


def _summary(line: dict[str, Any]) -> dict[str, Any]:
    result = line["result"]
    ending = "program failed" if _has_failed(line) else result and result["ending"].replace("_", " ")
    return {
        "first": line["seats"][0]["bot"],
        "second": line["seats"][1]["bot"],
        "result": result["result"] if result else line["status"],
        "how": line["fault"] or ending or line["frozen_reason"] or "",
        "when": time.strftime("%Y-%m-%d %H:%M", time.localtime(line["created_at"])),
    }


@app.command("show")
def show_match(
    match: int = MATCH_ARGUMENT,
    transcript: bool = typer.Option(False, "--transcript", help="Only the game's notation (chess: PGN)."),
    server: str | None = SERVER_OPTION,
    token: str | None = TOKEN_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Show a match: moves, clocks, times, how it ended and why.

    Only the bot's owner and the operator see the error of a failed program.
    """
    settings = client_settings(server, token, operator_token)
    api = Api(settings)
    if transcript:
        typer.echo(api.text(f"/matches/{match}/transcript"))
        return
    found = api.get(f"/matches/{match}")
    if form is Format.JSON:
        show_json(found)
        return
    rows = [_move_row(found, move) for move in found["moves"]]
    if form is Format.CSV:
        show(rows, MOVE_COLUMNS, form)
        return
    typer.echo(_headline(found))
    table(rows, _columns(found["moves"]), spare=SPARE_IN_MOVES)
    typer.echo(_verdict(found))
    if _has_failed(found):
        typer.echo(f"\n{_failure(settings, found, operator_token)}")


def _has_failed(match: dict[str, Any]) -> bool:
    """Whether the match was lost by the failure of a program, according to its public result."""
    result = match["result"]
    return result is not None and result["ending"] == "resignation" and result["reason"].endswith(PROGRAM_FAILED)


def _failure(settings: ClientSettings, match: dict[str, Any], operator_token: str | None) -> str:
    """The error of the program that failed, or why it is not shown."""
    bot = match["seats"][1 - match["result"]["winner"]]["bot"]
    try:
        text = as_owner(settings, bot, operator_token).get(f"/matches/{match['id']}/failure")["text"]
    except UserError as error:
        return f"the error of its program is not shown: {error}"
    return f"the error of its program: {text}"


def _headline(match: dict[str, Any]) -> str:
    one, two = (f"{seat['bot']}{' version ' + seat['version'] if seat['version'] else ''}" for seat in match["seats"])
    names = f"{one} ({match['seats'][0]['seat']}) against {two} ({match['seats'][1]['seat']})"
    rated = "rated" if match["rated"] else "not rated"
    place = match["place"]
    where = f", tournament {place['id']} ({place['name']})" if place else ""
    head = f"match {match['id']}: {match['game']}, {names}, time control {match['time_control']}, {rated}{where}"
    rule = f"\nadjudicated: {adjudicated(match['adjudication'])}" if match["adjudication"] else ""
    return f"{head}{rule}\nstart {match['start']}; times in seconds\n"


def _columns(moves: list[dict[str, Any]]) -> dict[str, str]:
    """The columns of the moves that have values: no clocks in a match without, no network on one machine."""
    columns = dict(MOVE_COLUMNS)
    for key in ("credit", "network", "server", "claimed"):
        if not any(round(move[f"{key}_ms"] or 0) for move in moves):
            del columns[key]
    if not any(move["clock_ms"] for move in moves):
        del columns["clock"]
    return columns


def _move_row(match: dict[str, Any], move: dict[str, Any]) -> dict[str, Any]:
    seat, clocks = move["seat"], move["clock_ms"]
    opening = move["opening"]  # no player made it, in no time
    notes = ["opening"] if opening else []
    notes += [f"{move['illegal_moves']} illegal so far"] if move["illegal_moves"] else []
    notes += [f"server stood still {_seconds(move['standstill_ms'])} s"] if move["standstill_ms"] else []
    notes += [f"restart forgave {_seconds(move['forgiven_ms'])} s"] if move["forgiven_ms"] else []
    notes += ["draw offered"] if move["draw_offer"] is not None else []
    info = move["info"] or {}
    notes += [FROM_BOOK] if info.get("text") == FROM_BOOK else []
    notes += [f"depth {info['depth']}"] if info.get("depth") is not None else []
    notes += [f"value {info['score'] / 100:+.2f}"] if info.get("score") is not None else []
    return {
        "ply": move["ply"],
        "player": match["seats"][seat]["bot"],
        "move": move["readable"],
        "clock": _seconds(clocks[seat]) if clocks else "",
        "think": "" if opening else _seconds(move["think_ms"]),
        "credit": "" if opening else _seconds(move["credit_ms"]),
        "network": "" if opening else _seconds(move["network_ms"]),
        "server": "" if opening else _seconds(move["server_ms"]),
        "claimed": "" if move["claimed_ms"] is None else _seconds(move["claimed_ms"]),
        "sent": "" if opening or move["sent_at"] is None else _moment(move["sent_at"]),
        "arrived": "" if opening else _moment(move["at"]),
        "notes": ", ".join(notes),
    }


def _moment(at: float) -> str:
    """The time of day in UTC, to the millisecond."""
    return time.strftime("%H:%M:%S", time.gmtime(at)) + f".{int(at * 1_000) % 1_000:03}"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1_000:.3f}"


def _verdict(match: dict[str, Any]) -> str:
    result = match["result"]
    if result is None:
        lines = [f"frozen: {match['frozen_reason']}" if match["status"] == "frozen" else "still running"]
    else:
        lines = [f"result {result['result']}: {result['sentence']}"]
        reason = result["reason"]
        # not twice: most sentences end with the reason, which names the seats where the sentence does not
        lines += [f"reason: {reason}"] if reason and _without_seats(match, reason) not in result["sentence"] else []
        if result["clock_ms"]:
            left = zip(match["seats"], result["clock_ms"], strict=True)
            lines.append("time left: " + ", ".join(f"{seat['bot']} {_seconds(clock)} s" for seat, clock in left))
    lines.append(f"position {match['position']}")
    return "\n".join([*lines, "", *match["board"]])


def _without_seats(match: dict[str, Any], reason: str) -> str:
    """The reason without the seats behind the names."""
    for seat in match["seats"]:
        reason = reason.replace(f" ({seat['seat']})", "")
    return reason


@app.command()
def abort(
    match: int = MATCH_ARGUMENT,
    reason: str = REASON_OPTION,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """End a match without a result (operator)."""
    _order(server, operator_token, f"/matches/{match}/abort", {"reason": reason})
    typer.echo(f"match {match} is aborted")


@app.command()
def adjudicate(
    match: int = MATCH_ARGUMENT,
    winner: str = typer.Argument(help="1 (the first seat), 2 (the second) or draw."),
    reason: str = REASON_OPTION,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Set the result of a match (operator)."""
    seats = {"1": 0, "2": 1, "draw": None}
    if winner not in seats:
        raise UserError(f"the winner is 1, 2 or draw, not {winner!r}")
    body = {"winner": seats[winner], "reason": reason}
    _order(server, operator_token, f"/matches/{match}/adjudicate", body)
    typer.echo(f"match {match} is decided")


@app.command()
def replay(
    match: int = MATCH_ARGUMENT,
    reason: str = REASON_OPTION,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Replay a match from its opening; a running match is aborted first (operator)."""
    answer = _order(server, operator_token, f"/matches/{match}/replay", {"reason": reason})
    again = answer["match"]
    typer.echo(f"it is played again as match {again}" if again else "its tournament plays the game again in its turn")


def _order(server: str | None, operator_token: str | None, path: str, body: dict[str, Any]) -> Any:
    return Api(client_settings(server, operator_token=operator_token)).post(path, body)
