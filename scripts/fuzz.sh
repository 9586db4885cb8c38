#!/usr/bin/env bash
# Fuzzes everything that takes bytes from outside, for a time each, with libFuzzer and the address sanitizer.
#
#   scripts/fuzz.sh [SECONDS [TARGET…]]      a minute each of all targets, unless told otherwise
#
# Inputs that led somewhere new are kept in .build-fuzz/corpus; an input that fails is left in .build-fuzz/TARGET-crash-…, and is
# run again by: FUZZ=TARGET .build-fuzz/release/fuzz FILE
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
targets=("${@:2}")
[ "${#targets[@]}" -gt 0 ] || targets=(request response frames yaml json jose message cel)

# Assertions stay on, and the modules' overflow checks; what is looked for are traps.
swift build -c release --package-path Fuzzing --scratch-path .build-fuzz --product fuzz \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -assert-config -Xswiftc Debug \
    -Xswiftc -use-ld=lld -Xlinker --allow-multiple-definition

export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
for target in "${targets[@]}"; do
    echo "== fuzzing $target for $seconds s"
    corpus=.build-fuzz/corpus/$target
    mkdir -p "$corpus"
    FUZZ=$target .build-fuzz/release/fuzz "$corpus" "Fuzzing/Corpus/$target" -max_total_time="$seconds" -max_len=4096 \
        -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=".build-fuzz/$target-" \
        >".build-fuzz/$target.log" 2>&1 || {
        grep -E "Fatal error|ERROR|SUMMARY|Test unit written" ".build-fuzz/$target.log" || tail -20 ".build-fuzz/$target.log"
        exit 1
    }
    grep -E "stat::number_of_executed_units|stat::new_units_added|DONE" ".build-fuzz/$target.log" | sed 's/^/   /'
done
