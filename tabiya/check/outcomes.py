"""How a scenario can end other than well. Every fault says what happened and what to do about it."""

from __future__ import annotations


class Fault(Exception):
    """The bot has broken a rule.

    cause: what it did, as a sentence.  cure: what its author should do, as a sentence.
    """

    def __init__(self, cause: str, cure: str) -> None:
        super().__init__(f"{cause} {cure}")
        self.cause, self.cure = cause, cure


class Blocked(Exception):
    """The scenario cannot go on because of a fault that is another rule's, already noted there."""

    def __init__(self, rule: str) -> None:
        super().__init__(f"not reached: see {rule}")
        self.rule = rule


class NotShown(Exception):
    """The bot does not do what only some bots do; nothing is lost by it."""


class NotApplicable(Exception):
    """The scenario is about something that this bot does not claim."""


class LineEnded(Exception):
    """The connection is closed.

    code: of the close frame, 1006 when there was none.  reason: its text.
    """

    def __init__(self, code: int, reason: str = "") -> None:
        super().__init__(f"close code {code}" + (f" ({reason})" if reason else ""))
        self.code, self.reason = code, reason


class CannotStart(Exception):
    """The bot's program cannot be started; the text is one sentence."""
