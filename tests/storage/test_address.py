"""What a person may type for a database, and what is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.storage.address import parse_address, without_password
from tabiya.storage.errors import CannotOpen


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("memory:", "memory", ""),
        ("games.db", "sqlite", "games.db"),
        ("sqlite:///games.db", "sqlite", "games.db"),
        ("sqlite:////var/lib/games.db", "sqlite", "/var/lib/games.db"),
        ("sqlite+aiosqlite:///games.db", "sqlite", "games.db"),
        ("postgresql://ada@host/games", "postgresql", "postgresql://ada@host/games"),
        ("postgres://ada@host/games", "postgresql", "postgresql://ada@host/games"),
        ("postgresql+asyncpg://ada@host/games", "postgresql", "postgresql://ada@host/games"),
    ],
)
def test_every_allowed_form_is_understood(text: str, kind: str, target: str) -> None:
    address = parse_address(text)
    assert (address.kind, address.target) == (kind, str(Path(target)) if kind == "sqlite" else target)


def test_the_home_folder_may_be_a_tilde() -> None:
    assert parse_address("~/games.db").path == Path.home() / "games.db"


@pytest.mark.parametrize("text", ["", "sqlite://", "sqlite:///:memory:", "mysql://ada@host/games", "http://host"])
def test_anything_else_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(CannotOpen, match=r"sqlite:///PATH, postgresql://USER@HOST/NAME or memory:"):
        parse_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ada:sesame@host/games",
        "postgresql://ada:se/sam?e@host/games",
        "postgresql://ada:ses@sesame@host/games",
        "postgresql://:sesame@host/games",
        "postgresql:///games?password=sesame&host=/tmp",
    ],
)
def test_a_password_is_never_shown(text: str) -> None:
    shown = parse_address(text)
    for view in (str(shown), repr(shown), without_password(f"could not open {text}")):
        assert "sesame" not in view
        assert "***" in view
        assert "games" in view
