"""The reference picture of every scene: `python -m scripts.docs.textbooks.pictures` writes them all again.

A test compares them with what is drawn now. Look at each that has changed before it is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tabiya.bots.textbook.recording.explanation import Explanation
from tabiya.bots.textbook.recording.scenes import SCENES, Scene

FOLDER = Path(__file__).parents[3] / "tests/bots/textbook/recording/pictures"
MOST_PLACES = 60


def names(scene: Scene) -> Iterator[str]:
    """What the files of a scene are called, the second search's behind the first one's."""
    yield f"{scene.name}.svg"
    if scene.other is not None:
        yield f"{scene.name}-other.svg"


def pictures(scene: Scene) -> dict[str, str]:
    """The pictures of a scene by the names of their files."""
    drawn = (Explanation.of(question).svg(MOST_PLACES) for question in scene.questions)
    return dict(zip(names(scene), drawn, strict=True))


def main() -> None:
    """Write all, and remove those of scenes that are no more."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.svg"):
        file.unlink()
    for scene in SCENES.values():
        for name, picture in pictures(scene).items():
            (FOLDER / name).write_text(picture, encoding="utf-8", newline="\n")
    print(f"{len(list(FOLDER.glob('*.svg')))} pictures of {len(SCENES)} scenes written")


if __name__ == "__main__":
    main()
