"""An author's file, written and loaded."""

from __future__ import annotations

from pathlib import Path

from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.players.from_file import load_custom_evaluator


def own(folder: Path, text: str, file: str = "mine.py") -> CustomEvaluator:
    """The class Mine of a file with this text in the folder, made if need be."""
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(text)
    found = load_custom_evaluator(str(folder / file), "Mine")
    assert found is not None
    return found
