"""The examples in other languages: what each needs on a machine, how it is compiled, what starts it.

    command_of(LANGUAGES["go"])     # compiles it if need be; raises Missing, with the package to install

Compiled bots lie in build/examples/, by a digest of their source and what compiles it: the next run finds them.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
BUILT = ROOT / "build" / "examples"
CRATES = ROOT / "build" / "crates"
GSON = Path("/usr/share/java/gson.jar")
GO_PATH = Path("/usr/share/gocode")
GORILLA = GO_PATH / "src/github.com/gorilla/websocket"

# What is looked for, and Debian's package of it; scripts/setup.sh installs the same.
PROGRAMS = {
    "node": "nodejs",
    "javac": "default-jdk-headless",
    "g++": "g++",
    "cargo": "cargo (in Debian 12 cargo-web)",
    "go": "golang-go",
}
HEADERS = {"boost/beast.hpp": "libboost-dev", "nlohmann/json.hpp": "nlohmann-json3-dev"}
LIBRARIES = {GSON: "libgoogle-gson-java", GORILLA: "golang-github-gorilla-websocket-dev"}

Command = tuple[str, ...]


class Missing(Exception):
    """What compiles or runs an example is not on this machine; the text is one sentence."""


class Faulty(Exception):
    """An example does not compile, or not without warnings; the text is what the compiler says."""


@dataclass(frozen=True)
class Language:
    """One example.

    source: its file in examples/.  needs: raises Missing.  version: the words that ask the compiler for its version;
    empty where nothing is compiled.  build: compiles into a folder.  start: the command, given that folder.
    """

    name: str
    source: str
    needs: Callable[[], None]
    start: Callable[[Path], Command]
    build: Callable[[Path], None] = lambda folder: None
    version: Command = ()

    @property
    def path(self) -> Path:
        """Its file."""
        return EXAMPLES / self.source


def program(name: str) -> str:
    """Where a program is. Raises Missing."""
    found = shutil.which(name)
    if found is None:
        raise absent(name, PROGRAMS[name])
    return found


def library(path: Path) -> None:
    """Raises Missing unless it is there."""
    if not path.exists():
        raise absent(str(path), LIBRARIES[path])


def header(name: str) -> None:
    """Raises Missing unless the C++ compiler finds it."""
    source = f"#if !__has_include(<{name}>)\n#error\n#endif\n"
    compiler = ("g++", "-E", "-x", "c++", "-")
    if subprocess.run(compiler, input=source, capture_output=True, text=True, check=False).returncode:
        raise absent(name, HEADERS[name])


def absent(what: str, package: str) -> Missing:
    """Says what is not here."""
    return Missing(f"there is no {what} here; Debian's package is {package}")


def run(words: Command, folder: Path, **environment: str) -> str:
    """What a compiler says. Raises Faulty."""
    done = subprocess.run(words, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Faulty(f"{shlex.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


# --- what each needs ---


def javascript_needs() -> None:
    node = program("node")
    trial = 'globalThis.WebSocket ?? (await import("ws"))'
    try:
        run((node, "--input-type=module", "--eval", trial), EXAMPLES / "javascript")
    except Faulty:
        raise Missing("there is no ws here; `npm ci` in examples/javascript fetches it") from None


def java_needs() -> None:
    program("javac")
    library(GSON)


def cpp_needs() -> None:
    program("g++")
    for name in HEADERS:
        header(name)


def rust_needs() -> None:
    program("cargo")
    if not CRATES.exists():
        raise Missing("there are no crates for Rust here; `scripts/setup.sh test` fetches them from Debian")


def go_needs() -> None:
    program("go")
    library(GORILLA)


# --- how each is compiled ---


def build_java(folder: Path) -> None:
    source = str(LANGUAGES["java"].path)
    run(("javac", "-Xlint:all", "-Werror", "-cp", str(GSON), "-d", str(folder), source), folder)


def build_cpp(folder: Path) -> None:
    source = str(LANGUAGES["cpp"].path)
    result = run(("g++", "-std=c++17", "-Wall", "-Wextra", source, "-o", "bot", "-pthread"), folder)
    if "bot.cpp" in result:  # what the headers of others say is theirs
        raise Faulty(result)


def build_rust(folder: Path) -> None:
    for name in ("Cargo.toml", "bot.rs"):
        shutil.copy(EXAMPLES / "rust" / name, folder)
    from_folder = ("source.crates-io.replace-with='folder'", f"source.folder.directory='{CRATES}'")
    target = BUILT / "cargo"
    result = run(
        ("cargo", "build", "--offline", *(part for setting in from_folder for part in ("--config", setting))),
        folder,
        CARGO_TARGET_DIR=str(target),
        CARGO_PROFILE_DEV_DEBUG="0",  # with it a sixth longer
        CARGO_INCREMENTAL="0",
    )
    if "warning" in result:
        raise Faulty(result)
    shutil.copy(target / "debug" / "bot", folder)


def build_go(folder: Path) -> None:
    settings = {"GO111MODULE": "off", "GOPATH": str(GO_PATH), "GOCACHE": str(BUILT / "gocache"), "GOFLAGS": ""}
    source = str(LANGUAGES["go"].path)
    run(("go", "vet", source), folder, **settings)
    run(("go", "build", "-o", "bot", source), folder, **settings)


LANGUAGES = {
    language.name: language
    for language in (
        Language("python", "python/bot.py", lambda: None, lambda _: (sys.executable, str(EXAMPLES / "python/bot.py"))),
        Language(
            "javascript",
            "javascript/bot.mjs",
            javascript_needs,
            lambda _: ("node", str(EXAMPLES / "javascript/bot.mjs")),
        ),
        Language(
            "java",
            "java/Bot.java",
            java_needs,
            lambda folder: ("java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", f"{GSON}:{folder}", "Bot"),
            build_java,
            ("javac", "-version"),
        ),
        Language("cpp", "cpp/bot.cpp", cpp_needs, lambda at: (str(at / "bot"),), build_cpp, ("g++", "--version")),
        Language("rust", "rust/bot.rs", rust_needs, lambda at: (str(at / "bot"),), build_rust, ("cargo", "--version")),
        Language("go", "go/bot.go", go_needs, lambda at: (str(at / "bot"),), build_go, ("go", "version")),
    )
}


def command_of(language: Language) -> Command:
    """The command that starts the example, compiled if it has changed. Raises Missing, Faulty."""
    language.needs()
    if not language.version:
        return language.start(BUILT)
    folder = BUILT / f"{language.name}-{digest(language)}"
    with locked(language.name):
        if not folder.exists():
            build(language, folder)
    return language.start(folder)


def digest(language: Language) -> str:
    """Of the source, of how it is compiled and of what compiles it."""
    parts = (language.path.read_bytes(), Path(__file__).read_bytes(), run(language.version, ROOT).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def build(language: Language, folder: Path) -> None:
    """Compile again; earlier builds of the same language go."""
    for old in BUILT.glob(f"{language.name}-*"):
        shutil.rmtree(old)
    half_done = BUILT / f"half-done-{language.name}"
    shutil.rmtree(half_done, ignore_errors=True)
    half_done.mkdir()
    language.build(half_done)
    half_done.rename(folder)


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """One process at a time compiles a language."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with (BUILT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
