"""Workers at the API: who may ask, what they are told, and that the operator sees them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tabiya.hosting.hosting import ProgramHosting
from tabiya.server.version import version
from tabiya.storage.program_records import ProgramId, Usage
from tests.present import present
from tests.server.web.handlers.test_programs import PROGRAMS, order
from tests.server.web.web_server import OPERATOR, Answer, WebServer

ASK = {
    "name": "lab-1",
    "version": version(),
    "cores": 2,
    "memory_mb": 4_000,
    "sandbox": "landlock",
    "games": ["nim"],
    "at_once": 1,
    "playing": 0,
    "examining": 0,
}


@pytest.fixture
async def token(shared: WebServer) -> str:
    """A worker's, on a server that leases the one program that was handed in."""
    hosting = ProgramHosting("landlock")
    await hosting.serve(shared.server)
    shared.server.hosting = hosting
    ada = (await shared.post("/api/v1/register", {"name": "ada", "invite": "tulip"})).json["token"]
    assert (await shared.post(PROGRAMS, order(), token=ada)).status == 201
    return shared.server.accounts.new_worker_token()


async def tell(shared: WebServer, token: str, path: str, **body: Any) -> Answer:
    return await shared.post(f"/api/v1/workers/{path}", body, token=token)


async def test_a_worker_asks_fetches_lives_and_reports(shared: WebServer, token: str) -> None:
    answer = (await tell(shared, token, "ask", **ASK)).json
    work = answer["work"]
    assert (work["kind"], work["bot"], work["fence"], work["token"]) == ("examine", "ada", 1, "")
    assert answer["heartbeat_s"] < answer["lease_s"]
    files = await shared.get(f"/api/v1/workers/programs/{work['program']}/files", token=token)
    assert files.body.startswith(b"PK")
    held = {"program": work["program"], "fence": 1}
    beat = await tell(shared, token, "heartbeat", held=[held, {"program": 77, "fence": 1}])
    assert beat.json == {"lost": [77], "stop": []}
    (await tell(shared, token, "report", **held, outcome="played")).assert_refused(409, "given out to examine")
    replies = [(await tell(shared, token, "report", **held, outcome="good", text='{"grade":9}')).json for _ in range(2)]
    assert [each["counted"] for each in replies] == [True, False]
    assert "has changed nothing" in replies[1]["detail"]
    nothing = (await tell(shared, token, "ask", **ASK)).json
    assert (nothing["work"], nothing["why"]) == (None, "no program waits")
    assert nothing["again_s"] > 0
    program = (await shared.get(PROGRAMS, token=OPERATOR)).json["programs"][0]
    assert (program["state"], program["in_use"], program["examination"]["grade"]) == ("good", True, 9)


async def test_a_workers_measurements_are_shown_with_the_version_and_count_once(shared: WebServer, token: str) -> None:
    async def usage() -> Any:
        return (await shared.get(PROGRAMS, token=OPERATOR)).json["programs"][0]["usage"]

    await tell(shared, token, "ask", **ASK)
    assert await usage() is None
    held = {"program": 1, "fence": 1, "outcome": "good", "text": '{"grade":9}'}
    for wrong in ({"cpu_s": -1.0}, {"cpu_s": 1.0, "peak_mb": 1e12}, {"cpu_s": "much"}):
        assert (await tell(shared, token, "report", **held | wrong)).status == 400
    for _ in range(2):
        await tell(shared, token, "report", **held, cpu_s=1.25, peak_mb=512.0)
    reported = {"turns": 0, "turns_cpu_s": 0.0, "examination_cpu_s": 1.25, "peak_mb": 512.0, "memory_mb": 640}
    assert await usage() == reported | {"much_memory": False}
    ada = present(await shared.store.bot_by_name("ada"))
    used = Usage(3.0, 513.0)
    for cpu_s in (None, 2.5):
        lease = present(await shared.store.grant_lease([(ProgramId(1), "play")], "lab-1", "", now=1.0, expires_at=2.0))
        reported_usage = None if cpu_s is None else replace(used, cpu_s=cpu_s)
        assert await shared.store.end_lease(ProgramId(1), lease.fence, "played", "", now=1.0, used=reported_usage)
    assert present((await shared.store.programs(ada.id))[0]).measured_turns == 1
    reported |= {"turns": 1, "turns_cpu_s": 2.5, "peak_mb": 513.0}
    assert await usage() == reported | {"much_memory": True}


async def test_a_worker_of_another_version_or_with_a_weaker_sandbox_is_refused_in_a_sentence(
    shared: WebServer, token: str
) -> None:
    other = await tell(shared, token, "ask", **ASK | {"version": "0.1"})
    other.assert_refused(409, f"this server is Tabiya {version()} and the worker lab-1 is 0.1")
    weak = await tell(shared, token, "ask", **ASK | {"sandbox": "none"})
    weak.assert_refused(409, "at least as strong as landlock")


async def test_only_the_worker_gets_a_lent_token(shared: WebServer, token: str) -> None:
    ada = (await shared.post("/api/v1/register", {"name": "bob", "invite": "tulip"})).json["token"]
    for wrong in (ada, "guessed", ""):
        asked = await shared.post("/api/v1/workers/ask", ASK, token=wrong)
        asked.assert_refused(401, "a worker's token")
        (await shared.get("/api/v1/workers/programs/1/files", token=wrong)).assert_refused(401, "a worker's token")
    (await shared.get("/api/v1/workers/programs/77/files", token=token)).assert_refused(404, "no program 77")
    assert (await shared.get("/api/v1/workers", token=token)).status == 401


async def test_the_operator_sees_the_workers(shared: WebServer, token: str) -> None:
    await tell(shared, token, "ask", **ASK)
    (seen,) = (await shared.get("/api/v1/workers", token=OPERATOR)).json["workers"]
    assert (seen["name"], seen["sandbox"], seen["programs"]) == ("lab-1", "landlock", [1])


async def test_a_server_that_hosts_nothing_says_so(shared: WebServer, token: str) -> None:
    shared.server.hosting = None
    (await tell(shared, token, "ask", **ASK)).assert_refused(503, "started with --hosted")
