#!/usr/bin/env bash
# Makes .venv ready and says nothing when it already is.
#
#   scripts/setup.sh runtime   what plays: `make demo`, `make serve`
#   scripts/setup.sh dev       what checks: `make check`, `make format`, `make docs`, `make lock`
#   scripts/setup.sh test      dev, and what the tests start: PostgreSQL, PgBouncer, Chromium, engines of others, the
#                              compilers of examples/, and what checks the files of deploy/
#   scripts/setup.sh tools     dev, and what makes the site of the documents and the bill of materials
#
# PYTHON=/path/to/python3.12 chooses the interpreter of a new .venv. As root on Debian missing packages are installed;
# otherwise one sentence says what to install. Every Python package comes from requirements/*.txt by version and hash.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.venv
supported='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))'
candidates="python3 python3.14 python3.13 python3.12 python3.11"

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
    say "$*"
    exit 1
}

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() { # packages...
    say "installing from Debian: $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends "$@" >&2 ||
        fail "apt-get could not install $* (its words are above)."
}

# --- the interpreter -------------------------------------------------------------------------------------------------

find_python() { # prints the first interpreter that runs and that we support
    local name
    for name in ${PYTHON:+"$PYTHON"} $([ -n "${PYTHON:-}" ] || echo "$candidates"); do
        if "$name" -c "$supported" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    return 1
}

can_make_venvs() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

version_of() { # what interpreter $1 says of itself
    if command -v "$1" >/dev/null; then "$1" --version 2>&1 | head -n 1; else echo "not found"; fi
}

explain_no_python() {
    if [ -n "${PYTHON:-}" ]; then
        fail "PYTHON=$PYTHON is no Python from 3.11 to 3.14 ($(version_of "$PYTHON"))."
    fi
    fail "Tabiya needs Python 3.11 to 3.14 and python3 is: $(version_of python3); install one (Debian 12 or newer:" \
        "sudo apt-get install python3 python3-venv) or name one with PYTHON=/path/to/python3."
}

choose_python() { # prints an interpreter that can make virtual environments
    local python version
    if ! find_python >/dev/null && [ -z "${PYTHON:-}" ] && can_apt; then
        apt_install python3 python3-venv
        hash -r
    fi
    python=$(find_python) || explain_no_python
    if ! can_make_venvs "$python" && can_apt; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        apt_install "python$version-venv"
    fi
    can_make_venvs "$python" ||
        fail "$python has no venv module; install it (Debian: sudo apt-get install python3-venv) and try again."
    echo "$python"
}

# --- the virtual environment -----------------------------------------------------------------------------------------

stamp_of() { # what the environment for lock $1 was made from; it changes too when the folder has been moved or copied
    cat pyproject.toml "requirements/$1.txt" | cksum
    pwd -P
}

is_current() { [ -x $venv/bin/python ] && stamp_of "$1" | cmp -s - "$venv/.tabiya-$1"; }

is_sound() { # the interpreter runs, is supported, has pip, and thinks that it lives here
    "$venv/bin/python" -c "$supported" 2>/dev/null &&
        "$venv/bin/python" -m pip --version >/dev/null 2>&1 &&
        [ "$("$venv/bin/python" -c 'import sys; print(sys.prefix)')" = "$(pwd -P)/$venv" ] &&
        { [ ! -e $venv/bin/pip ] || head -n 3 $venv/bin/pip | grep -qF "$(pwd -P)/$venv/bin/python"; }
}

make_venv() {
    local python
    is_sound && return
    python=$(choose_python)
    [ ! -e $venv ] || say "$venv does not work (moved, broken or an unsupported Python): making it again."
    say "making $venv with $("$python" --version) ($(command -v "$python"))"
    rm -rf $venv
    "$python" -m venv $venv || fail "$python could not make a virtual environment (its words are above)."
}

pip_install() {
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input --retries 2 "$@" >&2
}

install_lock() { # runtime | dev
    say "installing the locked packages of requirements/$1.txt (about a minute, once)"
    pip_install --require-hashes --no-deps -r "requirements/$1.txt" ||
        fail "pip could not install the locked packages (its words are above): without a network this cannot work," \
            "so connect once and try again."
    pip_install --no-build-isolation --no-deps -e . ||
        fail "pip could not install Tabiya itself into $venv (its words are above)."
}

ensure_environment() { # runtime | dev; dev holds everything that runtime does
    if is_current dev || is_current "$1"; then return; fi
    rm -f $venv/.tabiya-*
    make_venv
    install_lock "$1"
    stamp_of "$1" >"$venv/.tabiya-$1"
}

# --- what only the tests need ----------------------------------------------------------------------------------------

has_postgresql() { command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }
has_pgbouncer() { PATH="$PATH:/usr/sbin" command -v pgbouncer >/dev/null; }
has_chromium() { # tests/server/web/browser.py looks for the same
    local name
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do command -v $name >/dev/null && return; done
    return 1
}
has_game() { PATH="$PATH:/usr/games" command -v "$1" >/dev/null; }

ensure_test_programs() {
    local missing=() languages=()
    has_postgresql || missing+=(postgresql)
    has_pgbouncer || missing+=(pgbouncer)
    has_chromium || missing+=(chromium-headless-shell) # the engine of chromium at half the processor time
    mapfile -t languages < <(missing_for_examples)
    if can_apt; then
        command -v bwrap >/dev/null || missing+=(bubblewrap)
        command -v podman >/dev/null || missing+=(podman runc) # crun refuses where both versions of control groups are
        command -v systemd-analyze >/dev/null || missing+=(systemd) # it checks the units of deploy/systemd
        command -v nats-server >/dev/null || missing+=(nats-server)
        command -v mkfs.ext4 >/dev/null || missing+=(e2fsprogs) # for disks that only root can mount
        has_game fairymax || missing+=(fairymax) # engines that the adapters of bots/adapters are tried with
        has_game phalanx || missing+=(phalanx)
        has_game polyglot || missing+=(polyglot)
        has_game gtp-rhino || missing+=(grhino)
        [ $((${#missing[@]} + ${#languages[@]})) = 0 ] || apt_install "${missing[@]}" "${languages[@]}"
    else
        [ ${#missing[@]} = 0 ] || fail "the tests start real servers and a browser; install: ${missing[*]}" \
            "(Debian: sudo apt-get install ${missing[*]})."
        [ ${#languages[@]} = 0 ] || say "the tests skip the examples in languages that are not here; for all of them" \
            "install: ${languages[*]} (Debian: sudo apt-get install ${languages[*]})."
    fi
    fetch_ws
    fetch_crates
    fetch_programs
}

ensure_beside() { # oldest | tools: packages beside the environment, in a folder of their own
    local lock=requirements/$1.txt folder=build/$1
    if cmp -s "$lock" "$folder/lock.txt"; then return; fi
    rm -rf "$folder"
    mkdir -p "$folder"
    pip_install --require-hashes --no-deps --target "$folder" -r "$lock" ||
        fail "pip could not install the packages of $lock (its words are above)."
    cp "$lock" "$folder/lock.txt"
}

# --- the languages of examples/, which the tests compile and check ----------------------------------------------------

missing_for_examples() { # prints Debian packages, one a line; tests/examples/toolchains.py looks for the same
    command -v node >/dev/null || printf '%s\n' nodejs node-ws
    command -v javac >/dev/null || echo default-jdk-headless
    [ -e /usr/share/java/gson.jar ] || echo libgoogle-gson-java
    command -v g++ >/dev/null || echo g++
    [ -e /usr/include/boost/beast.hpp ] || echo libboost-dev
    [ -e /usr/include/nlohmann/json.hpp ] || echo nlohmann-json3-dev
    command -v cargo >/dev/null || rust_package
    command -v go >/dev/null || echo golang-go
    [ -e /usr/share/gocode/src/github.com/gorilla/websocket ] || echo golang-github-gorilla-websocket-dev
}

debian_address() { apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' | head -n 1; }

rust_package() { # Debian 12 keeps a Rust of today under another name
    if grep -qs '^VERSION_ID="12"' /etc/os-release; then echo cargo-web; else echo cargo; fi
}

fetch_ws() { # Node has websockets of its own since version 22
    local folder=examples/javascript/node_modules
    if ! command -v node >/dev/null || [ -e $folder/ws ] || node -e 'process.exit(globalThis.WebSocket ? 0 : 1)'; then
        return
    elif [ -d /usr/share/nodejs/ws ]; then
        mkdir -p $folder
        ln -s /usr/share/nodejs/ws $folder/ws
    else
        npm ci --prefix examples/javascript --silent --no-audit --no-fund >&2 ||
            say "npm could not fetch ws: the tests skip the example in JavaScript."
    fi
}

fetch_crates() { # 38 packages of sources, 2 MB, unpacked and not installed: Debian 12 has no tungstenite
    local crates=build/crates apt=build/apt
    if [ -d $crates ] || ! command -v cargo >/dev/null || ! command -v apt-get >/dev/null; then return; fi
    say "fetching the crates of the example in Rust from Debian 13"
    rm -rf $apt
    mkdir -p $apt/lists/partial $apt/cache/archives/partial $apt/debs $apt/root
    touch $apt/status
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_address) trixie main" >$apt/sources.list
    (
        at=$(pwd -P)/$apt
        options=(-qq -o "Dir::Etc::sourcelist=$at/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$at/lists"
            -o "Dir::Cache=$at/cache" -o "Dir::State::status=$at/status" -o Debug::NoLocking=1
            -o APT::Sandbox::User="$(id -un)")
        list=$(pwd -P)/scripts/rust_crates.txt
        apt-get "${options[@]}" update && cd "$at/debs" && xargs apt-get "${options[@]}" download <"$list" &&
            for package in *.deb; do dpkg-deb -x "$package" "$at/root" || exit 1; done
    ) >&2 && mv $apt/root/usr/share/cargo/registry $crates ||
        say "the crates could not be fetched: the tests skip the example in Rust."
    rm -rf $apt
}

# --- what checks the files of deploy/: promtool and Caddy, unpacked and not installed, for installed they would serve -----

fetch_programs() {
    local folder=build/programs
    if [ -d $folder ] || ! can_apt; then return; fi
    say "fetching promtool and Caddy from Debian"
    rm -rf build/debs
    mkdir -p build/debs
    (
        apt-get update -qq && cd build/debs && apt-get download -qq -o APT::Sandbox::User=root prometheus caddy &&
            for package in *.deb; do dpkg-deb -x "$package" root || exit 1; done
    ) >&2 && mv build/debs/root $folder || say "they could not be fetched: the tests skip what they check."
    rm -rf build/debs
}

case "${1:-}" in
runtime | dev) ensure_environment "$1" ;;
test)
    ensure_test_programs # first: a person learns at once what to install
    ensure_environment dev
    ensure_beside oldest # the tests of what uses these packages run with them once more
    ensure_beside tools
    ;;
tools)
    ensure_environment dev
    ensure_beside tools
    ;;
*) fail "say what for: scripts/setup.sh runtime|dev|test|tools" ;;
esac
