"""Which names in Host, and which pages in Origin, a server answers to."""

from __future__ import annotations

import socket
import threading

import pytest

from tabiya.server.transport.allowed_hosts import AllowedHosts

EVERYBODY, THIS_MACHINE = "0.0.0.0", "127.0.0.1"
STRANGERS = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.localhost.example", "[:", "a b"]
ADDRESSES = ["127.0.0.1:8765", "192.0.2.7", "[::1]:8080", "[2001:db8::5]", "0.0.0.0", "[fe80::1%25eth0]:1"]
LOOPBACK = ["localhost", "LOCALHOST:8080", "tabiya.localhost", "localhost.:1"]
NEAR = ["server:8080", "lab-3.local", "host.docker.internal:8765", "tabiya.lan", "pi.home.arpa"]


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine has a name of its own, and another in the network."""
    monkeypatch.setattr(socket, "gethostname", lambda: "Lab-7")
    monkeypatch.setattr(socket, "getfqdn", lambda: "lab-7.school.example")


@pytest.mark.parametrize("listens_on", [EVERYBODY, THIS_MACHINE])
@pytest.mark.parametrize("host", [*ADDRESSES, *LOOPBACK, "lab-7:8080", "LAB-7.local", "", "Lab-7.School.Example."])
def test_ip_addresses_and_the_machines_own_names_are_accepted(listens_on: str, host: str) -> None:
    hosts = AllowedHosts(listens_on)
    hosts.learn_full_name()
    for thread in threading.enumerate():
        if thread.name == "full-name":
            thread.join()
    assert hosts.refusal([host], []) == ""
    assert hosts.refusal([], []) == ""  # no browser leaves it out


@pytest.mark.parametrize("listens_on", [EVERYBODY, THIS_MACHINE])
@pytest.mark.parametrize("host", STRANGERS)
def test_a_name_of_a_stranger_is_not_and_the_answer_says_what_to_set(listens_on: str, host: str) -> None:
    refusal = AllowedHosts(listens_on).refusal([host], [])
    assert "TABIYA_ALLOWED_HOSTS" in refusal
    assert ("this machine only" in refusal) == (listens_on == THIS_MACHINE)
    assert AllowedHosts(listens_on).refusal([host], [f"http://{host}"])


def test_two_hosts_are_no_host() -> None:
    assert "TABIYA_ALLOWED_HOSTS" in AllowedHosts(EVERYBODY).refusal(["localhost", "localhost"], [])


@pytest.mark.parametrize("host", NEAR)
def test_a_server_for_others_accepts_names_that_nobody_on_the_internet_can_own(host: str) -> None:
    assert AllowedHosts(EVERYBODY).refusal([host], []) == ""
    assert AllowedHosts(THIS_MACHINE).refusal([host], [])


def test_names_in_the_setting_and_the_listening_name_are_accepted() -> None:
    hosts = AllowedHosts("games.school.example", "tabiya.example, Class.Example")
    for host in ("tabiya.example:443", "class.example", "games.school.example:8080"):
        assert hosts.refusal([host], [f"https://{host}"]) == ""
    assert hosts.refusal(["sub.tabiya.example"], [])
    assert AllowedHosts(THIS_MACHINE, "*").refusal(["anything.example"], []) == ""


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://[", "http://localhost.evil.example", ""])
@pytest.mark.parametrize("host", ["localhost:8765", "", "192.0.2.7"])
def test_a_page_of_another_site_is_refused_whatever_name_it_used(origin: str, host: str) -> None:
    assert "other sites" in AllowedHosts(EVERYBODY, "*").refusal([host], [origin])


def test_two_origins_are_refused_and_a_page_of_the_same_host_is_not() -> None:
    hosts = AllowedHosts(EVERYBODY)
    assert hosts.refusal(["localhost"], ["http://localhost", "http://localhost"])
    assert hosts.refusal(["localhost:8765"], ["http://localhost:8080"]) == ""
    assert hosts.refusal(["[::1]:8765"], ["http://[::1]:8080"]) == ""
