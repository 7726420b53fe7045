"""The manifests fit each other and the server: what is asked for is answered, what runs is a command of ours."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from scripts.docs.api_page import all_routes
from tabiya.processes.server_process import STOP_S
from tests.deploy.commands import unknown_flags
from tests.source_rules.sources import ROOT

Manifest = dict[str, Any]


def manifests(kind: str) -> list[Manifest]:
    documents = yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / "tabiya.yaml").read_text("utf-8"))
    return [each for each in documents if each["kind"] == kind]


def containers() -> dict[str, Manifest]:
    """Each container with its pod's own settings, by name."""
    pods = [each["spec"]["template"]["spec"] for each in manifests("Deployment")]
    return {one["name"]: one | {"pod": pod} for pod in pods for one in pod["containers"]}


def test_who_serves_and_who_waits_are_one_deployment_that_is_never_both_at_once() -> None:
    (server,) = (each for each in manifests("Deployment") if each["metadata"]["name"] == "tabiya-server")
    assert (server["spec"]["replicas"], server["spec"]["strategy"]["type"]) == (2, "Recreate")
    assert "--standby" in containers()["server"]["args"]


def test_each_service_finds_its_pods_and_their_ports_and_the_way_in_finds_the_services() -> None:
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in manifests("Deployment")]
    services = {each["metadata"]["name"]: each for each in manifests("Service")}
    assert "selector" not in services.pop("tabiya-nobody")["spec"]
    for service in services.values():
        assert labels.count(service["spec"]["selector"]) == 1
        offered = {port["name"] for port in containers()[service["spec"]["selector"]["app"][7:]]["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} == offered
    (ingress,) = manifests("Ingress")
    ways = {
        (rule["host"], path["path"]): (path["backend"]["service"]["name"], path["backend"]["service"]["port"]["name"])
        for rule in ingress["spec"]["rules"]
        for path in rule["http"]["paths"]
    }
    assert ways == {
        ("games.example.org", "/websocket"): ("tabiya-gateway", "bots"),
        ("games.example.org", "/"): ("tabiya", "pages"),
        ("games.example.org", "/metrics"): ("tabiya-nobody", "none"),
        ("watch.games.example.org", "/"): ("tabiya-pages", "pages"),
        ("watch.games.example.org", "/metrics"): ("tabiya-nobody", "none"),
    }
    assert {host for host, _ in ways} == set(ingress["spec"]["tls"][0]["hosts"])
    (settings,) = manifests("ConfigMap")
    assert settings["data"]["TABIYA_ALLOWED_HOSTS"] == "watch.games.example.org"


def test_only_servers_know_the_secrets_by_which_orders_are_given() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
    settings = {name: [*one.get("environment", ())] for name, one in compose.items()}
    assert [name for name, known in settings.items() if "TABIYA_OPERATOR_TOKEN" in known] == ["server", "standby"]
    sources = {
        name: [source for each in one.get("envFrom", ()) for source in each] for name, one in containers().items()
    }
    assert [name for name, known in sources.items() if "secretRef" in known] == ["server"]


@pytest.mark.parametrize("name", ["server", "pages"])
def test_it_is_asked_whether_it_lives_and_whether_it_is_ready_at_addresses_that_answer(name: str) -> None:
    server, routes = containers()[name], {route.path for route in all_routes()}
    asked = {probe: server[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert asked == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    assert set(asked.values()) <= routes


def test_servers_hosts_and_gateways_meet_on_the_bus_and_nobody_else_reaches_it() -> None:
    (policy,) = manifests("NetworkPolicy")
    (admitted,) = policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchExpressions"]
    assert (admitted["key"], admitted["operator"]) == ("app", "In")
    assert admitted["values"] == ["tabiya-server", "tabiya-host", "tabiya-gateway"]
    (bus,) = (each for each in manifests("Service") if each["spec"].get("selector") == {"app": "tabiya-bus"})
    assert policy["spec"]["podSelector"]["matchLabels"] == bus["spec"]["selector"]
    (settings,) = manifests("ConfigMap")
    (port,) = bus["spec"]["ports"]
    assert settings["data"]["TABIYA_BUS_URL"] == f"nats://{bus['metadata']['name']}:{port['port']}"
    assert {source["configMapRef"]["name"] for source in containers()["gateway"]["envFrom"]} == {"tabiya"}
    assert [each["name"] for each in containers()["host"]["env"]] == ["TABIYA_BUS_URL", "TABIYA_DATABASE_URL"]


def test_the_bus_and_the_limits_behind_a_proxy_are_those_of_the_compose_file() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    assert containers()["bus"]["image"] == compose["services"]["bus"]["image"]
    (settings,) = manifests("ConfigMap")
    limits = {name: str(value) for name, value in compose["x-behind-proxy"].items() if "LIMIT" in name}
    assert limits.items() <= settings["data"].items()


def test_a_host_has_more_time_to_hand_its_matches_over_than_it_takes() -> None:
    host = containers()["host"]
    assert host["pod"]["terminationGracePeriodSeconds"] > STOP_S
    assert [key for key in host if "Probe" in key] == []


@pytest.mark.parametrize("name", ["server", "host", "gateway", "pages", "worker"])
def test_a_container_runs_a_command_of_ours(name: str) -> None:
    container = containers()[name]
    assert unknown_flags(container["args"]) == []
    assert {mount["name"] for mount in container["volumeMounts"]} == {
        volume["name"] for volume in container["pod"]["volumes"]
    }


@pytest.mark.parametrize("name", containers())
def test_a_container_has_no_rights(name: str) -> None:
    container = containers()[name]
    assert container["securityContext"] == {
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    pod = container["pod"]
    assert (pod["securityContext"]["runAsNonRoot"], pod["automountServiceAccountToken"]) == (True, False)
    assert pod["enableServiceLinks"] is False  # or TABIYA_PORT is tcp://..., which no command takes for a port
    assert f"USER {pod['securityContext']['runAsUser']}:" in (ROOT / "Dockerfile").read_text("utf-8")
