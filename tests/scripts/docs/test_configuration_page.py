"""The page of the configuration has every setting of commands and server."""

from __future__ import annotations

import msgspec

from scripts.docs.configuration_page import PAGE, documents
from tabiya.api_client.config_file import KEYS
from tabiya.server.config import ServerConfig


def test_the_page_of_the_configuration_names_every_setting_by_flag_environment_and_key() -> None:
    page = documents()[PAGE]
    for key in KEYS:
        assert f"`--{key.replace('_', '-')}`" in page
        assert f"`TABIYA_{key.upper()}`" in page
        assert f"| `{key}` |" in page
    for field in msgspec.structs.fields(ServerConfig):
        assert f"TABIYA_{field.name.upper()}" in page or field.name == "limits"
