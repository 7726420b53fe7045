"""Bad input of every kind: one clear sentence on standard error, an exit status other than zero, never a traceback."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.tabiya.cli.command_runner import ada_and_bob, ask, serving, tabiya

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
FILES = {
    "bot.py": "from tabiya import Bot\nclass Mine(Bot):\n  pass\nclass Other:\n  pass\n"
    "class Broken(Bot):\n  def __init__(self): raise RuntimeError('no weights')\n",
    "syntax.py": "def choose(:\n",
    "missing.py": "import a_package_that_is_not_there\n",
    "leaves.py": "raise SystemExit(3)\n",
    "text.db": "hello\n",
    "cut.db": "SQLite format 3\0garbage",
}
NOWHERE = "http://127.0.0.1:1"

CASES = [
    # games, positions, moves, options
    ("perft chss 1", "there is no game 'chss' (there are: nim, "),
    (f"perft chess 1 -p '{START} w KQkq - 0 1 x'", "not 7"),
    ("perft chess 1 -p \x1b[2J", "not 1: '\\x1b[2J'"),
    ("perft chess 1 -m e2e5", "'e2e5' is not legal in "),
    ("perft chess 1 -m e2", "'e2' is not a move in the notation of Chess"),
    ("perft reversi 1 -p XO", "a position of Reversi is 64 characters"),
    ("perft tictactoe 1 -p '3x3x3 XXX------ O'", "X has as many stones as O or one more"),
    ("perft tictactoe 1 -p '99x99x3 - X'", "Tic-tac-toe is not played on 99x99x3"),
    ("perft nim 1 -p '7,1000000 normal 1'", "from 0 to 63"),
    ("perft nim 1 -o heaps=1000000", "option heaps: a heap of Nim is a number from 0 to 63, such as 7, not '1000000'"),
    ("perft nim 1 -o heaps", "an option is NAME=VALUE, not 'heaps'"),
    ("perft nim 1 -o colour=red", "Nim has no option 'colour' (it has: heaps, misere)"),
    ("perft connect5 1 -o columns=21", "option columns takes a whole number from 5 to 20"),
    ("tournament create nim a b -o heaps", "an option is NAME=VALUE, not 'heaps'"),
    ("warmup chss", "there is no game 'chss'"),
    ("demo -g chss", "there is no game 'chss'"),
    # players
    ("play gredy -g nim", "there is no player 'gredy'; did you mean greedy"),
    ("play pvs:0 -g nim", "a search is 1 to 64 plies deep"),
    ("play pvs:x -g nim", "'pvs:x' is not understood: pvs takes a depth (pvs:6), a time (pvs:2s) or both"),
    ("play perfect -g chess", "perfect does not play chess; it plays nim, tictactoe"),
    ("play uci: -g chess", "uci: needs a command, such as uci:./engine"),
    ("play uci:./no-such-engine -g chess", "no-such-engine"),
    ("play nowhere.py:Bot -g nim", "the file 'nowhere.py' cannot be read: No such file or directory"),
    ("play bot.py:Nobody -g nim", "there is no class Nobody in bot.py (it has Mine, Broken)"),
    ("play bot.py:Other -g nim", "Other in bot.py is no class that derives from tabiya.Bot (it has Mine, Broken)"),
    ("play bot.py -g nim", "'bot.py' needs the name of a class: 'bot.py:MyBot'"),
    ("play \x1b[2Jx -g nim", "there is no player '\\x1b[2Jx'"),
    ("bot gredy", "there is no player 'gredy'; did you mean greedy"),
    ("bot nowhere.py:Bot", "the file 'nowhere.py' cannot be read"),
    ("bot greedy -g chss", "there is no game 'chss'"),
    ("match greedy random -g reversi --endings", "there is no table of endings for reversi"),
    ("lichess --seek 60+1 -g nim", "by this API chess and chess960 are played, not 'nim'"),
    ("bot perfect -g chess", "perfect does not play chess"),
    ("bot greedy -g nim -t soon", "time control 'soon' was not understood; allowed are '60+0.5'"),
    ("bot greedy -g nim --time=-1+0", "time control '-1+0' was not understood"),
    ("bot pvs:6 --depth 3", "--depth is for a PLAYER that names no limit"),
    ("bot pvs --depth 99", "a search is 1 to 64 plies deep"),
    # servers that are not there
    (f"bot greedy -g nim -s {NOWHERE}", f"no server answers at {NOWHERE} (Connection refused)"),
    ("bot greedy -s 127.0.0.1:1", "no server answers at 127.0.0.1:1 (Connection refused)"),
    ("bot greedy -s ftp://x", "'ftp://x' is not the address of a server; write HOST:PORT"),
    (f"bot greedy -i code -s {NOWHERE}", f"no server answers at {NOWHERE} (Connection refused)"),
    (f"register ada -s {NOWHERE}", f"no server answers at {NOWHERE} (Connection refused)"),
    (f"standings -s {NOWHERE}", f"no server answers at {NOWHERE} (Connection refused)"),
    (f"matches show 1 -s {NOWHERE}", f"no server answers at {NOWHERE} (Connection refused)"),
    (f"tournament create nim a b -s {NOWHERE}", f"no server answers at {NOWHERE} (Connection refused)"),
    ("standings -s ws://127.0.0.1:1", "'ws://127.0.0.1:1' is not the address of a server's pages"),
    ("standings -s http://[::1", "'http://[::1' is not the address of a server's pages"),
    ("standings -s http://127.0.0.1:99999", "is not the address of a server's pages"),
    ("standings -s 'http://a b'", "'http://a b' is not the address of a server's pages"),
    ("standings -s \x1b[2J", "'http://\\x1b[2J' is not the address of a server's pages"),
    ("matches adjudicate 1 3", "the winner is 1, 2 or draw, not '3'"),
    # databases
    ("standings -d nowhere.db", "there is no database at nowhere.db"),
    ("standings chss -d nowhere.db", "there is no game 'chss'"),
    ("standings -d folder", "folder cannot be opened: it is a folder"),
    ("standings -d text.db", "text.db cannot be opened: the file is not a database"),
    ("standings -d cut.db", "cut.db cannot be opened: the file is not a database"),
    ("standings -d mysql://x/y", "mysql:// is not a kind of database that Tabiya knows; give a file path, "),
    ("standings -d postgresql://nobody@127.0.0.1:1/x", "cannot be opened: nothing answers there"),
    ("standings -d postgresql://[::1/x", "the database address postgresql://[::1/x cannot be understood"),
    ("standings -d no/such/games.db", "no/such/games.db cannot be opened: there is no folder no/such"),
    ("db check -d nowhere.db", "there is no database at nowhere.db"),
    ("db upgrade -d nowhere.db", "there is no database at nowhere.db"),
    ("db upgrade -d text.db", "text.db cannot be opened: the file is not a database"),
    ("db backup out.db -d nowhere.db", "there is no database at nowhere.db"),
    ("db restore nowhere.db -d games.db", "there is no backup at nowhere.db"),
    ("db restore text.db -d games.db", "text.db is no usable backup"),
    ("db restore text.db -d postgresql://x/y", "is restored with its own tool: pg_restore"),
    ("db move nowhere.db new.db", "there is no database at nowhere.db"),
    ("db move text.db new.db", "text.db cannot be opened: the file is not a database"),
    ("db move games.db memory:", "a store in memory cannot be moved"),
    # serving
    ("serve -d folder", "folder cannot be opened: it is a folder"),
    ("serve -d text.db", "text.db cannot be opened: the file is not a database"),
    ("serve -d mysql://x", "mysql:// is not a kind of database that Tabiya knows"),
    ("serve -d postgresql://nobody@127.0.0.1:1/x", "cannot be opened: nothing answers there"),
    ("serve -d no/such/games.db", "there is no folder no/such"),
    ("serve --time soon", "time control 'soon' was not understood"),
    ("serve --durability full", "the setting durability (TABIYA_DURABILITY) cannot be used: "),
    ("serve -d memory: --host 256.1.1.1 --log-level error", "cannot listen on 256.1.1.1 port "),
    ("serve -d memory: --host 192.0.2.1 --port 0 --log-level error", "cannot assign requested address"),
]


@pytest.fixture(autouse=True)
def files(own_world: None) -> None:
    for name, content in FILES.items():
        Path(name).write_text(content)
    Path("folder").mkdir()


def words(line: str) -> list[str]:
    """The words of a command line; quotes hold together."""
    pieces = line.split("'")
    return [word for at, piece in enumerate(pieces) for word in ([piece] if at % 2 else piece.split())]


@pytest.mark.parametrize(("line", "sentence"), CASES, ids=[line for line, _ in CASES])
def test_what_cannot_be_done_is_said_in_one_sentence(line: str, sentence: str) -> None:
    result = tabiya(*words(line))
    assert sentence in result.sentence
    assert "\x1b" not in result.err + result.out


@pytest.mark.parametrize(
    ("player", "called", "line", "error"),
    [
        ("syntax.py:Bot", "loading syntax.py", "syntax.py, line 1, in <module>", "SyntaxError: "),
        (
            "missing.py:Bot",
            "loading missing.py",
            "missing.py, line 1, in <module>",
            "ModuleNotFoundError: No module named",
        ),
        ("leaves.py:Bot", "loading leaves.py", "leaves.py, line 1, in <module>", "SystemExit: 3"),
        ("bot.py:Broken", "Broken() in bot.py", "bot.py, line 7, in __init__", "RuntimeError: no weights"),
        ("bot.py:Mine", "Mine.choose in bot.py", "", "Mine needs a method choose(self, turn)"),
    ],
)
def test_a_program_that_cannot_be_loaded_is_shown_with_its_line(
    player: str, called: str, line: str, error: str
) -> None:
    result = tabiya("play", player, "-g", "nim")
    assert result.status == 1
    lines = result.err.splitlines()
    assert lines[0] == f"tabiya: {called} failed:"
    assert line in lines[1].strip()
    assert lines[-1].startswith(error)


@pytest.mark.parametrize("option", ["--port", "--pages-port"])
def test_a_port_that_is_taken_is_named_with_the_remedy(option: str) -> None:
    other = {"--port": "--pages-port", "--pages-port": "--port"}[option]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = tabiya("serve", "-d", "memory:", option, port, other, "0", "--log-level", "error")
    assert result.sentence == (
        f"cannot listen on 127.0.0.1 port {port}: another program listens there "
        "(choose another port; 0 takes any free one)"
    )


def test_a_folder_that_may_not_be_written_is_named() -> None:
    assert "/proc/games.db cannot be opened: " in tabiya("serve", "-d", "/proc/games.db").sentence


def test_a_variable_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABIYA_PORT", "many")
    result = tabiya("serve", "-d", "memory:")
    assert result.sentence == "the setting port (TABIYA_PORT) cannot be used: expected an integer (given: 'many')"


def test_a_damaged_configuration_file_stops_every_command_about_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("client.toml").write_text("server = ")
    monkeypatch.setenv("TABIYA_CONFIG", "client.toml")
    for command in ("standings", "bot greedy", "register ada", "matches list", "tournament list"):
        assert "the configuration file client.toml cannot be read" in tabiya(*command.split()).sentence


ON_A_SERVER = [
    ("tournament create nim ada gredy", "there is no bot called 'gredy'; it must have connected or been registered"),
    ("tournament create nim ada bobb", "there is no bot called 'bobb'; did you mean 'bob'?"),
    ("tournament create nim ada ada", "a bot enters a tournament once"),
    ("tournament create nim ada", "a round robin has 2 bots or more, not 1"),
    ("tournament create chss ada bob", "there is no game 'chss'"),
    ("tournament create nim ada bob -t soon", "time control 'soon' was not understood"),
    ("tournament create nim ada bob -o heaps=1000000", "a heap of Nim is a number from 0 to 63"),
    ("tournament create nim ada bob --rounds 1000000000", "rounds"),
    (
        "tournament create nim ada bob --max-moves 9",
        "Nim knows no draw, so its matches cannot have a largest number of",
    ),
    (
        "tournament create nim ada bob --resign score=600",
        "--resign needs movecount, as in --resign movecount=3 score=600",
    ),
    ("tournament create nim ada bob --seed 99999999999999999999", "seed"),
    ("tournament status 99", "there is no tournament 99"),
    ("tournament start 99", "there is no tournament 99"),
    ("tournament status 99999999999999999999", "tournament"),
    ("matches show 99", "there is no match 99"),
    ("matches show 99 --transcript", "there is no match 99"),
    ("matches abort 99", "there is no match 99"),
    ("matches adjudicate 99 draw", "there is no match 99"),
    ("matches replay 99", "there is no match 99"),
    ("matches show 99999999999999999999", "match"),
    ("matches list --status burnt", "status"),
    ("matches list --game chss", "chss"),
    ("matches list --bot nobody", "nobody"),
    ("standings chss", "there is no game 'chss'"),
    ("matches abort 1 --operator-token guess", "the operator's token is not right"),
]


async def test_what_a_server_refuses_is_said_in_its_one_sentence() -> None:
    async with serving() as server, ada_and_bob(server):
        for line, sentence in ON_A_SERVER:
            assert sentence in (await ask(*words(line))).sentence, line
