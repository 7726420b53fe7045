"""The line that says what went wrong, in what programs of several languages print when they fail."""

from __future__ import annotations

import pytest

from tabiya.processes.failure_line import LONGEST, failure_line

PYTHON = """
Traceback (most recent call last):
  File "bot.py", line 3, in <module>
    import nump
ModuleNotFoundError: No module named 'nump'
"""
OURS = """
tabiya: loading /srv/programs/7-1/bot.py failed:
  bot.py, line 3, in <module>
    while True:
it is not over after 20 s
"""
NODE = """
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'ws'
Require stack:
- /srv/programs/7-1/main.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/programs/7-1/main.js' ]
}

Node.js v20.20.2
"""
JAVA = """
Exception in thread "main" java.lang.IllegalStateException: no move
	at Main.choose(Main.java:12)
	at Main.main(Main.java:3)
"""
RUST = """
thread 'main' panicked at src/main.rs:3:5:
no move
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
GO = """
panic: no move

goroutine 1 [running]:
main.main()
	/srv/programs/7-1/main.go:4 +0x25
exit status 2
"""


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        (PYTHON, "ModuleNotFoundError: No module named 'nump'"),
        (OURS, "loading bot.py failed: it is not over after 20 s"),
        (NODE, "Error: Cannot find module 'ws'"),
        (JAVA, 'Exception in thread "main" java.lang.IllegalStateException: no move'),
        (RUST, "no move"),
        (GO, "panic: no move"),
        ("good bye\n\n", "good bye"),
        ("at the end\nat last", "at last"),
        ("x" * 900, "x" * LONGEST),
        ("", ""),
    ],
)
def test_it_says_what_went_wrong_and_not_where(printed: str, words: str) -> None:
    assert failure_line(printed.splitlines()) == words
