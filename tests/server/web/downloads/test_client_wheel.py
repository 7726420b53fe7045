"""The wheel that a server makes of itself is the one that the package's own build makes."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

from tabiya.server.web.documents.files import SERVED
from tabiya.server.web.downloads import client_wheel as module
from tabiya.server.web.downloads.client_wheel import NoWheelError, client_wheel
from tests.source_rules.sources import ROOT


def opened() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(client_wheel().data))


@pytest.mark.slow
def test_it_holds_the_same_files_as_the_packages_own_build(tmp_path: Path) -> None:
    built = next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    assert Path(built).name == client_wheel().name
    with zipfile.ZipFile(built) as theirs, opened() as ours:
        assert sorted(ours.namelist()) == sorted(theirs.namelist())
        sources = [name for name in theirs.namelist() if ".dist-info/" not in name]
        assert [name for name in sources if ours.read(name) != theirs.read(name)] == []


def test_its_record_names_every_file_with_its_digest_and_length() -> None:
    with opened() as wheel:
        record = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
        rows = {path: (digest, size) for path, digest, size in csv.reader(wheel.read(record).decode().splitlines())}
        assert list(rows) == wheel.namelist()
        assert rows.pop(record) == ("", "")
        for path, (digest, size) in rows.items():
            data = wheel.read(path)
            wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (digest, size) == (f"sha256={wanted}", str(len(data)))


def test_it_is_typed_and_holds_nothing_but_sources() -> None:
    with opened() as wheel:
        names = set(wheel.namelist())
    assert "tabiya/py.typed" in names
    assert {name for name in names if "__pycache__" in name or name.startswith((".", "/", "tests"))} == set()
    assert {name.partition("/")[0] for name in names} == {
        "tabiya",
        f"{client_wheel().name.rsplit('-', 3)[0]}.dist-info",
    }


def test_the_documents_that_travel_are_those_that_the_packages_own_build_takes_along() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["only-include"] == [
        "tabiya",
        "games",
        "protocol",
        "storage",
        "server",
        "bots",
        *map("docs/{}".format, SERVED),
    ]


def test_the_same_packages_give_the_same_bytes() -> None:
    assert client_wheel.__wrapped__() == client_wheel()


def test_a_server_that_was_never_installed_offers_no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> Any:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "distribution", unknown)
    with pytest.raises(NoWheelError, match="without being installed"):
        client_wheel.__wrapped__()
