#!/usr/bin/env bash
# The figures.
#
#   scripts/bench.sh            the graph beside OpenCombine, expressions, the server beside C, durability
#   scripts/bench.sh server     the server alone; options: bench_server.py --help
#   scripts/bench.sh peers      the server beside nginx with nchan, Node, Hummingbird and FlyingFox; the same options
#   scripts/bench.sh sources    how soon upstreams open, what a crowd costs them, what a relay costs
#   scripts/bench.sh history    bytes of a week of minutes of 1,000 nodes, and how soon a range is answered
#   scripts/bench.sh page       the page: first paint, frames under load, charts; options: bench_page.py --help
#   scripts/bench.sh tokens     tokens of issuers: POST beside one with a token of the file, connect
#   scripts/bench.sh scaling    how the server's work grows, with plots; options: bench_scaling.py --help
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
server) exec python3 scripts/bench_server.py "${@:2}" ;;
peers)
    # Peers that are missing are named in the report.
    swift build -c release --package-path Benchmarks/Peers/Swift || echo "bench: without the Swift peers" >&2
    exec python3 scripts/bench_server.py --peers "${@:2}"
    ;;
sources) exec .venv/bin/python scripts/bench_sources.py "${@:2}" ;;
history) exec .venv/bin/python scripts/bench_history.py "${@:2}" ;;
page) exec .venv/bin/python scripts/bench_page.py "${@:2}" ;;
tokens) exec .venv/bin/python scripts/bench_tokens.py "${@:2}" ;;
scaling) exec python3 scripts/bench_scaling.py "${@:2}" ;;
esac
# Expressions are compared with Lua.
if ! pkg-config --exists lua5.4 && command -v apt-get >/dev/null; then
    $([ "$(id -u)" = 0 ] || echo sudo) apt-get install -y -qq --no-install-recommends liblua5.4-dev >/dev/null
fi
swift run -c release --package-path Benchmarks GraphBenchmarks --check
swift run -c release --package-path Benchmarks ExpressionBenchmarks
python3 scripts/bench_server.py
python3 scripts/bench_durability.py
