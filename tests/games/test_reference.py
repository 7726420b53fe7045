from tabiya.games.registry import load_game, names
from tests.source_rules.sources import ROOT

REFERENCE = ROOT / "docs" / "reference" / "games.md"


def test_the_table_of_the_reference_states_the_bounds_of_the_code() -> None:
    rows = [line for line in REFERENCE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert rows == [facts(name) for name in names()]


def facts(name: str) -> str:
    """The row of one game."""
    game = load_game(name)
    draws = "yes" if game.draws_possible else "no"
    numbers = (game.max_moves, game.max_plies, game.opening_plies)
    cells = [f"`{name}`", game.title, ", ".join(game.seat_names), draws, *map(str, numbers)]
    return f"| {' | '.join(cells)} |"


def test_the_reference_names_every_piece() -> None:
    text = REFERENCE.read_text(encoding="utf-8").partition("## Boards set up by hand")[2].partition("## Nim")[0]
    rows = {row.split(" | ")[0].lstrip("| "): row for row in text.splitlines()}
    for name in names():
        game = load_game(name)
        [row] = [row for titles, row in rows.items() if game.title in titles.split(", ")]
        for symbol, words in game.pieces.items():
            assert f"`{symbol}` {words}" in row or (f"`{symbol.upper()}`" in row and words.split()[0] in row)


def test_the_reference_names_every_option_and_ending() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    for name in names():
        game = load_game(name)
        assert f"## {game.title}" in text or f"and {game.title}" in text
        assert all(f"`{option.name}`" in text for option in game.options)
        assert all(f"`{ending}`" in text for ending in game.endings)
