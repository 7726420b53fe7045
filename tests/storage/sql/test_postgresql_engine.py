"""Addresses with several hosts, of which one may be written; and one that may only be read."""

from __future__ import annotations

import pytest

from tabiya.storage.errors import CannotOpen
from tabiya.storage.open import open_store
from tests.storage.postgres import Cluster


@pytest.mark.slow
async def test_of_several_hosts_the_one_that_may_be_written_is_taken(cluster: Cluster) -> None:
    name = "hosts"
    await (await open_store(cluster.create(name))).close()
    with cluster.replica() as replica:
        both = f"postgresql://tabiya@127.0.0.1:{replica.port},127.0.0.1:{cluster.port}/{name}"
        store = await open_store(both, exclusive=True)
        await store.put_setting("a", "1")
        assert await store.setting("a") == "1"
        await store.close()
        for wrong in (replica.url(name), f"{both}?target_session_attrs=any"):
            with pytest.raises(CannotOpen, match="permits read-only transactions alone"):
                await open_store(wrong, exclusive=True)
        reader = await open_store(f"{both}?target_session_attrs=standby")
        assert await reader.list_bots() == ()
        await reader.close()
        replica.stop()
        with pytest.raises(CannotOpen, match=rf"{replica.port}: nothing answers there; \S+:{cluster.port}: it is not"):
            await open_store(f"{both}?target_session_attrs=standby")
