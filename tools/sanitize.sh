#!/bin/bash
# Runs the tests of the core and of the Python package under the sanitizers of g++; called by `make sanitize`.
# Each sanitizer has a folder build/sanitize/NAME with its own builds and its own environment, which borrows
# every package of .venv but palmette itself. A finding ends the run with a non-zero exit code.
set -euo pipefail

python=$1
export CXX=${CXX:-g++}
export OPENBLAS_NUM_THREADS=1
# The tests that ask work to end wait so many times longer for it.
export PALMETTE_TEST_SLOWNESS=10

runtime() {
    local file
    file=$($CXX -print-file-name="$1")
    if [ ! -e "$file" ]; then
        echo "palmette: '$CXX' has no $1: 'make sanitize' needs g++ with its sanitizers (Debian, Ubuntu: apt install g++)." >&2
        exit 1
    fi
    echo "$file"
}

# prepare NAME SANITIZERS: builds the core once, with its tests and the Python module, and an environment with that module.
prepare() {
    local folder=build/sanitize/$1 sanitizers=$2 version
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
    echo "== $sanitizers: building"
    "$python" -m cmake -S . -B "$folder/core" -DPALMETTE_PYTHON=ON -DPALMETTE_TESTS=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DPALMETTE_SANITIZE="$sanitizers" -DSKBUILD_PROJECT_VERSION="$version" -DPython_EXECUTABLE="$(realpath -s "$python")" \
        -Dnanobind_ROOT="$("$python" -m nanobind --cmake_dir)" >/dev/null
    "$python" -m cmake --build "$folder/core" --parallel 2 >/dev/null
    rm -rf "$folder/venv"
    "$python" -m venv --without-pip "$folder/venv"
    local site borrowed
    site=$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    borrowed=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    # A path in a .pth file is searched, but the .pth files in it are not read: the editable palmette stays out.
    echo "$borrowed" >"$site/borrowed.pth"
    cp -r src/palmette "$site/"
    cp "$folder"/core/_core.*.so "$site/palmette/"
}

prepare address address,undefined
echo "== address,undefined: tests of the core"
export ASAN_OPTIONS=detect_leaks=1:halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
build/sanitize/address/core/palmette_core_tests
echo "== address,undefined: tests of the package"
# Python itself leaks on purpose at exit, so leaks are looked for in the core's tests only.
ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 \
    LD_PRELOAD="$(runtime libasan.so) $(runtime libubsan.so) $(runtime libstdc++.so)" \
    build/sanitize/address/venv/bin/python -m pytest -q -n 2 -p no:cacheprovider -m "not slow"

prepare thread thread
export TSAN_OPTIONS=exitcode=66:halt_on_error=0:second_deadlock_stack=1:suppressions=$PWD/tools/thread_sanitizer.supp
echo "== thread: tests of the core"
build/sanitize/thread/core/palmette_core_tests
echo "== thread: threaded tests of the package"
# One process: pytest-xdist would swallow the exit code 66 of a worker in which a race was seen. And only the files with
# such tests, which do not import polars at their top: its allocator does not come up under this sanitizer.
mapfile -t files < <(grep -rl "mark.threads" tests)
# pytest swallows what a test that passes has printed, so a race is reported in a file.
report=$PWD/build/sanitize/thread/report
rm -f "$report".*
if ! TSAN_OPTIONS=$TSAN_OPTIONS:log_path=$report LD_PRELOAD="$(runtime libtsan.so)" \
    build/sanitize/thread/venv/bin/python -m pytest -q -p no:cacheprovider -m threads "${files[@]}"; then
    cat "$report".* 2>/dev/null || true
    exit 1
fi

echo "== the sanitizers found nothing"
