"""The Python files of players, sent to other machines and named by their content.

A player `bot.py:Class` is its file, what that imports from its own folder, and the JSON file of values if one is given.
Commands of engines are left as they are: the program must be there.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from msgspec import Struct

from tabiya.bots.custom_evaluation.loader import local_sources
from tabiya.bots.players.spec import PlayerError, PlayerKind, PlayerSpec, escaped, parse_player

FOLDER = "tabiya-players"  # in the own folder of a worker of Dask, which tidies up
VALUES = "values"  # folder of the JSON files: they need not lie beside the Python file


class PlayerFiles(Struct, frozen=True):
    """A player to be taken along. player: its text, in which `folder` stands for where the files are.

    digest: of names and contents, empty where there is nothing to take along.
    """

    player: str
    digest: str = ""
    files: tuple[tuple[str, bytes], ...] = ()

    def unpacked(self, folder: Path) -> str:
        """The player's text where its files lie below `folder`, where they are written unless they are there."""
        if not self.digest:
            return self.player
        home = folder / self.digest
        if not home.is_dir():
            half = folder / f"{self.digest}-{os.getpid()}-{id(self)}"  # whole when it gets its name
            for name, content in self.files:
                (half / name).parent.mkdir(parents=True, exist_ok=True)
                (half / name).write_bytes(content)
            try:
                half.rename(home)
            except OSError:  # another thread was faster
                if not home.is_dir():
                    raise
        return self.player.replace("{folder}", str(home))


def player_files(player: str) -> PlayerFiles:
    """What to take along of a PLAYER. Raises PlayerError where a file cannot be read."""
    spec = parse_player(player)
    if spec.kind is not PlayerKind.FILE:
        return PlayerFiles(player)
    try:
        return _of_file(spec)
    except OSError as error:
        raise PlayerError(f"the file {error.filename!r} cannot be read: {error.strerror}") from None


def _of_file(spec: PlayerSpec) -> PlayerFiles:
    path = Path(spec.path)
    folder = path.resolve().parent
    files = {str(file.relative_to(folder)): source for file, source in local_sources(path).items()}
    who, mark, _ = spec.text[len(spec.path) :].partition("?")
    options = []
    for place, (option, value) in enumerate(spec.options):
        if option:
            options.append(f"{escaped(option)}={escaped(value)}")
        else:
            name = f"{VALUES}/{place}/{Path(value).name}"
            files[name] = Path(value).read_bytes()
            options.append(f"{{folder}}/{escaped(name)}")
    text = f"{{folder}}/{path.resolve().name}{who}{mark}{'&'.join(options)}"
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{len(name)}:{len(content)}:{name}".encode() + content)
    return PlayerFiles(text, digest.hexdigest()[:16], tuple(sorted(files.items())))
