"""The store in a database: SQLite in a file or PostgreSQL, the same tables, statements and rules.

schema/ defines the tables and migrates them, statements/ reads and writes their rows; here databases are opened,
copied, moved and upgraded.
"""
