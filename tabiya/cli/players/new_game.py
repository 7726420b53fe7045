"""`tabiya new-game NAME`: write a package with a commented game, to be made another one."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template

import typer

from tabiya.cli.output import note
from tabiya.errors import UserError
from tabiya.games.registry import NAME, names
from tabiya.protocol.printable import printable

FILES = Path(__file__).with_name("new_game_files")
PLACES = {
    "pyproject.toml.txt": "pyproject.toml",
    "init.txt": "tabiya_{name}/__init__.py",
    "rules.txt": "tabiya_{name}/rules.py",
    "evaluator.txt": "tabiya_{name}/evaluator.py",
    "test.txt": "tests/test_{name}.py",
}
"""What each file of the start becomes."""
PLAIN_PLACES = {
    "pyproject.toml.txt": PLACES["pyproject.toml.txt"],
    "init.txt": PLACES["init.txt"],
    "plain_rules.txt": PLACES["rules.txt"],
    "test.txt": PLACES["test.txt"],
}
"""The same of rules in plain Python, which have no evaluator apart."""
EVALUATORS = """
[project.entry-points."tabiya.evaluators"]
$name = "tabiya_$name.evaluator:${rules}Evaluator"
"""


def new_game(
    name: str = typer.Argument(help="Name of the game: lower-case letters, digits and _, such as connect4."),
    folder: Path | None = typer.Option(None, "--folder", help="Folder to create [the name]."),
    plain: bool = typer.Option(False, "--plain", help="Rules in plain Python: easier to write, but slower."),
) -> None:
    """Write a package with a small working game and its tests, to change into your own."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        rule = "begins with a small letter, has small letters, digits and _, and is no word of Python"
        raise UserError(f"a game's name {rule}, such as connect4, not {printable(name)!r}")
    if name in names():
        raise UserError(f"there is a game {name} already")
    folder = folder or Path(name)
    words = {"name": name, "title": name.replace("_", " ").capitalize(), "rules": name.title().replace("_", "")}
    words["evaluators"] = "" if plain else Template(EVALUATORS).substitute(words)
    try:
        folder.mkdir(parents=True)
        for start, place in (PLAIN_PLACES if plain else PLACES).items():
            path = folder / place.format(name=name)
            path.parent.mkdir(exist_ok=True)
            text = Template((FILES / start).read_text(encoding="utf-8")).substitute(words)
            path.write_text(text, encoding="utf-8", newline="\n")
    except FileExistsError:
        raise UserError(f"{printable(folder)} exists already and was not changed") from None
    except OSError as error:
        raise UserError(f"{printable(folder)} cannot be written: {error.strerror}") from None
    note(f"{folder} is written. Next: pip install -e {folder}, tabiya check-game {name}, tabiya play pvs --game {name}")
