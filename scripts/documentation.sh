#!/usr/bin/env bash
# The reference of the library ReactiveGraph as web pages, from its comments and articles; a link that leads nowhere, or
# that could mean two things, is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v docc >/dev/null; then
    echo "documentation: this toolchain has no docc" >&2
    exit 1
fi
swift build --target ReactiveGraph
built=$(swift build --show-bin-path)
triple=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -1)
output=.build/documentation
rm -rf "$output"
mkdir -p "$output/symbols"
swift symbolgraph-extract -module-name ReactiveGraph -I "$built/Modules" -target "$triple" \
    -Xcc -fmodule-map-file="$built/CConcurrency.build/module.modulemap" \
    -minimum-access-level public -output-dir "$output/symbols"
docc convert Sources/ReactiveGraph/ReactiveGraph.docc --additional-symbol-graph-dir "$output/symbols" \
    --fallback-display-name ReactiveGraph --fallback-bundle-identifier sluice.ReactiveGraph \
    --warnings-as-errors --output-path "$output/pages"
echo "documentation: python3 -m http.server --bind 127.0.0.1 --directory $output/pages 8000"
echo "documentation: then http://127.0.0.1:8000/documentation/reactivegraph"
