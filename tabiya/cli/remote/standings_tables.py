"""Standings, as the API tells them, in tables: ratings, likelihoods of superiority, two bots head to head."""

from __future__ import annotations

from typing import Any

import typer

from tabiya.cli.output import Format, show, table
from tabiya.protocol.printable import printable

COLUMNS = {
    "rank": "#",
    "bot": "bot",
    "version": "version",
    "rating": "rating",
    "plus_minus": "± 95 %",
    "above_next": "over next",
    "games_to_next": "needs",
    "performance": "perf.",
    "games": "games",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "score": "score",
    "lost_how": "lost by",
}
SPARE = (
    ("performance",),
    ("wins", "draws", "losses"),
    ("games_to_next",),
    ("lost_how",),
    ("above_next",),
    ("version",),
)
LIKELY = {
    "game": "game",
    "bot": "bot",
    "version": "version",
    "other": "other",
    "other_version": "other version",
    "superiority": "better",
}
PAIR = {
    "game": "game",
    "first": "first",
    "second": "second",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "difference": "Elo",
    "plus_minus": "± 95 %",
    "superiority": "better",
    "games_needed": "needs",
    "pairs_elo": "pairs: Elo",
    "pairs_elo_low": "from",
    "pairs_elo_high": "to",
    "normalised_elo": "nElo",
    "normalised_plus_minus": "± nElo",
    "counts": "pairs 0 ½ 1 1½ 2",
}


def has_content(one: dict[str, Any]) -> bool:
    if "first" in one:
        return one["difference"] is not None or bool(one["wins"] + one["draws"] + one["losses"])
    return bool(one.get("rows") or one.get("bots"))


def show_ratings(found: list[dict[str, Any]], form: Format) -> None:
    if form is not Format.TABLE:
        rows = [{"game": one["game"], **row, "lost_how": lost_how(row)} for one in found for row in one["rows"]]
        show(rows, {"game": "game", "pool": "pool", **COLUMNS, "anchor": "anchor"}, form)
        return
    for one in found:
        if one["rows"]:
            show_standings(one)


def show_standings(standings_of_game: dict[str, Any]) -> None:
    """Print one game's standings as a table."""
    rows = [shown_row(row) for row in standings_of_game["rows"]]
    columns = ({"pool": "pool"} if standings_of_game["pools"] > 1 else {}) | COLUMNS
    if not any(row["version"] for row in rows):
        del columns["version"]
    games = standings_of_game["games"]
    only = f" with {standings_of_game['time']}" if standings_of_game["time"] else ""
    title = f"{standings_of_game['game']}: {games} rated game{'' if games == 1 else 's'}{only}\n\n"
    table(rows, columns, title=title, spare=SPARE)
    for line in _about(standings_of_game):
        typer.echo(printable(line))
    typer.echo()


def _about(one: dict[str, Any]) -> list[str]:
    """The lines under the table: about the game, and notes."""
    first, error = one["first_mover"], one["first_mover_plus_minus"]
    low, high = one["draw_rate_low"], one["draw_rate_high"]
    draws = f"between equals {one['draw_rate']:.0%} of games are drawn ({low:.0%} to {high:.0%})"
    return [
        f"to move first is worth {first:+z.0f} Elo (95 % interval {first - error:+z.0f} to {first + error:+z.0f})",
        *([draws] if one["drawn"] else []),  # many games know no draw
        *one["notes"],
    ]


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row as people read it."""
    last = row["above_next"] is None  # no row is below it
    needs = "" if last else ">1M" if row["games_to_next"] is None else row["games_to_next"]
    return row | {
        "rating": round(row["rating"]),
        "bot": f"{row['bot']} (anchor)" if row["anchor"] else row["bot"],
        "plus_minus": "" if row["anchor"] else round(row["plus_minus"]),
        "score": f"{row['score']:.1%}",
        "above_next": "" if last else _percent(row["above_next"]),
        "games_to_next": needs,
        "performance": "" if row["performance"] is None else round(row["performance"]),
        "lost_how": lost_how(row),
    }


def lost_how(row: dict[str, Any]) -> str:
    """How often a bot lost in which way."""
    return ", ".join(f"{ending.replace('_', ' ')} {count}" for ending, count in row["lost_by"].items())


def _percent(chance: float) -> str:
    """A likelihood that never says that something is sure."""
    return f"{min(max(chance, 0.001), 0.999):.1%}"


def show_matrices(found: list[dict[str, Any]], form: Format) -> None:
    if form is Format.JSON:
        show([one for one in found if one["bots"]], LIKELY, form)
    elif form is Format.CSV:
        show([row for one in found for row in _likely(one)], LIKELY, form)
    else:
        for one in filter(has_content, found):
            _show_matrix(one)


def _likely(one: dict[str, Any]) -> list[dict[str, Any]]:
    """The matrix as a list, a row for each two that can be compared."""
    return [
        {"game": one["game"], **bot, "other": other["bot"], "other_version": other["version"], "superiority": likely}
        for bot, row in zip(one["bots"], one["matrix"], strict=True)
        for other, likely in zip(one["bots"], row, strict=True)
        if likely is not None
    ]


def _show_matrix(one: dict[str, Any]) -> None:
    columns = {"number": "#", "bot": "better than"} | {str(i): str(i) for i in range(1, len(one["bots"]) + 1)}
    rows = []
    for number, (bot, chances) in enumerate(zip(one["bots"], one["matrix"], strict=True), 1):
        cells = {str(i): "" if chance is None else _percent(chance) for i, chance in enumerate(chances, 1)}
        rows.append({"number": number, "bot": f"{bot['bot']} {bot['version']}".strip()} | cells)
    table(rows, columns, title=f"{one['game']}: how likely each is better than each other\n\n")


def show_pairs(found: list[dict[str, Any]], form: Format) -> None:
    if form is Format.JSON:
        show(found, PAIR, form)
        return
    rows = [_pair_row(one) for one in found if has_content(one)]
    if form is Format.CSV or rows:
        show(rows if form is Format.CSV else list(map(_rounded, rows)), PAIR, form)


def _pair_row(one: dict[str, Any]) -> dict[str, Any]:
    """Two bots in one flat row."""
    pairs = one["pairs"] or {}
    named = {"pairs_elo": "elo", "pairs_elo_low": "elo_low", "pairs_elo_high": "elo_high"}
    same = {"normalised_elo": "normalised_elo", "normalised_plus_minus": "normalised_plus_minus"}
    row = {key: value for key, value in one.items() if key != "pairs"}
    row |= {key: pairs.get(name) for key, name in (named | same).items()}
    return row | {"counts": " ".join(map(str, pairs["counts"])) if pairs else ""}


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    """The row as people read it."""
    shown = {key: f"{value:.0f}" if isinstance(value, float) else value for key, value in row.items()}
    return shown | {"superiority": "" if row["superiority"] is None else _percent(row["superiority"])}
