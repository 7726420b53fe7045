"""Tokens that commands have been given, kept for the next time in files only their owner can read.

A file for each bot on each server, so that several commands at once do not lose each other's: the token, then the
server's address and the bot's name for who looks inside. A token goes to the server that gave it and to no other: when
that has a new address, its owner says so (`tabiya account keep NAME --from OLD`).
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from tabiya.cli.api import Api
from tabiya.cli.errors import UserError
from tabiya.cli.output import note, printable
from tabiya.cli.settings import ClientSettings, config_path

OPERATOR = "operator"  # no bot can have this name
TOKEN = re.compile(r"[!-~]{1,200}")


def token_for(settings: ClientSettings, name: str, invite: str) -> str:
    """The token to play under `name`: given, kept, or, with an invite code, that of a new account; else empty."""
    token = settings.token or known_token(settings, name)
    if token:
        return token
    for server in kept_elsewhere(settings, name):
        note(
            f"a token of {name} is kept for {server}; if {settings.pages} is the same server under a new address: "
            f"tabiya account keep {name!r} --from {server} --server {settings.pages}"
        )
    return register(settings, name, invite) if invite else ""


def register(settings: ClientSettings, name: str, invite: str) -> str:
    """Make an account, keep its token and return it. Raises UserError."""
    answer = Api(settings).post("/api/register", {"name": name, "invite": invite.strip()})
    token = str(answer["token"])
    keep_and_say(settings, str(answer["name"]), token, f"{answer['name']} is registered; its token")
    return token


def keep_and_say(settings: ClientSettings, name: str, token: str, what: str) -> None:
    """Keep a token for later commands, and say where, or the token if it cannot be kept. what: begins the sentence."""
    path = token_path(settings, name)
    try:
        keep(settings, name, token)
    except OSError as error:
        note(f"{what} is {token} (it cannot be kept in {path}: {error.strerror})")
    else:
        note(f"{what} is kept in {path}")


def known_token(settings: ClientSettings, name: str) -> str:
    """The kept token of a bot on a server, empty if there is none. Raises UserError for a damaged file."""
    path = token_path(settings, name)
    try:
        token = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"the token in {path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not TOKEN.fullmatch(token):
        raise UserError(f"the file {path} is damaged: it holds no token")
    return token


def kept_elsewhere(settings: ClientSettings, name: str) -> list[str]:
    """The addresses of other servers for which a token of this bot is kept; damaged files are passed over."""
    found = []
    for path in sorted(token_path(settings, name).parent.glob("*.token")):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        if len(lines) == 3 and lines[2].casefold() == name.casefold() and printable(lines[1]) == lines[1]:
            found.append(lines[1])
    return [server for server in found if server.casefold() != settings.pages.casefold()]


def token_path(settings: ClientSettings, name: str) -> Path:
    """The file, beside the configuration; its name says whose token it is."""
    import hashlib

    server, bot = settings.pages.casefold(), name.casefold()
    digest = hashlib.sha256(f"{server} {bot}".encode()).hexdigest()[:12]
    shown = re.sub(r"[^a-z0-9.]+", "-", f"{bot[:40]} {server.partition('://')[2][:60]}").strip("-.")
    return config_path().parent / "tokens" / f"{shown}-{digest}.token"


def forget(settings: ClientSettings, name: str) -> None:
    """Remove a kept token, if there is one."""
    with contextlib.suppress(OSError):
        token_path(settings, name).unlink()


def keep(settings: ClientSettings, name: str, token: str) -> None:
    """Write a token's file, whole or not at all. Raises OSError."""
    path = token_path(settings, name)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    half = path.with_name(f"{path.name}.{os.getpid()}")
    half.unlink(missing_ok=True)
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{token}\n{settings.pages}\n{name}\n")
    half.replace(path)
