"""What can go wrong in storage: one clear sentence each, never a password, and whose fault it was."""

from __future__ import annotations


class StoreError(Exception):
    """The store could not do what was asked; the text is one sentence for a person."""


class CannotOpen(StoreError):
    """The address is wrong, the database cannot be reached, or what is there is not ours."""


class WrongSchema(CannotOpen):
    """The database is ours but of another schema version; the text names the command that helps."""


class DatabaseInUse(CannotOpen):
    """Another server owns this database; two would play the same matches twice."""


class StoreClosed(StoreError):
    """The store was closed before this was asked of it."""


class SaveFailed(StoreError):
    """The database did not take the write (full, locked, gone): the same write may be tried again.

    It may even have been committed, the answer lost: a repeated equal write counts as saved.
    """


class WriteConflict(StoreError):
    """A different row is already stored under this key: our bug, never to be retried."""


class WriteRefused(StoreError):
    """The row breaks a rule of the tables (unknown match, unknown ending): our bug, never to be retried."""


class DamagedRows(StoreError):
    """What is stored of a match cannot be read, though the database answers."""


class NameTaken(StoreError):
    """Another bot has this name."""
