#!/usr/bin/env bash
# Runs the Autobahn test suite against the echo path, where it is installed: `wstest` on the PATH, or named in WSTEST.
# It needs Python 2.7 (pip install autobahntestsuite). Tests/EndToEnd/test_echo.py covers the same families without it.
# Fails where a case does; the report is left in .build/autobahn.
set -euo pipefail
cd "$(dirname "$0")/.."

wstest=${WSTEST:-$(command -v wstest || true)}
if [ -z "$wstest" ]; then
    echo "autobahn: wstest is not installed; skipped"
    exit 0
fi

sluice=${SLUICE_BINARY:-.build/debug/sluice}
report=.build/autobahn
mkdir -p "$report/graphs"
cat >"$report/sluice.yaml" <<YAML
listen: 127.0.0.1:0
graphs: $report/graphs
public: ''
compression: full
diagnostics: { echo: true }
limits: { message: 32MiB, unsentHard: 128MiB }
YAML
SLUICE_TEST_LIMITS="limits.unsent=64MiB limits.contextBytes=256MiB times.frame=5m" \
    "$sluice" serve --config "$report/sluice.yaml" >"$report/output" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true' EXIT
until url=$(sed -n 's/^listening on http:\([^ ]*\).*/ws:\1/p' "$report/output") && [ -n "$url" ]; do
    kill -0 "$server"
    sleep 0.1
done

cat >"$report/suite.json" <<JSON
{
  "outdir": "$report/report",
  "servers": [{"agent": "sluice", "url": "${url%/}/v1/diagnostics/echo"}],
  "cases": ["${CASES:-*}"],
  "exclude-cases": [],
  "exclude-agent-cases": {}
}
JSON
"$wstest" -m fuzzingclient -s "$report/suite.json"
python3 - "$report/report/index.json" <<'PYTHON'
import collections, json, sys
cases = json.load(open(sys.argv[1]))["sluice"]
good = {"OK", "INFORMATIONAL", "NON-STRICT"}
print(dict(collections.Counter(case["behavior"] for case in cases.values())))
bad = [name for name, case in cases.items() if case["behavior"] not in good or case["behaviorClose"] not in good]
print("failed:", " ".join(bad) if bad else "none", f"of {len(cases)}")
sys.exit(1 if bad or not cases else 0)
PYTHON
