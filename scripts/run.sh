#!/usr/bin/env bash
# Starts the server with the shipped configuration and, beside it, a feed of this machine's own figures and the services
# of the town, with a broker if mosquitto is installed. Arguments go to `sluice serve`, e.g. scripts/run.sh --listen
# 127.0.0.1:9000. Ctrl-C ends all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

sluice=.build/release/sluice
output=$(mktemp)
"$sluice" serve --config config/sluice.yaml "$@" > >(tee "$output") &
server=$!
feeds=
finish() {
    trap - INT TERM EXIT
    # Ctrl-C has reached them already; a signal to this script alone has not.
    kill $feeds "$server" 2>/dev/null || true
    wait || true
    rm -f "$output"
}
trap finish EXIT
trap 'finish; exit 0' INT TERM

# The server says its address once it takes connections.
url=
for _ in $(seq 100); do
    url=$(sed -n 's/^listening on \(http:[^ ]*\).*/\1/p' "$output" | head -n 1)
    [ -n "$url" ] && break
    kill -0 "$server" 2>/dev/null || exit 1
    sleep 0.1
done
if [ -z "$url" ]; then
    echo "run: the server did not say where it listens" >&2
    exit 1
fi

"$sluice" feed host --url "$url" &
feeds=$!
"$sluice" feed town &
feeds="$feeds $!"
broker=$(PATH="$PATH:/usr/sbin" command -v mosquitto || true)
if [ -n "$broker" ]; then
    "$broker" -p 9193 >/dev/null 2>&1 &
    feeds="$feeds $!"
fi
echo
echo "  Open $url/ to see this machine's figures live."
echo "  Set a value:  curl -d 21.5 $url/v1/graphs/house/nodes/indoor_c"
echo
wait "$server"
