#!/usr/bin/env bash
# The references of the libraries that .spi.yml names as web pages, from their comments and articles.
# A link that leads nowhere, or that could mean two things, is an error.
#
#     scripts/documentation.sh [MODULE…]
set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.."

if ! command -v docc >/dev/null; then
    echo "documentation: this toolchain has no docc" >&2
    exit 1
fi
modules=("$@")
if [[ ${#modules[@]} -eq 0 ]]; then
    mapfile -t modules < <(sed -n 's/^ *- \([A-Za-z]*\)$/\1/p' .spi.yml)
fi
# As all debug builds: with other traits everything would be compiled again.
traits=(--traits NIO)
built=$(swift build "${traits[@]}" --show-bin-path)
triple=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -1)
output=.build/documentation
rm -rf "$output"
for module in "${modules[@]}"; do
    page="Sources/$module/$module.docc/$module".md
    if [[ ! -f $page ]]; then
        echo "documentation: $module has no first page, $page" >&2
        exit 1
    fi
    swift build "${traits[@]}" --target "$module"
    # Clang modules that a Swift module needs, though nothing of them is public: the maps that SwiftPM
    # writes, and those that packages bring.
    maps=()
    for map in "$built"/*.build/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap; do
        maps+=(-Xcc "-fmodule-map-file=$map")
    done
    mkdir -p "$output/$module-symbols"
    # With what the module adds to types of others, such as `Graph.main`.
    swift symbolgraph-extract -module-name "$module" -I "$built/Modules" -target "$triple" "${maps[@]}" \
        -minimum-access-level public -emit-extension-block-symbols -output-dir "$output/$module-symbols"
    docc convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$output/$module-symbols" \
        --fallback-display-name "$module" --fallback-bundle-identifier "sluice.$module" \
        --warnings-as-errors --output-path "$output/$module"
    echo "documentation: $output/$module has documentation/$(tr '[:upper:]' '[:lower:]' <<<"$module")"
done
echo "documentation: python3 -m http.server --bind 127.0.0.1 --directory $output/${modules[0]} 8000"
