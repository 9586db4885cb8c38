#!/usr/bin/env bash
# The figures: the graph beside OpenCombine, then posts and fan-out against a running server.
# The server gets the first processor and the load the second, where there are two.
set -euo pipefail
cd "$(dirname "$0")/.."

swift run -c release --package-path Benchmarks GraphBenchmarks --check
swift run -c release --package-path Benchmarks ExpressionBenchmarks

sluice=.build/release/sluice
output=$(mktemp)
pin() { if [ "$(nproc)" -gt 1 ]; then taskset -c "$1" "${@:2}"; else "${@:2}"; fi; }
pin 0 "$sluice" serve --config config/sluice.yaml --listen 127.0.0.1:0 >"$output" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true; rm -f "$output"' EXIT
until url=$(sed -n 's/^listening on \(http:[^ ]*\).*/\1/p' "$output") && [ -n "$url" ]; do
    kill -0 "$server"
    sleep 0.1
done
pin 1 "$sluice" bench post --url "$url"
pin 1 "$sluice" bench post --url "$url" --pipeline 16
pin 1 "$sluice" bench fanout --url "$url" --subscribers 1000
