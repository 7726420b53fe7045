"""The memory: records, a store with verbs, and the databases behind it.  Imports nothing else of ours."""

from storage.errors import StoreError
from storage.open import open_store
from storage.store import Store

__all__ = ["Store", "StoreError", "open_store"]
