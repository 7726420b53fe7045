"""Options that several commands have."""

from __future__ import annotations

import typer

SERVER_OPTION = typer.Option(None, "--server", "-s", help="Address of the server, such as http://HOST:8080.")
OPERATOR_OPTION = typer.Option(None, "--operator-token", help="The operator's token, for other machines' servers.")
