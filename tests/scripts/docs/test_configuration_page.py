"""The page of the configuration has every setting of commands and server."""

from __future__ import annotations

import re

import msgspec

from scripts.docs.configuration_page import PAGE, documents, server_flags
from tabiya.api_client.config_file import KEYS
from tabiya.server.config import ServerConfig
from tests.source_rules.sources import ROOT, python_files


def test_the_page_of_the_configuration_names_every_setting_by_flag_environment_and_key() -> None:
    page = documents()[PAGE]
    for key in KEYS:
        assert f"`--{key.replace('_', '-')}`" in page
        assert f"`TABIYA_{key.upper()}`" in page
        assert f"| `{key}` |" in page
    for field in msgspec.structs.fields(ServerConfig):
        assert f"TABIYA_{field.name.upper()}" in page or field.name == "limits"


INTERNAL = {
    "TABIYA_LIMIT_",
    "TABIYA_SANDBOX_WORKS",
    "TABIYA_DATABASE_PASSWORD",
    "NUMBA_DISABLE_JIT",
}  # of limits; between our processes; compose's; set by check-game for a process of its own
READ = re.compile(r'"((?:TABIYA|OTEL|NUMBA|NOTIFY|WATCHDOG)_[A-Z_]+)"')


def test_every_variable_that_the_sources_read_is_on_the_page() -> None:
    page, files = documents()[PAGE], python_files("tabiya", "server", "storage", "bots", "games")
    read = {name for file in files for name in READ.findall((ROOT / file).read_text("utf-8"))}
    assert len(read) > 10
    assert [name for name in sorted(read - INTERNAL) if f"`{name}`" not in page] == []


def test_every_setting_that_a_flag_gives_has_it_beside_its_variable() -> None:
    source = (ROOT / "tabiya/cli/hosting/serve.py").read_text("utf-8")
    given = set(
        re.findall(r"^            (\w+)=\w+,$", source.partition("config = read_config(")[2], re.MULTILINE)[:12]
    )
    assert set(server_flags()) == given
    page = documents()[PAGE]
    assert "| `TABIYA_DATABASE_URL` | `--database` | `tabiya.db` |" in page
    assert "| `TABIYA_OPEN_REGISTRATION` | `--open`, `--closed` |" in page
