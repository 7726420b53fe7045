"""Storage: records, a store with verbs, and the databases behind it.  Imports nothing else of ours."""

from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.store import Store

__all__ = ["Store", "StoreError", "open_store"]
