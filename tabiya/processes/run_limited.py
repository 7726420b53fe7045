"""Become a submitted program: `python -m tabiya.processes.run_limited PARENT FILE_MB FILES COMMAND...` (POSIX).

No file it writes may grow beyond FILE_MB megabytes, it may have FILES files open, it leaves no core dumps, and it ends
with its parent. Memory is watched from outside (`classroom/bot_processes.py`): a limit on addresses would stop programs
that reserve much and use little.
"""

from __future__ import annotations

import sys

from tabiya.processes.die_with_parent import die_with_parent, exec_command


def main(words: list[str]) -> int:
    """Does not return if the program can be started; otherwise the exit status that a shell would give."""
    import resource  # not on Windows, where this module is imported but not run

    parent, file_mb, files, *command = words
    _limit(resource.RLIMIT_FSIZE, int(file_mb) << 20)
    _limit(resource.RLIMIT_NOFILE, int(files))
    _limit(resource.RLIMIT_CORE, 0)
    die_with_parent(int(parent))
    return exec_command(command)


def _limit(what: int, most: int) -> None:
    """Lower a limit for good; one that is lower already stays."""
    import resource

    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))  # the hard limit too: the program cannot raise it again


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
