"""One OpenTelemetry trace for each move, from the socket until it is sent. Loaded only with tracing on.

    move                     root: from the arrival of the bytes until the turn, or the end, is written
      read                   unpacked and decoded, behind whatever held up the event loop
      dispatch               bot, match and seat are found
        core MoveArrived     judged by the match
      save                   waits for the transaction and is in it
      told                   until all that follows is handed to the network
        core MoveSaved       the next turn comes out (ResultSaved: the end)

A move that changes nothing, as an illegal one, ends after `dispatch`. OpenTelemetry's own variables hold for all else:
where traces are sent (OTEL_EXPORTER_OTLP_ENDPOINT), which part of them (OTEL_TRACES_SAMPLER), and by which name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span, StatusCode, Tracer, set_span_in_context

from tabiya.protocol.messages import Move
from tabiya.server.cluster.spread_runner import SpreadRunner
from tabiya.server.core import effects, events
from tabiya.server.core.match import advance
from tabiya.server.core.state import Match
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.server.sessions.session import BotSession
from tabiya.server.version import version
from tabiya.storage.errors import SaveFailed, StoreError
from tabiya.storage.records import MatchId


class MoveTrace:
    """The trace of one move. stage: its present part; what the core does meanwhile stands below that."""

    def __init__(self, tracer: Tracer, root: Span, begun_ns: int) -> None:
        """begun_ns: since 1970."""
        self._tracer, self._root, self.stage = tracer, root, root
        self.part("read", begun_ns)

    def part(self, name: str, begun_ns: int | None = None) -> None:
        """The next part begins, and the one before ends."""
        self._end_stage()
        self.stage = self._tracer.start_span(name, set_span_in_context(self._root), start_time=begun_ns)

    def step(self, name: str) -> Any:
        """A step within the present part."""
        return self._tracer.start_as_current_span(name, set_span_in_context(self.stage))

    def end(self, fault: str = "") -> None:
        """The move is done, or lost by a server error."""
        self._end_stage()
        if fault:
            self._root.set_status(StatusCode.ERROR, fault)
        self._root.end()

    def _end_stage(self) -> None:
        if self.stage is not self._root:
            self.stage.end()


class MoveTraces:
    """The moves that are under way: at most one in each match is being saved."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self.current: MoveTrace | None = None
        self.saving: dict[MatchId, MoveTrace] = {}

    def begin(self, arrived_ns: int, now_ns: int, about: dict[str, Any]) -> MoveTrace | None:
        """Begin the trace of a move whose bytes arrived at `arrived_ns`; `now_ns`: now, on the same clock.

        None for one that the sampler leaves out: of that no part is looked at.
        """
        begun_ns = time.time_ns() - (now_ns - arrived_ns)
        root = self._tracer.start_span("move", start_time=begun_ns, attributes=about)
        return MoveTrace(self._tracer, root, begun_ns) if root.is_recording() else None

    @contextmanager
    def during(self, trace: MoveTrace) -> Iterator[None]:
        """Count what the core does meanwhile to this trace."""
        self.current = trace
        try:
            yield
        finally:
            self.current = None


class TracedRunner(SpreadRunner):
    """A runner that says when a move's save and telling begin and end."""

    def __init__(self, traces: MoveTraces, *args: Any) -> None:
        super().__init__(*args)
        self._traces = traces

    def _advance(self, match: Match, event: events.Event) -> tuple[Match, Any]:
        if (trace := self._traces.current) is None:
            return advance(match, event)
        with trace.step(f"core {type(event).__name__}"):
            return advance(match, event)

    def _save(self, active: ActiveMatch, effect: effects.SaveMove | effects.SaveResult) -> None:
        if (trace := self._traces.current) is not None:
            trace.part("save")
            self._traces.saving[active.record.id] = trace
        super()._save(active, effect)

    def _saved(self, match_id: MatchId, ply: int, error: StoreError | None) -> None:
        trace = self._traces.saving.get(match_id)
        if trace is None:
            super()._saved(match_id, ply, error)
        elif isinstance(error, SaveFailed):  # it is tried again
            trace.stage.add_event("not saved", {"why": str(error)})
            super()._saved(match_id, ply, error)
        else:
            del self._traces.saving[match_id]
            trace.part("told")
            with self._traces.during(trace):
                super()._saved(match_id, ply, error)
            # behind the writing, which has been planned just now
            self._loop.call_soon(trace.end, str(error) if error else "")


class TracedDispatcher(Dispatcher):
    """A dispatcher that begins a trace for each move."""

    def __init__(self, tracer: Tracer, *args: Any) -> None:
        self._traces = MoveTraces(tracer)
        super().__init__(*args, new_runner=partial(TracedRunner, self._traces))

    def _move(self, session: BotSession, message: Move, arrived_ns: int) -> None:
        about = {"match": message.match, "ply": message.ply, "bot": session.name, "connection": session.connection.id}
        trace = self._traces.begin(arrived_ns, self.runner.now_ns(), about)
        if trace is None:
            super()._move(session, message, arrived_ns)
            return
        trace.part("dispatch")
        try:
            with self._traces.during(trace):
                super()._move(session, message, arrived_ns)
        finally:
            if self._traces.saving.get(MatchId(message.match)) is not trace:
                trace.end()


def provider_for(exporter: SpanExporter) -> TracerProvider:
    """What makes tracers whose spans go there, by a thread of its own."""
    os.environ.setdefault("OTEL_SERVICE_NAME", "tabiya")  # what is given in code would go before the environment
    provider = TracerProvider(shutdown_on_exit=False, resource=Resource.create({"service.version": version()}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
