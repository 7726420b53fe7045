"""Keeps the server's own secrets as text in a file beside the database; only the file's owner can read it.

The database holds their hashes alone, so that neither a copy of it nor who may read it gives an operator's rights. The
texts are needed to tell the class the invite code, and the operator the login, at every start.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

import msgspec

from tabiya.storage.address import parse_address

log = logging.getLogger("tabiya.server.accounts")
OWNER_ONLY = 0o600


class SecretsFile:
    """What is in the file; each text by the name of its setting."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def text(self, setting: str) -> str:
        """The text that was kept; empty if there is none."""
        return self._texts().get(setting, "")

    def keep(self, setting: str, text: str) -> None:
        """Write the file whole or not at all. Where that fails the log says so: the secret is good all the same."""
        texts = self._texts() | {setting: text}
        half = self._path.with_name(self._path.name + ".new")
        try:
            half.unlink(missing_ok=True)  # of a write that was killed
            # 0600 from the first byte on
            with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(texts)))
            half.replace(self._path)
        except OSError as error:
            log.warning("%s cannot be written, and its secrets are shown this once: %s", self._path, error.strerror)

    def _texts(self) -> dict[str, str]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("%s cannot be read: %s", self._path, error)
            return {}


def beside_database(url: str) -> SecretsFile | None:
    """`tabiya.db.secrets` for `tabiya.db`; None for a database that is no file. Raises CannotOpen."""
    address = parse_address(url)
    return SecretsFile(address.path.with_name(f"{address.path.name}.secrets")) if address.kind == "sqlite" else None
