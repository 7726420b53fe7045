"""The style sheet of the seats' colours: every game says its own, pages name the game in `data-game`."""

from __future__ import annotations

from tabiya.games.registry import load_game, names

SEAT_OUTLINE = "[data-game] .seat { outline: 1px solid var(--faint); }\n"  # one of the colours may be that of the page
DARK_INK, LIGHT_INK = "#1d1e20", "#ffffff"
FILLED = "@media screen"  # fills are not printed, and light ink would not be read there
EVEN = 0.18  # the luminance at which black and white text are equally well read


def seat_colours_css() -> str:
    """Colour and ink of both seats of every game."""
    return SEAT_OUTLINE + "".join(_rule(name, load_game(name).seat_colours) for name in names())


def _rule(name: str, colours: tuple[str, str]) -> str:
    here = f'[data-game="{name}"]'
    inks = [DARK_INK if luminance(colour) > EVEN else LIGHT_INK for colour in colours]
    return f"{here} {{ --seat-0: {colours[0]}; --seat-1: {colours[1]}; }}\n" + "".join(
        f"{FILLED} {{ {here} :is(.seat-{seat}, [data-clock='{seat}']) {{ --seat-ink: {ink}; }} }}\n"
        for seat, ink in enumerate(inks)
    )


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb`, 0 to 1 (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
