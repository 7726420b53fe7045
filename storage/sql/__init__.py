"""The store in a database: SQLite in a file or PostgreSQL, the same tables, statements and rules."""
