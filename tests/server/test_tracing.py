"""A move is one trace, from the socket until it is told; without an endpoint nothing of OpenTelemetry is loaded."""

from __future__ import annotations

import asyncio
import http.server
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler
from opentelemetry.trace import StatusCode

from tabiya.protocol.messages import MatchEnded, Move, Notice, Refused, Turn
from tabiya.storage.errors import WriteRefused
from tabiya.storage.writes import Write
from tests.fakes.store import FaultyStore
from tests.live import PATIENCE_S, PlainBot, eventually, live_server, served, welcomed
from tests.processes import without
from tests.server.test_database_trouble import begun, say
from tests.source_rules.sources import ROOT

MOVE = [
    ("move", None),
    ("read", "move"),
    ("dispatch", "move"),
    ("core MoveArrived", "dispatch"),
    ("save", "move"),
    ("told", "move"),
    ("core MoveSaved", "told"),
]


@asynccontextmanager
async def game(**server: Any) -> AsyncIterator[tuple[PlainBot, PlainBot, Turn]]:
    """The players of a match on a server of its own, in the order of their seats, and the first turn."""
    async with (
        live_server(**server) as running,
        welcomed(running.websocket_url, "ada") as ada,
        welcomed(running.websocket_url, "bob") as bob,
    ):
        yield await begun(ada, bob)


class Recorded:
    """The spans that have ended."""

    def __init__(self, sampler: Sampler = ALWAYS_ON) -> None:
        self._exporter, provider = InMemorySpanExporter(), TracerProvider(sampler=sampler)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = provider.get_tracer("test")

    @property
    def spans(self) -> list[ReadableSpan]:
        return sorted(
            self._exporter.get_finished_spans(), key=lambda span: (span.start_time or 0, span.parent is not None)
        )

    @property
    def roots(self) -> list[ReadableSpan]:
        """Those of moves, in the order in which they ended; where the loop lags two may have arrived at once."""
        return [span for span in self._exporter.get_finished_spans() if span.parent is None]

    def tree_of(self, root: ReadableSpan) -> list[tuple[str, str | None]]:
        """Each span of this trace with its parent, by name, in the order in which they began; pauses left out."""
        spans = [span for span in self.spans if span.context.trace_id == root.context.trace_id]
        names = {span.context.span_id: span.name for span in spans}
        tree = [(span.name, names[span.parent.span_id] if span.parent else None) for span in spans]
        return [each for each in tree if each[0] != "core ProcessPaused"]  # of a busy machine


async def test_a_move_is_one_trace_and_so_is_the_next() -> None:
    recorded = Recorded()
    async with game(tracer=recorded.tracer) as (white, black, turn):
        await say(white, turn)
        await say(black, await black.receives(Turn))
        await white.receives(Turn)
        await eventually(lambda: len(recorded.roots) == 2)
    first, second = recorded.roots
    assert [recorded.tree_of(root) for root in (first, second)] == [MOVE, MOVE]
    assert first.context.trace_id != second.context.trace_id
    assert first.attributes is not None
    assert (first.attributes["match"], first.attributes["ply"]) == (turn.match, turn.ply)
    assert first.attributes["bot"] in {"ada", "bob"}
    for root in (first, second):
        for span in recorded.spans:
            if span.context.trace_id == root.context.trace_id:
                assert (root.start_time or 0) <= (span.start_time or 0) <= (span.end_time or 0) <= (root.end_time or 0)


async def test_of_a_move_that_is_left_out_nothing_is_recorded() -> None:
    recorded = Recorded(ALWAYS_OFF)
    async with game(tracer=recorded.tracer) as (white, black, turn):
        await say(white, turn)
        await black.receives(Turn)
    assert recorded.spans == []


async def test_an_illegal_move_ends_with_its_refusal_and_the_last_one_with_the_end_of_the_match() -> None:
    recorded = Recorded()
    async with game(tracer=recorded.tracer, illegal_limit=2) as (white, _, turn):
        for answer in (Refused, MatchEnded):
            await white.say(Move(match=turn.match, ply=turn.ply, move="e2e5"))
            await white.receives(answer)
        await eventually(lambda: len(recorded.roots) == 2)
    refused, last = map(recorded.tree_of, recorded.roots)
    assert refused == MOVE[:4]
    assert last == [*MOVE[:6], ("core ResultSaved", "told")]


@pytest.mark.parametrize("permanent", [False, True])
async def test_a_save_that_fails_is_in_the_trace_of_its_move(
    permanent: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(write: Write) -> None:
        raise WriteRefused("no such row")

    recorded = Recorded()
    store = FaultyStore()
    async with game(tracer=recorded.tracer, store=store) as (white, black, turn):
        if permanent:
            monkeypatch.setattr(store.tables, "apply", refuse)
        else:
            store.fail_next()
        await say(white, turn)
        await black.receives(Notice)
        await eventually(lambda: len(recorded.roots) == 1)
    (root,) = recorded.roots
    (save,) = (span for span in recorded.spans if span.name == "save")
    assert root.status.status_code is (StatusCode.ERROR if permanent else StatusCode.UNSET)
    assert [event.name for event in save.events] == ([] if permanent else ["not saved"])
    caplog.clear()  # of what this test has made happen


# --- the environment


class Collector(http.server.ThreadingHTTPServer):
    """Takes traces by HTTP, as a collector does. spans: by name; services: who sent them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taker)
        self.spans: Counter[str] = Counter()
        self.services: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Taker(http.server.BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == "/v1/traces"
        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            attributes = {each.key: each.value.string_value for each in sent.resource.attributes}
            self.server.services.add(attributes["service.name"])
            self.server.spans.update(span.name for scope in sent.scope_spans for span in scope.spans)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Nothing."""


@contextmanager
def collector() -> Iterator[Collector]:
    with Collector() as taking:
        thread = threading.Thread(target=taking.serve_forever)
        thread.start()
        try:
            yield taking
        finally:
            taking.shutdown()
            thread.join()


async def one_move(ada: PlainBot, bob: PlainBot) -> None:
    white, black, turn = await begun(ada, bob)
    await say(white, turn)
    await black.receives(Turn)


@pytest.mark.slow
async def test_traces_go_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with collector() as taking:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", taking.url)
        async with served(tmp_path / "games.db") as server:
            async with welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
                await one_move(ada, bob)
            code, log = await server.end()
        assert (code, "Traceback" in log) == (0, False)
        assert taking.spans == Counter(name for name, _ in MOVE)
        assert taking.services == {"tabiya"}


@pytest.mark.slow
async def test_where_nobody_takes_the_traces_play_goes_on_and_the_end_waits_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{deaf.getsockname()[1]}")
        async with served(tmp_path / "games.db") as server:
            async with welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
                await one_move(ada, bob)
            async with asyncio.timeout(PATIENCE_S / 2):
                code, _ = await server.end()
        assert code == 0


PROGRAM = without("opentelemetry") + "from tabiya.cli.main import main; sys.exit(main())"


@pytest.mark.slow
@pytest.mark.parametrize("asked_for", [False, True])
def test_without_the_packages_a_server_runs_unless_traces_are_asked_for(
    asked_for: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if asked_for:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    command = (sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--pages-port", "0", "-d", str(tmp_path / "g.db"))
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stderr is not None
        printed = ""
        for line in process.stderr:
            printed += line
            if "pages are at" in line:
                process.terminate()
    assert ('pip install "tabiya[trace]"' in printed, process.returncode) == ((True, 1) if asked_for else (False, 0))
    assert "Traceback" not in printed
