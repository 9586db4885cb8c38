"""Prints every value of a node, and what became of the connection.

    watcher.py http://127.0.0.1:8080 house/indoor_c

The server may be restarted meanwhile. The watcher waits for it, gets the values that it missed if
the node keeps a history, and otherwise says how many it missed.
"""

import sys
import time

from sluice_client import State
from sluice_client.sync import connect


def note(state: State) -> None:
    print(f"# {state.name}", state.reason or "", file=sys.stderr)


def main(address: str, target: str) -> None:
    with connect(address, name="watcher", on_state=note) as client:
        for delivery in client.watch(target, float, mode="all", history=10):
            if delivery.lost:
                print(f"# at most {delivery.lost_revs or 'an unknown number of'} values are missing")
            if delivery.has_value and delivery.t:
                print(time.strftime("%H:%M:%S", time.localtime(delivery.t / 1000)), delivery.value)
            else:
                print("# no value:", delivery.ended or delivery.fail or "the node is empty")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        pass
