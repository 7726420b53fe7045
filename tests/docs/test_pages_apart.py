"""The Caddyfile of docs/how-to/pages-apart.md: page processes answer what they can, and the server the rest."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import aiohttp
import pytest

from tests.live import eventually
from tests.ports import free_port
from tests.programs import program
from tests.server.pages_process.apart import pages_of, serving
from tests.server.web.web_server import OPERATOR
from tests.source_rules.sources import ROOT

PUBLIC = "http://games.example.org"


@contextlib.contextmanager
def proxy(folder: Path, port: int, places: Mapping[str, int]) -> Iterator[None]:
    """Caddy with the file of the page, its names in place of which are ports of this machine."""
    text = re.findall(
        r"```text\n(games\.example\.org \{.*?)```", (ROOT / "docs/how-to/pages-apart.md").read_text(), re.DOTALL
    )[0]
    for name, at in places.items():
        assert name in text
        text = text.replace(name, f"127.0.0.1:{at}")
    file = folder / "Caddyfile"
    file.write_text("{\n admin off\n auto_https off\n}\n" + text.replace("games.example.org", f"{PUBLIC}:{port}"))
    command = [program("caddy"), "run", "--config", str(file), "--adapter", "caddyfile"]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stderr=log, env={"HOME": str(folder)}) as caddy:
        try:
            yield
        finally:
            caddy.terminate()


@pytest.mark.slow
async def test_people_see_pages_and_sign_in_under_one_address(tmp_path: Path) -> None:
    database, port = str(tmp_path / "games.db"), free_port()
    async with (
        serving(database, public_url=PUBLIC, operator_token=OPERATOR, invite_secret="tulip") as web,
        pages_of(database, web.url, public_url=PUBLIC) as one,
        pages_of(database, web.url, public_url=PUBLIC) as other,
    ):
        places = {
            "play:8765": web.server.port, "play:8080": web.server.pages_port,
            "pages1:8080": one.pages_port, "pages2:8080": other.pages_port,
        }  # fmt: skip
        url, seen = f"http://127.0.0.1:{port}", web.server.web.connection_limiter

        async def ask(method: str, path: str, **more: object) -> tuple[int, str]:
            async with session.request(method, url + path, headers={"Host": "games.example.org"}, **more) as answer:  # type: ignore[arg-type]
                return answer.status, await answer.text()

        with proxy(tmp_path, port, places):
            async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
                await eventually(lambda: "serving initial configuration" in (tmp_path / "log").read_text())
                before = len(seen)  # the processes themselves
                for path in ("/", "/standings/nim", "/api/v1/matches", "/nothing"):
                    assert (await ask("GET", path))[0] == (404 if path == "/nothing" else 200)
                assert len(seen) == before  # nobody has asked the server itself
                for path in ("/play", "/my-bot", "/operator", "/api/v1/opponents"):
                    status, text = await ask("GET", path)
                    assert (status, "only shows" in text) == (200, False)
                assert len(seen) > before
                assert (await ask("POST", "/api/v1/seasons", json={"game": "nim"}))[0] == 401
                assert (await ask("POST", "/api/v1/session", json={"token": OPERATOR}))[0] == 201
                assert (await ask("GET", "/api/v1/session"))[1] == '{"name":"operator","role":"operator"}'
                assert (await ask("GET", "/api/v1/load"))[0] == 200
