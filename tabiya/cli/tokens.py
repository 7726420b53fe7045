"""Tokens that commands have been given, kept for the next time in a file only their owner can read."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tabiya.cli.api import Api
from tabiya.cli.errors import UserError
from tabiya.cli.output import note
from tabiya.cli.settings import ClientSettings, config_path


def tokens_path() -> Path:
    """The file, beside the configuration."""
    return config_path().with_name("tokens.json")


def known_token(settings: ClientSettings, name: str) -> str:
    """The kept token of a bot on a server, empty if there is none. Raises UserError for a damaged file."""
    return _read().get(_key(settings, name), "")


def token_for(settings: ClientSettings, name: str, invite: str) -> str:
    """The token to play under `name`: given, kept, or, with an invite code, that of a new account."""
    token = settings.token or known_token(settings, name)
    if token or not invite:
        return token
    answer = Api(settings).post("/api/register", {"name": name, "invite": invite})
    keep(settings, name, answer["token"])
    note(f"{name} is registered; its token is kept in {tokens_path()}")
    return str(answer["token"])


def keep(settings: ClientSettings, name: str, token: str) -> None:
    """Remember a token. Raises UserError if the file cannot be written."""
    path = tokens_path()
    tokens = _read() | {_key(settings, name): token}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(path.name + ".new")
        with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(tokens, file, indent=1)
        half.replace(path)
    except OSError as error:
        note(f"the token is {token} (it cannot be kept in {path}: {error.strerror})")


def _key(settings: ClientSettings, name: str) -> str:
    return f"{settings.server.rstrip('/')} {name.casefold()}"


def _read() -> dict[str, str]:
    path = tokens_path()
    try:
        tokens = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UserError(f"the file of tokens {path} cannot be read: {error}") from None
    if not isinstance(tokens, dict):
        raise UserError(f"the file of tokens {path} is damaged: it holds no list of tokens")
    return {str(key): str(value) for key, value in tokens.items()}
