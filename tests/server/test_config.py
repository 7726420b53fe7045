"""Configuration from the environment and from flags; what cannot be used is named."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tabiya.protocol.limits import WireLimits
from tabiya.server.config import ConfigError, ServerConfig, as_environment, read_config
from tabiya.server.core.policy import NO_CREDIT, LagPolicy, MatchPolicy
from tabiya.server.matches.factory import policy_of


def test_without_anything_the_defaults_hold() -> None:
    assert read_config({}) == ServerConfig()
    assert read_config({}).host == "127.0.0.1"


def test_the_environment_is_read_and_flags_win() -> None:
    environment = {
        "TABIYA_PORT": "9000",
        "TABIYA_HOST": "0.0.0.0",
        "TABIYA_OPEN_REGISTRATION": "true",
        "TABIYA_ABANDON_MS": "2500",
        "TABIYA_LIMIT_FRAME_BYTES": "4096",
        "OTHER_PORT": "1",
    }
    config = read_config(environment, port=9001, name=None)
    assert (config.port, config.host, config.open_registration, config.abandon_ms) == (9001, "0.0.0.0", True, 2_500)
    assert config.limits.frame_bytes == 4_096
    assert config.limits.message_burst == ServerConfig().limits.message_burst


def test_an_empty_variable_is_no_setting() -> None:
    assert read_config({"TABIYA_PORT": "", "TABIYA_LIMIT_FRAME_BYTES": ""}) == ServerConfig()


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"TABIYA_PORT": "70000"}, "given: '70000'"),
        ({"TABIYA_PORT": "http"}, "port"),
        ({"TABIYA_NAME": 41 * "x"}, "name"),  # with the version it would be longer than `welcome` can hold
        ({"TABIYA_ILLEGAL_LIMIT": "0"}, "illegal_limit"),
        ({"TABIYA_TIME_CONTROL": "soon"}, "soon"),
        ({"TABIYA_DURABILITY": "some"}, "durability"),
        ({"TABIYA_LAG_CREDIT": "perhaps"}, "lag_credit"),
        ({"TABIYA_LAG_QUOTA_MS": "-1"}, "lag_quota_ms"),
        ({"TABIYA_OPEN_WAIT_MS": "0"}, "open_wait_ms"),
        ({"TABIYA_LIMIT_FRAME_BYTES": "-1"}, "frame_bytes"),
        ({"TABIYA_LIMITS": "x"}, "limits"),
        ({"TABIYA_ALLOWED_HOSTS": "https://tabiya.example"}, "'https://tabiya.example'"),
        ({"TABIYA_ALLOWED_HOSTS": "tabiya.example:8080"}, "allowed_hosts: names without"),
        ({"TABIYA_PUBLIC_URL": "https://tabiya.example/games"}, "public_url: an address such as"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(environment: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_config(environment)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_settings_of_the_clock_become_the_policy_of_the_matches() -> None:
    assert policy_of(ServerConfig()) == MatchPolicy()
    environment = {
        "TABIYA_OPEN_WAIT_MS": "1000",
        "TABIYA_LAG_PER_MOVE_MS": "7",
        "TABIYA_LAG_QUOTA_MS": "90",
        "TABIYA_LAG_REFILL_MS": "3",
    }
    given = policy_of(read_config(environment))
    assert (given.open_wait_ms, given.lag) == (1_000, LagPolicy(per_move_ms=7, quota_ms=90, refill_ms=3))
    assert policy_of(read_config(environment, lag_credit=False)).lag == NO_CREDIT
    assert policy_of(read_config({"TABIYA_LAG_CREDIT": "false"})).lag == NO_CREDIT


def test_settings_written_as_an_environment_are_read_as_they_were_and_secrets_are_not_among_them() -> None:
    limits = replace(WireLimits(), frame_bytes=12_345)
    config = ServerConfig(
        port=0, open_registration=False, lag_credit=False, name="Ours", invite_secret="s", limits=limits
    )
    environment = as_environment(config)
    assert read_config(environment) == replace(config, invite_secret="")
    assert read_config(as_environment(ServerConfig())) == ServerConfig()
