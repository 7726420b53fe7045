"""The answer to a request that cannot be carried out."""

from __future__ import annotations


class Refusal(Exception):
    """A request cannot be carried out; one sentence.  status: of the HTTP answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
