"""The set-up script: what it does on a bare, a prepared and a broken machine, played with an interpreter of straw."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.source_rules.sources import ROOT

# Answers like a Python that can make environments; what it was asked stands in $LOG.
PYTHON = """#!/bin/bash
printf '%s %s\\n' "$0" "$*" >>"$LOG"
case "$*" in
--version) echo "Python $VERSION" ;;
*3,\\ 11*version_info*) [ "$VERSION" != 3.9.2 ] ;;
*version_info*) echo "${VERSION%.*}" ;;
*ensurepip*) [ -z "${NO_VENV:-}" ] || [ -e "$HOME/python3-venv" ] ;;
*sys.prefix*) echo "$PWD/.venv" ;;
"-m venv .venv") mkdir -p .venv/bin && cp "$HOME/bin/python3" .venv/bin/python ;;
"-m pip --version") ;;
"-m pip install"*) [ -z "${NO_NETWORK:-}" ] ;;
*) exit 9 ;;
esac
"""
ID = '#!/bin/bash\necho "${ROOT_ID:-1000}"\n'
APT = """#!/bin/bash
printf 'apt-get %s\\n' "$*" >>"$LOG"
for word in "$@"; do case "$word" in python3*-venv) touch "$HOME/python3-venv" ;; esac; done
"""
TOOLS = ("bash", "cat", "cksum", "cmp", "cp", "dirname", "env", "grep", "head", "mkdir", "mv", "rm", "touch")


class Machine:
    """A folder of programs, a copy of what the script reads, and a log of what was run."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.checkout = folder / "a check out"
        self.log = folder / "log"
        self.environment = {"VERSION": "3.12.1", "HOME": str(folder), "LOG": str(self.log)}
        (folder / "bin").mkdir()
        for tool in TOOLS:
            (folder / "bin" / tool).symlink_to(str(shutil.which(tool)))
        self.program("id", ID)
        locks = (f"requirements/{name}.txt" for name in ("runtime", "dev", "oldest", "tools"))
        for part in ("pyproject.toml", "scripts/setup.sh", *locks):
            (self.checkout / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, self.checkout / part)

    def program(self, name: str, text: str) -> None:
        (self.home / "bin" / name).write_text(text)
        (self.home / "bin" / name).chmod(0o755)

    def set_up(self, purpose: str = "runtime", **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs the script with nothing else on the path; the log then holds what this run asked for."""
        self.log.write_text("")
        return subprocess.run(
            [str(self.checkout / "scripts/setup.sh"), purpose],
            env={"PATH": str(self.home / "bin"), **self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def asked(self) -> str:
        return self.log.read_text()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.program("python3", PYTHON)
    return made


def test_a_bare_machine_gets_an_environment_from_the_lock_alone(machine: Machine) -> None:
    done = machine.set_up("runtime")
    assert done.returncode == 0, done.stderr
    installs = [line for line in machine.asked().splitlines() if "pip install" in line]
    assert "--require-hashes --no-deps -r requirements/runtime.txt" in installs[0]
    assert "--no-build-isolation --no-deps -e ." in installs[1]
    assert len(installs) == 2


def test_the_second_set_up_starts_no_interpreter_and_says_nothing(machine: Machine) -> None:
    machine.set_up("runtime")
    done = machine.set_up("runtime")
    assert (done.returncode, done.stdout, done.stderr, machine.asked()) == (0, "", "", "")


def test_an_environment_for_developing_is_enough_for_playing(machine: Machine) -> None:
    machine.set_up("dev")
    machine.set_up("runtime")
    assert machine.asked() == ""


def test_an_environment_for_playing_is_not_enough_for_developing(machine: Machine) -> None:
    machine.set_up("runtime")
    machine.set_up("dev")
    assert "requirements/dev.txt" in machine.asked()


@pytest.mark.parametrize("changed", ["pyproject.toml", "requirements/runtime.txt"])
def test_a_changed_lock_or_project_is_installed_again(machine: Machine, changed: str) -> None:
    machine.set_up("runtime")
    with (machine.checkout / changed).open("a") as file:
        file.write("# changed\n")
    assert machine.set_up("runtime").returncode == 0
    assert "requirements/runtime.txt" in machine.asked()
    assert "-m venv" not in machine.asked()


def test_a_moved_checkout_is_installed_again(machine: Machine) -> None:
    machine.set_up("runtime")
    moved = machine.home / "moved"
    machine.checkout.rename(moved)
    machine.checkout = moved
    assert machine.set_up("runtime").returncode == 0
    assert "-e ." in machine.asked()


@pytest.mark.parametrize("harm", ["#!/bin/bash\nexit 1\n", None])
def test_a_broken_environment_is_made_anew(machine: Machine, harm: str | None) -> None:
    machine.set_up("runtime")
    inside = machine.checkout / ".venv/bin/python"
    inside.unlink()
    if harm:
        inside.write_text(harm)
        inside.chmod(0o755)
        (machine.checkout / ".venv/.tabiya-runtime").unlink()
    done = machine.set_up("runtime")
    assert done.returncode == 0, done.stderr
    assert "making it again" in done.stderr
    assert "-m venv .venv" in machine.asked()


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The last line of a set-up that failed."""
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "unbound" not in done.stderr
    return done.stderr.splitlines()[-1]


def test_an_old_python_is_named_with_what_to_do(machine: Machine) -> None:
    text = sentence(machine.set_up(VERSION="3.9.2"))
    assert "Tabiya needs Python 3.11 to 3.14 and python3 is: Python 3.9.2" in text
    assert "sudo apt-get install python3 python3-venv" in text
    assert not (machine.checkout / ".venv").exists()


def test_a_machine_without_python_gets_instructions(machine: Machine) -> None:
    (machine.home / "bin/python3").unlink()
    assert "python3 is: not found" in sentence(machine.set_up())


def test_a_newer_python_of_another_name_is_found(machine: Machine) -> None:
    machine.program("python3", "#!/bin/bash\nexit 1\n")
    machine.program("python3.13", PYTHON.replace("bin/python3", "bin/python3.13"))
    assert machine.set_up().returncode == 0
    assert "python3.13 -m venv .venv" in machine.asked()


def test_a_python_that_was_asked_for_but_does_not_fit_is_named(machine: Machine) -> None:
    text = sentence(machine.set_up(PYTHON="/nowhere/python"))
    assert "PYTHON=/nowhere/python is no Python from 3.11 to 3.14 (not found)" in text


def test_without_the_venv_module_its_package_is_named(machine: Machine) -> None:
    assert "sudo apt-get install python3-venv" in sentence(machine.set_up(NO_VENV="1"))


def test_without_the_venv_module_root_gets_its_package(machine: Machine) -> None:
    machine.program("apt-get", APT)
    done = machine.set_up(NO_VENV="1", ROOT_ID="0")
    assert done.returncode == 0, done.stderr
    assert "apt-get install -y -qq --no-install-recommends python3.12-venv" in machine.asked()


def test_a_prepared_machine_is_left_alone_by_apt(machine: Machine) -> None:
    machine.program("apt-get", APT)
    machine.set_up(ROOT_ID="0")
    assert "apt-get" not in machine.asked()


def test_without_a_network_one_sentence_says_so_and_the_next_run_tries_again(machine: Machine) -> None:
    assert "without a network this cannot work" in sentence(machine.set_up(NO_NETWORK="1"))
    assert machine.set_up().returncode == 0
    assert "requirements/runtime.txt" in machine.asked()


def test_what_the_tests_need_is_listed_for_a_person_and_installed_for_root(machine: Machine) -> None:
    machine.program("initdb", "#!/bin/bash\n")
    assert "install: chromium-headless-shell (Debian: sudo apt-get install chromium-headless-shell)" in sentence(
        machine.set_up("test")
    )
    machine.program("apt-get", APT)
    assert machine.set_up("test", ROOT_ID="0").returncode == 0
    assert "apt-get install -y -qq --no-install-recommends chromium-headless-shell" in machine.asked()


def test_languages_of_the_examples_are_installed_by_root_and_only_named_to_others(machine: Machine) -> None:
    for name in ("initdb", "chromium-headless-shell", "apt-get"):
        machine.program(name, APT if name == "apt-get" else "#!/bin/bash\n")
    wanted = ("nodejs", "default-jdk-headless", "g++", "golang-go")
    done = machine.set_up("test")
    assert done.returncode == 0, done.stderr
    output = next(line for line in done.stderr.splitlines() if "skip the examples" in line)
    assert set(wanted) <= set(output.split())
    assert "apt-get" not in machine.asked()
    assert machine.set_up("test", ROOT_ID="0").returncode == 0
    assert set(wanted) <= set(machine.asked().split())


def test_crates_that_cannot_be_fetched_cost_one_example_and_not_the_set_up(machine: Machine) -> None:
    for name in ("initdb", "chromium-headless-shell", "node", "javac", "g++", "cargo", "go"):
        machine.program(name, "#!/bin/bash\n")
    machine.program("apt-get", '#!/bin/bash\nprintf \'apt-get %s\\n\' "$*" >>"$LOG"\nexit 100\n')
    done = machine.set_up("test")
    assert done.returncode == 0, done.stderr
    assert "the tests skip the example in Rust" in done.stderr
    assert "update" in machine.asked()
    assert not (machine.checkout / "build/crates").exists()


def test_an_unknown_purpose_is_refused(machine: Machine) -> None:
    assert "runtime|dev|test" in sentence(machine.set_up("everything"))
