#!/usr/bin/env python3
"""Counts the user instructions of one time of each case, before and after a change.

    Benchmarks/instructions.py BEFORE AFTER [--only TEXT] [--times FEW MANY]

BEFORE and AFTER are two builds of HostBenchmarks. Prints a table in Markdown. Needs valgrind and
strip: callgrind does not read today's debug information.
"""

import argparse
import os
import re
import subprocess
import tempfile


def count(binary, case, times):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, case, str(times)]
    # Else each process has hash tables of another shape.
    environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
    text = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stderr
    return int(re.search(r"Collected : (\d+)", text).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", nargs=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--times", nargs=2, type=int, default=[100, 600])
    options = parser.parse_args()
    few, many = options.times
    with tempfile.TemporaryDirectory() as folder:
        stripped = []
        for binary in options.binaries:
            target = f"{folder}/{len(stripped)}"
            subprocess.run(["strip", "-g", binary, "-o", target], check=True)
            stripped.append(target)
        cases = subprocess.run([stripped[1]], capture_output=True, text=True, check=True).stdout.splitlines()
        print("| case | before | after | |\n|---|---|---|---|", flush=True)
        for case in cases:
            if options.only not in case:
                continue
            before, after = ((count(b, case, many) - count(b, case, few)) // (many - few) for b in stripped)
            print(
                f"| {case} | {before:,} | {after:,} | {100 * (after - before) / before:+.1f} % |", flush=True
            )


if __name__ == "__main__":
    main()
