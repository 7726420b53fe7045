"""The statements on the tables: rows to records and back, queries, writes, integrity checks."""
