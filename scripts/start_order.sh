#!/usr/bin/env bash
# Writes scripts/start-order.txt: the functions that a start of the server calls, those of Swift's library among them.
#
#   make release && scripts/start_order.sh        needs valgrind; worth it after a new version of Swift
#
# The linker puts them next to each other. From where they stand otherwise the kernel maps pages all over the program, for a
# few functions each, and all of them count as resident. Of our own code it moves whole files, and names change with it: a name
# that is gone does no harm, one that is missing costs little.
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
    grep -xFf "$folder/symbols" > scripts/start-order.txt
wc -l scripts/start-order.txt
