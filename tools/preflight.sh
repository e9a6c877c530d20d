#!/bin/sh
# Looks for what a build needs before it starts, and says in one sentence what to install; called by the Makefile.
#   preflight.sh --which-python   prints the first Python that is new enough (or python3)
#   preflight.sh PYTHON           checks that Python, its headers, its venv module and a C++20 compiler

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

fail() {
    echo "palmette: $1" >&2
    exit 1
}

if [ "$1" = "--which-python" ]; then
    for candidate in python3 python python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c "$new_enough" 2>/dev/null; then
            echo "$candidate"
            exit 0
        fi
    done
    echo python3
    exit 0
fi

python=${1:-python3}
"$python" -c 'pass' 2>/dev/null ||
    fail "Python was not found (tried '$python'): install Python 3.11 or newer (Debian, Ubuntu: apt install python3 python3-venv python3-dev)."
"$python" -c "$new_enough" ||
    fail "Python 3.11 or newer is needed and '$python' is $("$python" -c 'import platform; print(platform.python_version())'): install a newer one and name it, as in: make PYTHON=python3.12 test."
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "Python's venv module is missing: install it (Debian, Ubuntu: apt install python3-venv)."
"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
    fail "Python's C headers (Python.h) are missing: install them (Debian, Ubuntu: apt install python3-dev; Fedora: dnf install python3-devel)."

compiler=${CXX:-}
if [ -z "$compiler" ]; then
    for candidate in c++ g++ clang++; do
        if command -v "$candidate" >/dev/null 2>&1; then
            compiler=$candidate
            break
        fi
    done
fi
how="(Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install)"
[ -n "$compiler" ] ||
    fail "no C++ compiler was found: install one that knows C++20, such as g++ 11 or newer $how."
# $compiler may carry flags or a launcher ("ccache g++"), so it is not quoted.
printf '#include <concepts>\n#include <bit>\n#include <span>\ntemplate <std::integral T> T twice(T x) { return x + x; }\nint main() { return twice(std::popcount(0u)); }\n' |
    $compiler -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1 ||
    fail "the C++ compiler '$compiler' cannot compile C++20: install g++ 11 or newer $how or name another one with CXX=."
