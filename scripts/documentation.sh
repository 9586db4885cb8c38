#!/usr/bin/env bash
# The references of ReactiveGraph and ReactiveGraphBinding as web pages, from their comments and articles; a link that
# leads nowhere, or that could mean two things, is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v docc >/dev/null; then
    echo "documentation: this toolchain has no docc" >&2
    exit 1
fi
built=$(swift build --show-bin-path)
triple=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -1)
output=.build/documentation
rm -rf "$output"
for module in ReactiveGraph ReactiveGraphBinding; do
    swift build --target "$module"
    mkdir -p "$output/$module-symbols"
    swift symbolgraph-extract -module-name "$module" -I "$built/Modules" -target "$triple" \
        -Xcc -fmodule-map-file="$built/CConcurrency.build/module.modulemap" \
        -minimum-access-level public -output-dir "$output/$module-symbols"
    docc convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$output/$module-symbols" \
        --fallback-display-name "$module" --fallback-bundle-identifier "sluice.$module" \
        --warnings-as-errors --output-path "$output/$module"
done
echo "documentation: python3 -m http.server --bind 127.0.0.1 --directory $output/ReactiveGraph 8000"
echo "documentation: then http://127.0.0.1:8000/documentation/reactivegraph"
echo "documentation: $output/ReactiveGraphBinding has documentation/reactivegraphbinding"
