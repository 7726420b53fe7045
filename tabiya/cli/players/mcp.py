"""`tabiya mcp`: an agent of a language model as a player, by the Model Context Protocol."""

from __future__ import annotations

import os

import typer

from tabiya.api_client.settings import client_settings
from tabiya.cli.options import SERVER_OPTION, TOKEN_OPTION
from tabiya.errors import UserError


def mcp(
    server: str | None = SERVER_OPTION,
    name: str = typer.Option("agent", "--name", help="Name on the server."),
    token: str | None = TOKEN_OPTION,
    invite: str = typer.Option("", "--invite", "-i", help="Invite code, to register the name [TABIYA_INVITE_SECRET]."),
    version: str = typer.Option(
        "", "--bot-version", help="Version, such as the model's name; each version has its own rating."
    ),
) -> None:
    """MCP server for a language model's agent, on standard input and output."""
    from tabiya.cli.remote.register import token_for

    try:
        from tabiya.agents.tools import tools_server
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "mcp":
            raise
        raise UserError("tabiya mcp needs the package mcp: pip install 'tabiya[mcp]'") from None
    from tabiya.agents.agent import Agent

    settings = client_settings(server, token)
    key = token_for(settings, name, invite or os.environ.get("TABIYA_INVITE_SECRET", ""))
    tools_server(Agent(settings, name, key, version)).run()
