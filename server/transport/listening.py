"""Why a server cannot start, and how its addresses are written."""

from __future__ import annotations

import errno
import os


class StartError(Exception):
    """The server cannot start; the text is one sentence for a person."""


def cannot_listen(error: OSError, host: str, port: int) -> StartError:
    """The sentence for a port that cannot be opened."""
    return StartError(f"cannot listen on {host} port {port}: {_cause(error)}")


def _cause(error: OSError) -> str:
    """The cause, without the address that the event loop's message repeats."""
    if error.errno == errno.EADDRINUSE:
        return "another program listens there (choose another port; 0 takes any free one)"
    if error.errno is not None and error.errno in errno.errorcode:
        return os.strerror(error.errno).lower()
    return str(error.strerror or error)  # of looking up a name


def host_in_url(host: str) -> str:
    """A host as written in a URL: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host
