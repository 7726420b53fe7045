"""The tables of a database: definition, revision, migrations."""
