"""Where commands find their server: flag, then environment, then file, then the usual address."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.api_client.config_file import config_path
from tabiya.api_client.settings import USUAL_SERVER, ClientSettings, client_settings
from tabiya.errors import UserError


@pytest.fixture
def file() -> Path:
    path = config_path()
    path.parent.mkdir()
    path.write_text('server = "http://file:1"\ntoken = "file-token"\noperator_token = "file-operator"\n')
    return path


def test_without_anything_it_is_the_usual_port_of_this_machine() -> None:
    assert client_settings() == ClientSettings(USUAL_SERVER, "", "")


def test_the_file_goes_before_the_usual_address(file: Path) -> None:
    assert client_settings() == ClientSettings("http://file:1", "file-token", "file-operator")


def test_the_environment_goes_before_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABIYA_SERVER", "http://environment:1")
    monkeypatch.setenv("TABIYA_OPERATOR_TOKEN", "environment-operator")
    assert client_settings() == ClientSettings("http://environment:1", "file-token", "environment-operator")


def test_a_flag_goes_before_the_environment(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SERVER", "TOKEN", "OPERATOR_TOKEN"):
        monkeypatch.setenv(f"TABIYA_{name}", "environment")
    assert client_settings("http://flag:1", "flag", "flag") == ClientSettings("http://flag:1", "flag", "flag")


def test_an_empty_variable_is_none(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABIYA_SERVER", "")
    assert client_settings().server == "http://file:1"


@pytest.mark.parametrize(
    ("given", "pages"),
    [
        ("http://host:8080/", "http://host:8080"),
        ("host:8080", "http://host:8080"),
        (" https://host ", "https://host"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("first:8080, second:8080", "http://first:8080"),
    ],
)
def test_an_address_may_be_typed_short(given: str, pages: str) -> None:
    assert ClientSettings(given).pages == pages


def test_the_file_is_where_the_system_keeps_such_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TABIYA_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_path() == tmp_path / "tabiya" / "client.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_path() == tmp_path / ".config" / "tabiya" / "client.toml"


@pytest.mark.parametrize(
    ("content", "about"),
    [
        (b"server = ", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"port = 8080", "sets 'port'; it may set the texts server, token, operator_token"),
        (b"server = 8080", "sets 'server'"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(file: Path, content: bytes, about: str) -> None:
    file.write_bytes(content)
    with pytest.raises(UserError) as error:
        client_settings()
    assert str(file) in str(error.value)
    assert about in str(error.value)
