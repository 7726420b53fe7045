"""`tabiya account`: lost, leaked or transferred tokens, and the accounts of operators."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import typer

from tabiya.api_client.api import Api, Refused, as_owner, with_token
from tabiya.api_client.settings import client_settings
from tabiya.api_client.token_files import OPERATOR, TOKEN, forget, known_token
from tabiya.cli.options import OPERATOR_OPTION, SERVER_OPTION, TOKEN_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, counted, note, show
from tabiya.cli.remote.register import keep_token_and_report
from tabiya.errors import UserError

app = typer.Typer(help="Accounts of bots: their tokens and roles.", no_args_is_help=True)
NAME = typer.Argument(help="Name of the bot.")


class Role(StrEnum):
    """What an account may do."""

    BOT = "bot"
    OPERATOR = "operator"


@app.command()
def create(
    names: list[str] = typer.Argument(None, help="Names of the bots."),
    source: Path | None = typer.Option(None, "--from", help="A file with one name in each line."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Create accounts for others and print their tokens, which are shown only once (operator)."""
    wanted = list(dict.fromkeys([*(names or []), *(_lines(source) if source else [])]))
    if not wanted:
        raise UserError("name the bots, or a file of names: --from FILE")
    api, created, refused = Api(client_settings(server, operator_token=operator_token)), list[dict[str, str]](), 0
    try:
        for name in wanted:
            try:
                created.append(api.post("/accounts", {"name": name}))
            except Refused as error:
                if error.code in (401, 403):
                    raise
                note(f"{name}: {error}")
                refused += 1
    finally:  # tokens are not shown again
        if created:
            show(created, {"name": "bot", "token": "token"}, form)
    if refused:
        raise UserError(f"{refused} of {counted(len(wanted), 'account')} could not be created")


def _lines(source: Path) -> list[str]:
    """The lines of a file that are not empty."""
    try:
        text = source.read_text(encoding="utf-8-sig")  # as a spreadsheet writes it
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{source} cannot be read: {error}") from None
    return [line.strip() for line in text.splitlines() if line.strip()]


@app.command("list")
def list_accounts(
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """List the accounts in the order of their creation (operator)."""
    rows = list(Api(client_settings(server, operator_token=operator_token)).listed("accounts"))
    show(rows, {"name": "bot", "role": "role", "connected": "connected", "shut_out": "shut out"}, form)


@app.command()
def keep(
    name: str = typer.Argument(help=f"Name of the bot, or {OPERATOR} for the server's operator token."),
    token: str = typer.Argument("", help="The token."),
    source: str = typer.Option(
        "", "--from", help="Instead of a token: the server's old address; its saved token is reused."
    ),
    server: str | None = SERVER_OPTION,
) -> None:
    """Check a token with the server and save it on this machine; later commands use it."""
    settings = client_settings(server)
    if source and not token:
        token = known_token(client_settings(source).pages, name)
        if not token:
            raise UserError(f"no token of {name} is saved for {source}")
    if not TOKEN.fullmatch(token):
        raise UserError("a token is one word of printable characters; give it as it was shown, or --from ADDRESS")
    owner = with_token(settings, token).get("/account")["name"]
    if owner.casefold() != name.casefold():
        raise UserError(f"the token is that of {owner}, not of {name}")
    keep_token_and_report(settings, owner, token, f"{owner} is confirmed; its token")


@app.command("show")
def show_account(
    name: str = NAME,
    server: str | None = SERVER_OPTION,
    token: str | None = TOKEN_OPTION,
) -> None:
    """Show whether a bot's token is valid, and what its account may do."""
    settings = client_settings(server, token)
    known = settings.token or known_token(settings.pages, name)
    if not known:
        raise UserError(f"no token of {name} is saved here; give it with --token")
    account = with_token(settings, known).get("/account")
    there = "connected" if account["connected"] else "not connected"
    typer.echo(f"{account['name']}: the token is good, role {account['role']}, {there}")


@app.command()
def rotate(
    name: str = NAME,
    server: str | None = SERVER_OPTION,
    token: str | None = TOKEN_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Replace a bot's token. The new one is printed once; the old one stops working (owner or operator)."""
    settings = client_settings(server, token, operator_token)
    own = known_token(settings.pages, name)
    answer = as_owner(settings, name, operator_token).post(_bot(name, "token"), {})
    if own:
        keep_token_and_report(settings, answer["name"], answer["token"], f"{answer['name']} has a new token, which")
    else:
        note(f"{answer['name']} has a new token; its owner keeps it with: tabiya account keep {answer['name']!r} TOKEN")
    typer.echo(answer["token"])


@app.command()
def revoke(
    name: str = NAME,
    server: str | None = SERVER_OPTION,
    token: str | None = TOKEN_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Make a bot's token invalid at once, until it gets a new one (owner or operator)."""
    settings = client_settings(server, token, operator_token)
    account = as_owner(settings, name, operator_token).post(_bot(name, "revoke"), {})
    forget(settings.pages, name)
    typer.echo(f"{account['name']} is shut out; only an operator can give it a new token (tabiya account rotate)")


@app.command()
def role(
    name: str = NAME,
    role: Role = typer.Argument(help="operator: the token may do everything; bot: it may only play."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Give an account the role of operator, or take it away (operator)."""
    settings = client_settings(server, operator_token=operator_token)
    account = Api(settings).post(_bot(name, "role"), {"role": role.value})
    typer.echo(f"{account['name']} has the role {account['role']}")


def _bot(name: str, what: str) -> str:
    from urllib.parse import quote

    return f"/bots/{quote(name, safe='')}/{what}"
