#!/usr/bin/env bash
# Writes scripts/start-order.txt: the functions of Swift's runtime and library that a start of the server calls.
#
#   make release && scripts/start_order.sh        needs valgrind; worth it after a new version of Swift
#
# The linker puts them next to each other. From where they stand otherwise the kernel maps pages all over the library, for a
# few functions each, and all of them count as resident. Our own functions are left out: their names change with the code, and
# the linker could move whole files of them only. A name that is gone does no harm.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/graphs"
cp config/graphs/host.yaml "$folder/graphs/"
printf 'graphs: %s\npublic: ""\n' "$folder/graphs" > "$folder/sluice.yaml"
# callgrind does not read today's debug information.
strip -g -o "$folder/sluice" .build/release/sluice
timeout -s INT 20 valgrind --quiet --demangle=no --tool=callgrind --callgrind-out-file="$folder/calls" \
    "$folder/sluice" serve --config "$folder/sluice.yaml" --listen 127.0.0.1:0 >/dev/null 2>&1 || true

nm "$folder/sluice" | awk '$2 ~ /^[tTwW]$/ { print $3 }' | sort -u > "$folder/symbols"
sed -nE "s/^c?fn=\([0-9]+\) ([^']+).*/\1/p" "$folder/calls" | awk '!seen[$0]++' |
    grep -vE '[0-9](sluice|SluiceServer|GraphHost|ReactiveGraph|CEL|HTTP|EventLoop)|llhttp' |
    grep -xFf "$folder/symbols" > scripts/start-order.txt
wc -l scripts/start-order.txt
