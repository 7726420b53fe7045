"""Tokens kept on this machine, in files only their owner can read.

A file for each bot on each server, so that several commands at once do not lose each other's: the token, then the
server's address and the bot's name for people who look inside. A token goes to the server that gave it and to no other:
when that has a new address, its owner says so (`tabiya account keep NAME --from OLD`). `server` is the address of the
server's pages, as in `ClientSettings.pages`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tabiya.api_client.config_file import config_path
from tabiya.errors import UserError
from tabiya.protocol.printable import printable

OPERATOR = "operator"  # no bot can have this name
TOKEN = re.compile(r"[!-~]{1,200}")  # one word, as an HTTP header takes it


def known_token(server: str, name: str) -> str:
    """The kept token of a bot on a server, empty if there is none. Raises UserError for a damaged file."""
    path = token_path(server, name)
    try:
        token = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"the token in {path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not TOKEN.fullmatch(token):
        raise UserError(f"the file {path} is damaged: it holds no token")
    return token


def kept_elsewhere(server: str, name: str) -> list[str]:
    """The addresses of other servers for which a token of this bot is kept; damaged files are passed over."""
    return [
        other
        for other, bot in _all_kept()
        if bot.casefold() == name.casefold() and other.casefold() != server.casefold()
    ]


def names_kept(server: str) -> list[str]:
    """The bots of whom a token is kept for this server; damaged files are passed over."""
    return [bot for other, bot in _all_kept() if other.casefold() == server.casefold() and bot != OPERATOR]


def _all_kept() -> Iterator[tuple[str, str]]:
    """Server and bot of each saved token, without unreadable ones."""
    for path in sorted(_folder().glob("*.token")):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        if len(lines) == 3 and all(printable(line) == line for line in lines[1:]):
            yield lines[1], lines[2]


def token_path(server: str, name: str) -> Path:
    """The file, beside the configuration; its name says whose token it is."""
    # the digest makes the name unique: what is shown is cut, and different characters become one hyphen
    address, bot = server.casefold(), name.casefold()
    digest = hashlib.sha256(f"{address} {bot}".encode()).hexdigest()[:12]
    shown = re.sub(r"[^a-z0-9.]+", "-", f"{bot[:40]} {address.partition('://')[2][:60]}").strip("-.")
    return _folder() / f"{shown}-{digest}.token"


def _folder() -> Path:
    return config_path().parent / "tokens"


def forget(server: str, name: str) -> None:
    """Remove a kept token, if there is one."""
    with contextlib.suppress(OSError):
        token_path(server, name).unlink()


def keep(server: str, name: str, token: str) -> None:
    """Write a token's file, whole or not at all. Raises OSError."""
    path = token_path(server, name)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    half = path.with_name(f"{path.name}.{os.getpid()}")  # another command may be keeping one just now
    half.unlink(missing_ok=True)
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{token}\n{server}\n{name}\n")
    half.replace(path)
