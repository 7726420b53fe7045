"""Dependencies are locked by name, version and hash, without any download address."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.source_rules.sources import ROOT

LOCKS = {
    "requirements/runtime.txt": ("engine", "server"),
    "requirements/image.txt": ("engine", "server", "gateways", "trace"),
    "requirements/dev.txt": (
        "engine",
        "server",
        "gateways",
        "mcp",
        "openspiel",
        "parquet",
        "pettingzoo",
        "trace",
        "dev",
    ),
}
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")
ADDRESS = re.compile(
    r"\w+://|file:|--(index-url|extra-index-url|find-links|trusted-host)|(^|\s)/\w|[A-Z]:\\", re.MULTILINE
)


def pins(lock: str) -> dict[str, str]:
    """Name -> version of everything the lock holds."""
    return {canonicalize_name(m[1]): m[2] for line in lock.splitlines() if (m := PIN.match(line))}


def unhashed(lock: str) -> list[str]:
    """Names of packages without a hash."""
    blocks = re.split(r"(?m)^(?=[A-Za-z0-9])", lock)[1:]
    return [block.split("==")[0] for block in blocks if "--hash=sha256:" not in block]


def unmet(wanted: list[str], lock: str) -> list[str]:
    """Requirements that the lock does not meet."""
    held = pins(lock)
    parsed = [Requirement(text) for text in wanted]
    return [
        str(requirement)
        for requirement in parsed
        if requirement.name != "tabiya"
        and not requirement.specifier.contains(
            held.get(canonicalize_name(requirement.name), "0.dev0"), prereleases=True
        )
    ]


def read(lock: str) -> str:
    return (ROOT / lock).read_text("utf-8")


@pytest.fixture
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_no_address_and_no_path_of_a_machine(lock: str) -> None:
    assert ADDRESS.search(read(lock)) is None


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_a_hash(lock: str) -> None:
    assert len(pins(read(lock))) > 30
    assert unhashed(read(lock)) == []


@pytest.mark.parametrize(("lock", "extras"), LOCKS.items())
def test_a_lock_meets_what_the_project_asks_for(lock: str, extras: tuple[str, ...], project: dict[str, Any]) -> None:
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["build"]]
    wanted += [text for extra in extras for text in project["project"]["optional-dependencies"][extra]]
    assert unmet(wanted, read(lock)) == [], "run `make lock`"


def test_tests_run_with_the_versions_that_are_shipped() -> None:
    shipped, image, tested = (pins(read(lock)) for lock in LOCKS)
    assert shipped.items() <= image.items() <= tested.items()


def test_what_builds_the_package_is_locked_too(project: dict[str, Any]) -> None:
    assert set(project["build-system"]["requires"]) == set(project["dependency-groups"]["build"])


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://pypi.org/simple",
        "--find-links wheels",
        "rich @ file:rich.whl",
        "    #   -c /home/me/requirements/runtime.txt",
    ],
)
def test_an_address_or_a_path_is_found(line: str) -> None:
    assert ADDRESS.search(f"rich==15.0.0 \\\n{line}\n")


def test_a_missing_hash_is_found() -> None:
    assert unhashed(
        "# made\nrich==15.0.0 \\\n    --hash=sha256:00\ntyper==1.0 ; sys_platform == 'x'\n    # via x\n"
    ) == ["typer"]


def test_an_outdated_lock_is_found() -> None:
    lock = "rich==14.0.0 \\\n    --hash=sha256:00\n"
    assert unmet(["rich>=15", "typer>=0.29", "tabiya[engine]"], lock) == ["rich>=15", "typer>=0.29"]
    assert unmet(["rich[all]>=14; sys_platform != 'win32'"], lock) == []
