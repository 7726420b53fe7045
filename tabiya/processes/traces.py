"""Tracing of moves, set up by OpenTelemetry's environment variables."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tabiya.errors import UserError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
LAST_S = 2.0  # time to export the remaining traces after the server has closed
MISSING = 'traces of moves (OTEL_EXPORTER_OTLP_ENDPOINT) need packages that are not here: pip install "tabiya[trace]"'


@contextmanager
def tracer_of_environment() -> Iterator[Tracer | None]:
    """A tracer if the environment names an endpoint, else None. Raises UserError."""
    if not any(os.environ.get(name) for name in ENDPOINTS):
        yield None
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        from tabiya.server.tracing import provider_for
    except ModuleNotFoundError as error:
        raise UserError(MISSING) from error
    provider = provider_for(OTLPSpanExporter())
    try:
        yield provider.get_tracer("tabiya")
    finally:
        # its own limit is for one request: too long to wait for a collector that is gone
        last = threading.Thread(target=provider.shutdown, daemon=True)
        last.start()
        last.join(LAST_S)
