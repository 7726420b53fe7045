"""A message of a bot that is not carried out."""

from __future__ import annotations

from typing import Any

from tabiya.protocol.codes import RefusalCode


class RefusalError(Exception):
    """A message cannot be carried out; nothing has changed. about: fields of `refused` that say what it was about."""

    def __init__(self, code: RefusalCode, text: str, **about: Any) -> None:
        super().__init__(text)
        self.code, self.about = code, about
