"""The container files say what the command line and the repository really have."""

from __future__ import annotations

import fnmatch
import re
import subprocess
from typing import Any

import pytest
import yaml

from tabiya.server.config import read_config
from tests.deploy.commands import unknown_flags
from tests.programs import program
from tests.source_rules.sources import PACKAGES, ROOT

# The names of the command line are a promise; a shared server needs these of them.
COMMANDS = {"serve", "host", "gateway", "pages", "bot", "worker", "db", "warmup"}
SECRETS = ("TABIYA_INVITE_SECRET", "TABIYA_OPERATOR_TOKEN", "TABIYA_WORKER_TOKEN", "TABIYA_DATABASE_PASSWORD")
OURS = {"server", "standby", "host", "gateway", "gateway-2", "pages", "worker", "bot-greedy", "bot-pvs"}


def faults(compose: dict[str, Any]) -> list[str]:
    """What is wrong with a compose file, one sentence each."""
    services: dict[str, dict[str, Any]] = compose["services"]
    return [
        *(
            f"{name} runs {service['command'][0]!r}, which `tabiya` does not have"
            for name, service in services.items()
            if name != "bus" and "command" in service and service["command"][0] not in COMMANDS
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
            if volume not in compose.get("volumes", {}) and not (volume.startswith("./") and (ROOT / volume).is_file())
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
    assert set(compose["services"]) == OURS | {"database", "bus", "proxy"}
    assert faults(compose) == []


def test_what_is_ours_has_no_rights_and_writes_nothing_but_its_volume(compose: dict[str, Any]) -> None:
    for name in OURS | {"bus"}:
        service = compose["services"][name]
        assert (service["image"] == "tabiya", service["read_only"], service["cap_drop"]) == (
            name != "bus",
            True,
            ["ALL"],
        )
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_who_runs_programs_of_strangers_or_speaks_with_strangers_reaches_neither_bus_nor_database(
    compose: dict[str, Any],
) -> None:
    reached = {name: set(service.get("networks", ["default"])) for name, service in compose["services"].items()}
    assert compose["networks"]["inner"] == {"internal": True}
    assert reached["bus"] == reached["database"] == {"inner"}
    assert {name for name, networks in reached.items() if "inner" not in networks} == {
        *("proxy", "worker", "bot-greedy", "bot-pvs")
    }


def test_servers_hosts_and_gateways_meet_on_the_bus(compose: dict[str, Any]) -> None:
    answer = {name: service.get("environment", {}) for name, service in compose["services"].items()}
    meet = {name for name, settings in answer.items() if settings.get("TABIYA_BUS_URL") == "nats://bus:4222"}
    assert meet == {"server", "standby", "host", "gateway", "gateway-2"}
    assert compose["services"]["host"]["scale"] == 2


def test_one_address_may_do_behind_the_proxy_what_all_may(compose: dict[str, Any]) -> None:
    for name in ("server", "standby", "gateway", "gateway-2", "pages"):
        environment = compose["services"][name]["environment"]
        limits = read_config({key: each for key, each in environment.items() if "LIMIT" in key}).limits
        assert limits.connections_per_address == limits.connections
        assert limits.pages_connections_per_address == limits.pages_connections


def test_what_is_not_ours_and_what_the_image_is_made_of_is_named_by_its_digest(
    compose: dict[str, Any], dockerfile: str
) -> None:
    others = [service["image"] for name, service in compose["services"].items() if name not in OURS]
    base = re.search(r"^ARG BASE=(\S+)$", dockerfile, re.MULTILINE)
    assert base
    for image in (*others, base[1]):
        assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image
    assert set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) == {"${BASE}"}


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
    assert steps.index("USER 10001:10001") < steps.index("RUN tabiya warmup")
    assert "--require-hashes" in dockerfile
    assert "useradd --uid 10001 " in dockerfile


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


def test_the_commands_of_the_compose_file_have_their_flags(compose: dict[str, Any]) -> None:
    commands = [compose["services"][name]["command"] for name in OURS]
    assert [flag for command in commands for flag in unknown_flags(command)] == []


@pytest.mark.slow
def test_caddy_takes_its_settings_and_finds_the_services_of_the_compose_file(compose: dict[str, Any]) -> None:
    file = ROOT / "deploy" / "caddy" / "Caddyfile"
    command = [program("caddy"), "validate", "--adapter", "caddyfile", "--config", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Valid configuration" in done.stdout + done.stderr
    asked = set(re.findall(r"\b([a-z][\w-]+):(?:8080|8765)\b", file.read_text("utf-8")))
    assert asked == {"server", "standby", "pages", "gateway", "gateway-2"} < set(compose["services"])


def test_what_a_dockerfile_copies_is_read() -> None:
    assert copied("COPY a b /to/\nCOPY --from=build /opt /opt\nRUN x") == {"a", "b"}
