"""The container files say what the command line and the repository really have."""

from __future__ import annotations

import fnmatch
import re
from typing import Any

import pytest
import yaml

from tests.house.sources import PACKAGES, ROOT

# The names of the command line are a promise; a shared server needs these of them.
COMMANDS = {"serve", "bot", "db", "warmup"}
SECRETS = ("TABIYA_INVITE_SECRET", "TABIYA_DATABASE_PASSWORD")


def faults(compose: dict[str, Any]) -> list[str]:
    """What is wrong with a compose file, one sentence each."""
    services: dict[str, dict[str, Any]] = compose["services"]
    return [
        *(
            f"{name} runs {service['command'][0]!r}, which `tabiya` does not have"
            for name, service in services.items()
            if "command" in service and service["command"][0] not in COMMANDS
        ),
        *(
            f"{name} depends on {other}, which is no service"
            for name, service in services.items()
            for other in service.get("depends_on", ())
            if other not in services
        ),
        *(
            f"{name} mounts {volume}, which is not declared"
            for name, service in services.items()
            for volume in (mount.partition(":")[0] for mount in service.get("volumes", ()))
            if volume not in compose.get("volumes", {})
        ),
    ]


def copied(dockerfile: str) -> set[str]:
    """What the build copies from the repository."""
    lines = [line.split() for line in dockerfile.splitlines() if line.startswith("COPY ") and "--from" not in line]
    return {source for line in lines for source in line[1:-1]}


@pytest.fixture
def dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text("utf-8")


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    return loaded


def test_the_compose_file_uses_commands_services_and_volumes_that_exist(compose: dict[str, Any]) -> None:
    assert {"database", "server"} < set(compose["services"])
    assert len([name for name in compose["services"] if name.startswith("bot-")]) == 2
    assert faults(compose) == []


def test_the_server_waits_for_a_healthy_database(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert "pg_isready" in " ".join(services["database"]["healthcheck"]["test"])
    assert services["server"]["depends_on"]["database"]["condition"] == "service_healthy"


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_comes_from_the_environment_and_must_be_set(secret: str) -> None:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert re.search(rf"\$\{{{secret}:\?.+\}}", text)
    assert not re.search(rf"\$\{{{secret}:-", text)


def test_the_image_holds_every_package_and_only_what_is_there(dockerfile: str) -> None:
    assert set(PACKAGES) < copied(dockerfile)
    assert [source for source in copied(dockerfile) if not (ROOT / source).exists()] == []


def test_the_build_may_see_what_it_copies(dockerfile: str) -> None:
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    hidden = [source for source in copied(dockerfile) if not any(fnmatch.fnmatch(source, a + "*") for a in allowed)]
    assert hidden == []


def test_the_image_compiles_every_game_for_any_host_as_a_user_that_owns_the_cache(dockerfile: str) -> None:
    steps = [line.strip() for line in dockerfile.splitlines()]
    cache = re.search(r"NUMBA_CACHE_DIR=(\S+)", dockerfile)
    assert cache
    assert re.search(rf"chown tabiya:tabiya .*{cache[1]}", dockerfile)
    assert dockerfile.index("NUMBA_CPU_NAME=generic") < dockerfile.index("RUN tabiya warmup")
    assert steps.index("USER tabiya") < steps.index("RUN tabiya warmup")
    assert "--require-hashes" in dockerfile


def test_a_faulty_compose_file_is_found() -> None:
    sample = {
        "services": {
            "server": {"command": ["server"], "depends_on": {"db": {}}, "volumes": ["files:/files"]},
            "bot": {"command": ["bot", "greedy"], "depends_on": ["server"]},
        }
    }
    assert faults(sample) == [
        "server runs 'server', which `tabiya` does not have",
        "server depends on db, which is no service",
        "server mounts files, which is not declared",
    ]


def test_what_a_dockerfile_copies_is_read() -> None:
    assert copied("COPY a b /to/\nCOPY --from=build /opt /opt\nRUN x") == {"a", "b"}
