#!/usr/bin/env bash
# The long forms of the tests: hundreds of thousands of random histories and client lives, planted faults, and the
# sanitizers.
# Takes about six hours on two cores: an hour for servers and a Redis that are killed (SLUICE_CHAOS_SECONDS), an hour for
# random operations (SLUICE_FUZZ_SECONDS), half an hour for pages left open (SLUICE_SOAK_MINUTES), an hour for random
# histories, of which 110,000 have clocks that drift and are set. SANITIZERS="" leaves the sanitizers out.
set -euo pipefail
cd "$(dirname "$0")/.."
export SLUICE_NIGHTLY=1

echo "== unit tests, long forms, optimised with assertions"
# The Swift client is tested with SwiftNIO, as the Makefile does.
traits=(--traits NIO)
optimised=("${traits[@]}" -c release --scratch-path .build-nightly -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug)
swift test "${optimised[@]}"

echo "== planted faults: the tests must notice each"
env -u SLUICE_NIGHTLY python3 scripts/mutations.py

echo "== expressions that take more time than they are charged for"
swift run -c release --package-path Benchmarks UnitSearch --programs 100000 --seed "${SLUICE_SEED:-$(date +%j)}"

echo "== packages, which the end-to-end tests install"
make package

echo "== end to end, long forms"
swift build "${traits[@]}" --build-tests
SLUICE_FUZZ_SECONDS=0 .venv/bin/python -m pytest Tests/EndToEnd

echo "== random operations against the optimised server, with freed memory filled"
SLUICE_BINARY="$PWD/.build/release/sluice" .venv/bin/python -m pytest -s Tests/EndToEnd/test_operation_fuzz.py

echo "== what the optimised server and the page may take by the clock, once nothing else runs"
for _ in $(seq 30); do
    read -r load _ </proc/loadavg
    if [ "${load%.*}" -lt "$(nproc)" ]; then break; fi
    sleep 10
done
SLUICE_QUIET=1 swift test "${optimised[@]}" --skip-build --filter StagePriceTests
SLUICE_QUIET=1 SLUICE_BINARY="$PWD/.build/release/sluice" .venv/bin/python -m pytest -s \
    Tests/EndToEnd/test_page_budgets.py Tests/EndToEnd/test_dashboard_charts.py Tests/EndToEnd/test_graph_load.py \
    Tests/EndToEnd/test_hostile_definitions.py Tests/EndToEnd/test_hostile_patterns.py Tests/EndToEnd/test_hostile_pipelines.py \
    -k 'budget or under_load or two_hundred or hostile'

echo "== the Autobahn test suite against the echo path, where it is installed"
scripts/autobahn.sh

echo "== random bytes for everything that takes bytes from outside, a minute each"
scripts/fuzz.sh 60

# The sanitizers run the short forms: they cost ten times as much as they look at. The leak detector does not see through
# Swift's tagged pointers and reports tables that live as long as the process; the tests count their own objects.
unset SLUICE_NIGHTLY
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1
for sanitizer in ${SANITIZERS-address thread}; do
    echo "== unit tests under the $sanitizer sanitizer"
    swift test "${traits[@]}" --sanitize="$sanitizer" --scratch-path ".build-$sanitizer"
done
for sanitizer in ${SANITIZERS-address thread}; do
    echo "== end to end under the $sanitizer sanitizer"
    for product in sluice sluice-dev sluice-client-driver sluice-client-first sluice-client-models; do
        swift build "${traits[@]}" --product "$product" --sanitize="$sanitizer" --scratch-path ".build-$sanitizer"
    done
    SLUICE_BINARY="$PWD/.build-$sanitizer/debug/sluice" .venv/bin/python -m pytest Tests/EndToEnd -m 'not browser and not weighed'
    if [ "$sanitizer" = address ]; then
        SLUICE_FUZZ_SECONDS=1200 SLUICE_BINARY="$PWD/.build-address/debug/sluice" \
            .venv/bin/python -m pytest -s Tests/EndToEnd/test_operation_fuzz.py
    fi
done
