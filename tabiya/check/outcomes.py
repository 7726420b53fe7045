"""The ways in which a scenario can end other than passed."""

from __future__ import annotations


class RuleBroken(Exception):
    """The bot has broken a rule.

    cause: what it did, as a sentence.  cure: what its author should do, as a sentence.
    """

    def __init__(self, cause: str, cure: str) -> None:
        super().__init__(f"{cause} {cure}")
        self.cause, self.cure = cause, cure


class BlockedByOtherFailure(Exception):
    """The scenario cannot go on because the bot broke another rule, which is reported there."""

    def __init__(self, rule: str) -> None:
        super().__init__(f"not reached: see {rule}")
        self.rule = rule


class ExtraNotSupported(Exception):
    """The bot does not support an optional feature; it loses no points."""


class NotApplicable(Exception):
    """The scenario is about something that this bot does not claim."""


class ConnectionEnded(Exception):
    """The connection is closed.

    code: of the close frame, 1006 when there was none.  reason: its text.
    """

    def __init__(self, code: int, reason: str = "") -> None:
        super().__init__(f"close code {code}" + (f" ({reason})" if reason else ""))
        self.code, self.reason = code, reason


class CannotStart(Exception):
    """The bot's program cannot be started; the text is one sentence."""
