"""`tabiya gateway`: hold bots' connections for a server of matches that may change."""

from __future__ import annotations

import asyncio
import logging
import os

import typer

from tabiya.cli.options import HOST_OPTION, LOG_JSON_OPTION, LOG_LEVEL_OPTION, PORT_OPTION, LogLevel
from tabiya.cli.output import note
from tabiya.errors import UserError, user_errors
from tabiya.processes.server_process import allow_many_files, run_loop, stop_on_signals

BUS_HELP = "Bus between gateways and servers: nats://HOST:4222, or unix:FOLDER on one machine [TABIYA_BUS_URL]."


def gateway(
    bus: str | None = typer.Option(None, "--bus", help=BUS_HELP),
    host: str | None = HOST_OPTION,
    port: int | None = PORT_OPTION,
    log_level: LogLevel = LOG_LEVEL_OPTION,
    log_json: bool = LOG_JSON_OPTION,
) -> None:
    """Hold bots' connections for `tabiya serve --bus`, so that they stay open when another server takes over."""
    from tabiya.server.config import ConfigError, read_config
    from tabiya.server.logs import set_up_logging

    with user_errors(ConfigError):
        config = read_config(os.environ, host=host, port=port, bus_url=bus)
    if not config.bus_url:
        raise UserError("a gateway needs a bus: --bus nats://HOST:4222 or unix:FOLDER, or TABIYA_BUS_URL")
    set_up_logging(log_level.value, as_json=log_json)
    say = logging.getLogger("tabiya.gateway").info if log_json else note

    async def run() -> None:
        from tabiya.server.cluster.bus import BusError
        from tabiya.server.cluster.connect import connect_bus
        from tabiya.server.cluster.gateway_process import GatewayServer
        from tabiya.server.transport.listening import StartError, cannot_listen, host_in_url

        stop = asyncio.Event()
        stop_on_signals(stop)
        allow_many_files()
        with user_errors(BusError, StartError):
            bus = await connect_bus(config.bus_url)
            server = GatewayServer(config, bus)
            try:
                await server.start()
            except OSError as error:
                raise cannot_listen(error, config.host, config.port) from error
        say(f"Tabiya gateway {server.relay.name}: bots connect to ws://{host_in_url(config.host)}:{server.port}")
        await stop.wait()
        await server.stop()
        await bus.close()

    run_loop(run())
