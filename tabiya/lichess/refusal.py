"""What a client is told that asks for something that cannot be had."""

from __future__ import annotations


class Refusal(Exception):
    """What a client asks for cannot be had; one sentence.  status: of the HTTP answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
