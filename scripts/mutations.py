#!/usr/bin/env python3
"""Plants faults in the graph library, the host, HTTP and the log, one at a time, and expects the
tests to notice each.

The table is scripts/mutations.toml. A sample of it is tried, chosen by SLUICE_SEED (the day's
number by default), in copies of these, each with its tests, below .build-mutations, which are built
incrementally. A fault is noticed when a test fails or the tests do not end in time. A dead process
or a refusal of the compiler is an error, unless the table says that it may happen; so is a fault
that nothing notices, and one whose place is not found any more.

    scripts/mutations.py [--count N | --all] [--only PATTERN] [--first N] [--check]
"""

import argparse
import contextlib
import datetime
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
table = root / "scripts/mutations.toml"
SAMPLE = 20
BUILD_SECONDS = 900
TEST_SECONDS = 300

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let package = Package(
    name: "mutations", platforms: [.macOS(.v15)],
    dependencies: [.package(path: "%s")],
    targets: [
        .target(name: "Support", swiftSettings: settings),
        .target(name: "CConcurrency"),
        .target(
            name: "ReactiveGraph", dependencies: ["Support", "CConcurrency", deque], swiftSettings: settings
        ),
        .target(
            name: "TestSupport", dependencies: ["Support", "ReactiveGraph"], path: "Tests/TestSupport", swiftSettings: settings
        ),
%s
    ],
    swiftLanguageModes: [.v6]
)
"""
GRAPH = """\
        .target(name: "ReactiveGraphBinding", dependencies: ["ReactiveGraph"], swiftSettings: settings),
        .target(name: "ReactiveGraphDispatch", dependencies: ["ReactiveGraph"], swiftSettings: settings),
        .testTarget(name: "SupportTests", dependencies: ["Support", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ReactiveGraphTests",
            dependencies: ["ReactiveGraph", "ReactiveGraphBinding", "ReactiveGraphDispatch", "TestSupport"],
            swiftSettings: settings
        ),"""
HOST = """\
        .target(name: "CEL", dependencies: ["Support"], swiftSettings: settings),
        .target(name: "Values", dependencies: ["Support", "CEL"], swiftSettings: settings),
        .target(name: "Commits", dependencies: ["Support", "Values"], swiftSettings: settings),
        .target(
            name: "Definitions", dependencies: ["Support", "Values", "ReactiveGraph", "CEL", deque],
            swiftSettings: settings
        ),
        .target(
            name: "Graphs",
            dependencies: ["Support", "Values", "Definitions", "Commits", "ReactiveGraph", "CEL", deque],
            swiftSettings: settings
        ),
        .target(
            name: "Sessions",
            dependencies: [
                "Support", "Values", "Definitions", "Commits", "Graphs", "ReactiveGraph", "CEL", deque,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "LogTestSupport", dependencies: ["Commits", "TestSupport"], path: "Tests/LogTestSupport", swiftSettings: settings
        ),
        .testTarget(name: "ValuesTests", dependencies: ["Values", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "CommitsTests", dependencies: ["Commits", "LogTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "DefinitionsTests", dependencies: ["Definitions", "TestSupport"], swiftSettings: settings
        ),
        .testTarget(
            name: "SessionsTests", dependencies: ["Graphs", "Sessions", "TestSupport", "LogTestSupport"],
            swiftSettings: settings
        ),"""
LOG = """\
        .target(name: "Platform", swiftSettings: settings),
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CHiredis"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .target(name: "CEL", dependencies: ["Support"], swiftSettings: settings),
        .target(name: "EventLoop", dependencies: ["Platform", "Support", "CLibuv", deque], swiftSettings: settings),
        .target(name: "Values", dependencies: ["Support", "CEL"], swiftSettings: settings),
        .target(name: "Commits", dependencies: ["Support", "Values"], swiftSettings: settings),
        .target(
            name: "Definitions", dependencies: ["Support", "Values", "ReactiveGraph", "CEL", deque],
            swiftSettings: settings
        ),
        .target(
            name: "Graphs",
            dependencies: ["Support", "Values", "Definitions", "Commits", "ReactiveGraph", "CEL", deque],
            swiftSettings: settings
        ),
        .target(
            name: "Sessions",
            dependencies: [
                "Support", "Values", "Definitions", "Commits", "Graphs", "ReactiveGraph", "CEL", deque,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "SQLiteLog", dependencies: ["Platform", "Support", "Commits", "EventLoop", "CSQLite", "CZlib"],
            path: "Sources/Engines/SQLiteLog", swiftSettings: settings
        ),
        .target(
            name: "LogTestSupport", dependencies: ["Commits", "TestSupport"], path: "Tests/LogTestSupport", swiftSettings: settings
        ),
        .target(
            name: "DiskSupport", dependencies: ["SQLiteLog", "Commits", "CSQLite", "TestSupport"],
            path: "Tests/DiskSupport", swiftSettings: settings
        ),
        .testTarget(
            name: "SQLiteLogTests",
            dependencies: [
                "SQLiteLog", "Graphs", "Sessions", "EventLoop", "CSQLite", "TestSupport", "LogTestSupport", "DiskSupport",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RedisLog", dependencies: ["Platform", "Support", "Commits", "EventLoop", "CHiredis", deque],
            path: "Sources/Engines/RedisLog", swiftSettings: settings
        ),
        .testTarget(
            name: "RedisLogTests",
            dependencies: ["RedisLog", "Graphs", "Sessions", "EventLoop", "TestSupport", "LogTestSupport", "DiskSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["SQLiteLog", "Graphs", "Sessions", "TestSupport", "DiskSupport"],
            path: "Tests/Simulation", swiftSettings: settings
        ),
"""
HTTP = """\
        .target(name: "Platform", swiftSettings: settings),
        .systemLibrary(name: "CLLHTTP", pkgConfig: "libllhttp"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .target(name: "HTTP", dependencies: ["Platform", "Support", "CLLHTTP", "CZlib"], swiftSettings: settings),
        .testTarget(name: "HTTPTests", dependencies: ["Support", "HTTP", "TestSupport"], swiftSettings: settings),
"""
SEARCH = """\
        .target(name: "Platform", swiftSettings: settings),
        .target(name: "CEL", dependencies: ["Support"], swiftSettings: settings),
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
        .target(
            name: "SluiceServer", dependencies: ["Platform", "Support", "CEL", "CRE2"],
            path: "Sources/SluiceServer/Expressions", exclude: ["Options+System.swift"], swiftSettings: settings
        ),
        .target(name: "CAllocations", path: "Benchmarks/Sources/CAllocations"),
        .executableTarget(
            name: "UnitSearch", dependencies: ["CEL", "SluiceServer", "CAllocations", "TestSupport"],
            path: "Benchmarks/Sources/UnitSearch", swiftSettings: settings
        ),
"""


class Copy:
    """A target with all that it is made of and tested by, in a package of its own."""

    def __init__(self, target, folder, manifest, folders):
        self.target = target
        self.folder = root / ".build-mutations" / folder
        self.manifest = MANIFEST % (root / ".build/checkouts/swift-collections", manifest)
        self.folders = [pathlib.Path(folder) for folder in folders]
        self.sources = [folder for folder in self.folders if folder.parts[0] == "Sources"]

    def synchronise(self):
        """Brings the copy to the state of the tree."""
        write(self.folder / "Package.swift", self.manifest)
        for folder in self.folders:
            wanted = {
                path.relative_to(root)
                for path in (root / folder).rglob("*")
                if path.suffix in (".swift", ".h", ".c", ".cpp", ".modulemap")
            }
            for path in wanted:
                write(self.folder / path, (root / path).read_text())
            for path in list((self.folder / folder).rglob("*.swift")):
                if path.relative_to(self.folder) not in wanted:
                    path.unlink()

    def build(self):
        return self.run(["swift", "build", "--build-tests", "-q"], BUILD_SECONDS)

    def test(self, fault):
        """Status and output of the tests that must notice a fault, and which of them did."""
        status, output = self.run(
            ["swift", "test", "--skip-build", "--parallel", "--filter", fault["tests"]], TEST_SECONDS
        )
        return status, output, re.findall(r"✘ Test \"?(.*?)\"? (?:with|recorded|failed)", output)

    def run(self, command, seconds):
        """Status (None if it took too long) and output. All that it started ends with it, also on Ctrl-C."""
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            end_session(process)
            return None, process.communicate()[0]
        except KeyboardInterrupt:
            end_session(process)
            raise


def end_session(leader):
    """Kills a process and all that it started. `swift test` gives its tests a process group of
    their own, but they stay in its session."""
    leader.kill()
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        with contextlib.suppress(OSError):
            if os.getsid(pid) == leader.pid:
                os.kill(pid, signal.SIGKILL)


class SearchCopy(Copy):
    """Expressions with the search for those that take more time than they are charged for, which
    must notice instead of tests."""

    def build(self):
        return self.run(["swift", "build", "-c", "release", "--product", "UnitSearch", "-q"], BUILD_SECONDS)

    def test(self, fault):
        status, output = self.run([".build/release/UnitSearch", "--programs", "100000"], TEST_SECONDS)
        return status, output, re.findall(r"^([\d.]+ ns  .*)$", output, re.MULTILINE) if status == 1 else []


# By the target whose tests must notice.
COPIES = {
    "UnitSearch": SearchCopy("UnitSearch", "units", SEARCH,
        ["Sources/Platform", "Sources/Support", "Sources/CConcurrency", "Sources/ReactiveGraph",
         "Sources/CEL", "Sources/CRE2", "Sources/SluiceServer/Expressions", "Tests/TestSupport",
         "Benchmarks/Sources/CAllocations", "Benchmarks/Sources/UnitSearch"]),
    "ReactiveGraph": Copy("ReactiveGraph", "graph", GRAPH,
                          ["Sources/Support", "Sources/CConcurrency", "Sources/ReactiveGraph",
                           "Sources/ReactiveGraphBinding", "Sources/ReactiveGraphDispatch",
                           "Tests/SupportTests", "Tests/ReactiveGraphTests", "Tests/TestSupport"]),
    "Host": Copy("Host", "host", HOST,
                      ["Sources/Support", "Sources/CConcurrency", "Sources/ReactiveGraph", "Sources/CEL",
                       "Sources/Values", "Sources/Commits", "Sources/Definitions", "Sources/Graphs",
                       "Sources/Sessions",
                       "Tests/ValuesTests", "Tests/CommitsTests", "Tests/DefinitionsTests",
                       "Tests/SessionsTests", "Tests/TestSupport", "Tests/LogTestSupport"]),
    "HTTP": Copy("HTTP", "http", HTTP,
                 ["Sources/Platform", "Sources/CLLHTTP", "Sources/CZlib", "Sources/Support",
                  "Sources/CConcurrency", "Sources/ReactiveGraph", "Sources/HTTP", "Tests/HTTPTests",
                  "Tests/TestSupport"]),
    "Logs": Copy("Logs", "log", LOG,
                 ["Sources/Platform", "Sources/CLibuv", "Sources/CSQLite", "Sources/CZlib",
                  "Sources/CHiredis", "Sources/Support", "Sources/CConcurrency", "Sources/ReactiveGraph",
                  "Sources/CEL", "Sources/EventLoop", "Sources/Values", "Sources/Commits",
                  "Sources/Definitions", "Sources/Graphs", "Sources/Sessions", "Sources/Engines",
                  "Tests/SQLiteLogTests", "Tests/RedisLogTests", "Tests/Simulation", "Tests/TestSupport",
                  "Tests/LogTestSupport", "Tests/DiskSupport"]),
}


def read_table():
    faults = tomllib.loads(table.read_text())["fault"]
    for index, fault in enumerate(faults, 1):
        fault["number"] = index
        fault["copy"] = COPIES[fault.get("target", "ReactiveGraph")]
    return faults


def place(fault, base):
    """The file of a fault: the one whose path ends so."""
    files = [path for folder in fault["copy"].sources for path in (base / folder).rglob("*.swift")]
    found = [path for path in files if str(path).endswith("/" + fault["file"])]
    if len(found) != 1:
        raise ValueError(f"{label(fault)}: there are {len(found)} files {fault['file']}")
    return found[0]


def planted(fault, base=root):
    """The text of the fault's file with the fault in it; raises if its place is not there exactly once."""
    text = place(fault, base).read_text()
    count = text.count(fault["find"])
    if count != 1:
        raise ValueError(f"{label(fault)}: its place stands {count} times in {fault['file']}")
    return text.replace(fault["find"], fault["replace"])


def label(fault):
    return f"fault {fault['number']} ({fault['rules']}, {fault['file']})"


def write(path, text):
    """Leaves a file alone that is as wanted already, for the sake of the build."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def attempt(fault):
    """What came of a fault: ("noticed", by whom) or ("error", why)."""
    copy = fault["copy"]
    file = place(fault, copy.folder)
    healthy = file.read_text()
    try:
        file.write_text(planted(fault, copy.folder))
        status, output = copy.build()
        if status != 0:
            if fault.get("compile"):
                return "noticed", "the compiler"
            return "error", "it does not compile:\n" + output[-2000:]
        status, output, red = copy.test(fault)
        if status is None:
            return "noticed", "tests that do not end"
        if red:
            return "noticed", red[0]
        if status == 0:
            return "error", "no test notices it"
        if fault.get("crash"):
            return "noticed", "a process that died"
        return "error", "the process dies of it:\n" + output[-2000:]
    finally:
        file.write_text(healthy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=SAMPLE)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", help="faults whose rules, file or number match this pattern")
    parser.add_argument("--first", type=int, default=1, help="the first fault's number, with --all")
    parser.add_argument("--check", action="store_true", help="only look whether every place is found")
    arguments = parser.parse_args()

    faults = read_table()
    problems = []
    for fault in faults:
        try:
            planted(fault)
        except ValueError as error:
            problems.append(str(error))
    if arguments.check:
        print("\n".join(problems) or f"{len(faults)} faults, each with its place")
        return 1 if problems else 0
    lost = {
        fault["number"] for fault in faults if any(problem.startswith(label(fault)) for problem in problems)
    }

    seed = os.environ.get("SLUICE_SEED") or str(datetime.date.today().toordinal())
    if arguments.only:
        chosen = [f for f in faults if re.search(arguments.only, f"{f['number']} {f['rules']} {f['file']}")]
    elif arguments.all:
        chosen = faults[arguments.first - 1:]
    else:
        chosen = random.Random(seed).sample(faults, min(arguments.count, len(faults)))
        print(f"{len(chosen)} of {len(faults)} faults, SLUICE_SEED={seed}", flush=True)

    for copy in {fault["copy"].target: fault["copy"] for fault in chosen}.values():
        copy.synchronise()
        status, output = copy.build()
        if status != 0:
            print(f"{copy.target} without a fault does not build:\n" + output[-4000:])
            return 1
    for fault in chosen:
        if fault["number"] in lost:
            continue
        start = time.monotonic()
        kind, what = attempt(fault)
        if kind == "error":
            problems.append(f"{label(fault)}: {what}")
        print(f"{kind:8} {label(fault)}: {what} [{time.monotonic() - start:.0f} s]", flush=True)
    if problems:
        print(f"\n{len(problems)} of {len(chosen)} faults went wrong:\n" + "\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
