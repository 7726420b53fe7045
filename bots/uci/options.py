"""The options of the program: their UCI lines, and their values."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabiya.bots.uci.parse import parse_number

MOST_MB, MOST_THREADS, MOST_LINES, MOST_OVERHEAD_MS = 65_536, 256, 256, 5_000
MOST_NUMBER = 2**31 - 1  # a bound that every program on the other side can represent
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Option:
    """One option. kind: `spin`, `check`, `button`, `combo` or `string`.  low, high: of a spin.  choices: of a combo."""

    name: str
    kind: str
    default: int | bool | str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Its UCI `option` line."""
        offered = f"option name {self.name} type {self.kind}"
        if self.kind == "button":
            return offered
        shown = str(self.default).lower() if self.kind == "check" else str(self.default)
        bounds = f" min {self.low} max {self.high}" if self.kind == "spin" else ""
        return f"{offered} default {shown}{bounds}" + "".join(f" var {choice}" for choice in self.choices)

    def read(self, text: str) -> int | bool | str:
        """The value in `text`, a number brought into its bounds. Raises ValueError, one sentence."""
        if self.kind == "spin":
            number = parse_number(text)
            if number is None:
                raise ValueError(f"{self.name} takes a number from {self.low} to {self.high}, not {text!r}")
            return max(self.low, min(self.high, number))
        if self.kind == "check":
            if text.lower() not in BOOLEANS:
                raise ValueError(f"{self.name} takes true or false, not {text!r}")
            return BOOLEANS[text.lower()]
        if self.kind == "combo":
            for choice in self.choices:
                if choice.casefold() == text.casefold():
                    return choice
            raise ValueError(f"{self.name} takes one of {', '.join(self.choices)}, not {text!r}")
        return text


HASH = Option("Hash", "spin", 16, 1, MOST_MB)
THREADS = Option("Threads", "spin", 1, 1, MOST_THREADS)
LINES = Option("MultiPV", "spin", 1, 1, MOST_LINES)
PONDER = Option("Ponder", "check", False)
OVERHEAD = Option("Move Overhead", "spin", 10, 0, MOST_OVERHEAD_MS)
CLEAR = Option("Clear Hash", "button")
CHESS960 = Option("UCI_Chess960", "check", False)
COMMON = (HASH, THREADS, LINES, PONDER, OVERHEAD, CLEAR)


@dataclass(slots=True)
class Settings:
    """The values of the options; names ignore case."""

    offered: tuple[Option, ...] = COMMON
    _values: dict[str, int | bool | str] = field(default_factory=dict)

    def set(self, name: str, value: str) -> Option:
        """Set one and return it. Raises ValueError, one sentence, for an unknown option or a bad value."""
        for option in self.offered:
            if option.name.casefold() == name.casefold():
                self._values[option.name] = option.read(value)
                return option
        raise ValueError(
            f"there is no option {name!r} (there are: {', '.join(option.name for option in self.offered)})"
        )

    def number(self, option: Option) -> int:
        """The value of a spin."""
        return int(self._values.get(option.name, option.default))

    def flag(self, option: Option) -> bool:
        """The value of a check."""
        return bool(self._values.get(option.name, option.default))

    def text(self, option: Option) -> str:
        """The value of a combo, a string or a spin, as text."""
        return str(self._values.get(option.name, option.default))
