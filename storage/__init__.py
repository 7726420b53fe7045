"""The memory: records, a store with verbs, and the databases behind it.  Imports nothing else of ours."""
