#!/usr/bin/env python3
"""The server beside a minimal one in C, on the same libraries, under the same load: targets P1 to P7, and what TLS costs.

    scripts/bench.sh server [--quick] [--rounds N] [--only NAME] [--write FOLDER]

Server on one processor, load on the other. A round runs every contestant of a case once, in turning order, and probes before and after how
near the two processors are to each other; a round that began and ended in different states, or in another state than most rounds, is not counted. Ratios are
taken within a round; what is told is the median over the rounds. Figures are processor time of the server per operation unless said.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SLUICE = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / ".build/release/sluice"))
# What puts the load on it.
LOAD = SLUICE.with_name("sluice-dev")
PEERS = ROOT / "Benchmarks/Peers"
GRAPH = 'graph: house\nnodes:\n  note: { set: any, initial: "" }\n'
SECURE = "sluice, TLS"
FAR = 250  # nanoseconds: processors further from each other are in another state


class Case:
    """One load. `figure` is what of the report counts; `target` bounds the ratio to C: `(at most, at least)`."""

    def __init__(self, name, number, arguments, figure, unit, at_most=None, at_least=None, bound=None, tls=False,
                 seconds=1.5, digits=2, warm=None):
        self.name, self.number, self.arguments, self.figure, self.unit = name, number, arguments, figure, unit
        self.at_most, self.at_least, self.bound = at_most, at_least, bound
        self.tls, self.seconds, self.digits = tls, seconds, digits
        self.warm = warm  # a load beforehand, so that what is made once for all is not counted


def fanout(subscribers, size, *more):
    """In mode `latest`, which is the protocol's default, unless something else is said."""
    return ["fanout", "--subscribers", subscribers, "--size", size, *(more or ["--latest"])]


POST, DELIVERY = "server_cpu_us_per_post", "server_cpu_us_per_delivery"
CASES = [
    Case("POST 64 B, 50 connections", "P1", ["post", "--size", 64], POST, "µs", at_most=1.15, tls=True),
    Case("the same, 16 pipelined", "P2", ["post", "--size", 64, "--pipeline", 16], POST, "µs", at_most=2.2, bound=0.6,
         tls=True),
    Case("fan-out to 100, 64 B", "P3", fanout(100, 64), DELIVERY, "µs", at_most=1.05),
    Case("fan-out to 1,000, 64 B", "P3", fanout(1000, 64), DELIVERY, "µs", at_most=1.05, tls=True),
    Case("fan-out to 5,000, 64 B", "P3", fanout(5000, 64), DELIVERY, "µs", at_most=1.05),
    Case("fan-out to 1,000, 64 B, mode all", "", fanout(1000, 64, "--connections", 1), DELIVERY, "µs"),
    Case("fan-out to 100, 1 KiB", "P3", fanout(100, 1024), DELIVERY, "µs", at_most=1.05),
    Case("fan-out to 1,000, 1 KiB", "P3", fanout(1000, 1024), DELIVERY, "µs", at_most=1.05, tls=True),
    Case("fan-out to 5,000, 1 KiB", "P3", fanout(5000, 1024), DELIVERY, "µs", at_most=1.05),
    Case("8 posts in flight, 1,000 subscribers, mode all", "P4", fanout(1000, 64, "--connections", 8), "deliveries_per_s",
         "deliveries/s", at_least=3, digits=0),
    Case("20 posts/s to 1,000 subscribers, p99 of post to receipt", "P5", fanout(1000, 64, "--latest", "--rate", 20), "p99_us", "µs",
         at_most=1.1, seconds=4, digits=0, tls=True),
    Case("10,000 idle WebSockets with a subscription, memory each", "P6", ["idle", "--subscribers", 10000],
         "server_bytes_per_connection", "B", bound=1536, seconds=0.5, digits=0, tls=True,
         warm=Case("warm-up", "", ["idle", "--subscribers", 100], "", "")),
    Case("connect, subscribe, vanish", "P7", ["churn"], "cycles_per_s", "cycles/s", at_least=0.9, digits=0, tls=True),
    Case("the same", "", ["churn"], "server_cpu_us_per_cycle", "µs", tls=True),
    Case("connect (with TLS: full handshake) and vanish", "", ["churn", "--connect-only"], "cycles_per_s", "/s", digits=0, tls=True),
    Case("the same", "", ["churn", "--connect-only"], "server_cpu_us_per_cycle", "µs", tls=True),
]


class Machine:
    """Where server and load run."""

    def __init__(self, folder):
        self.processors = sorted(os.sched_getaffinity(0))[:2]
        self.probe = build("pingpong", folder, ["-pthread"])

    def pinned(self, place, command):
        if len(self.processors) < 2:
            return command
        return ["taskset", "-c", str(self.processors[place]), *map(str, command)]

    def distance(self):
        """Nanoseconds that a cache line takes from one processor to the other; 0 on a machine with only one."""
        if len(self.processors) < 2:
            return 0
        return int(subprocess.run([self.probe, *map(str, self.processors)], check=True, capture_output=True, text=True,
                                  timeout=120).stdout)


def build(name, folder, flags):
    binary = folder / name
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", binary, PEERS / f"{name}.c", *flags], check=True)
    return binary


def flags(*packages):
    return subprocess.run(["pkg-config", "--cflags", "--libs", *packages], check=True, capture_output=True,
                          text=True).stdout.split()


class Contestant:
    """A server process."""

    def __init__(self, name, machine, command, authority=None):
        self.name, self.authority, self.machine = name, authority, machine
        started = time.monotonic()
        self.process = subprocess.Popen(machine.pinned(0, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        line = self.process.stdout.readline()
        self.start = time.monotonic() - started
        found = re.match(r"listening on (https?://\S+)", line)
        if not found:
            sys.exit(f"{name} did not start: {line!r}")
        self.url = found.group(1).rstrip("/").replace("127.0.0.1", "localhost") if authority else found.group(1).rstrip("/")

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096

    def load(self, case, seconds):
        command = [LOAD, "bench", *case.arguments, "--url", self.url, "--process", self.process.pid, "--json",
                   "--duration", f"{seconds}s"]
        if self.authority:
            command += ["--ca", self.authority]
        run = subprocess.run(self.machine.pinned(1, command), capture_output=True, text=True, timeout=60 + 10 * seconds)
        if run.returncode != 0:
            sys.exit(f"{self.name}, {case.name}: {run.stdout}{run.stderr}")
        return json.loads(run.stdout)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start(name, machine, folder, peer):
    """A new process: no run inherits the memory of the one before."""
    if name == "C":
        return Contestant(name, machine, [peer])
    arguments = [SLUICE, "serve", "--config", folder / "sluice.yaml", "--listen", "127.0.0.1:0"]
    if name == SECURE:
        arguments += ["--set", f"tls.cert={folder}/tls.crt", "--set", f"tls.key={folder}/tls.key"]
    return Contestant(name, machine, arguments, folder / "tls.crt" if name == SECURE else None)


def prepare(folder):
    (folder / "graphs").mkdir()
    (folder / "graphs/house.yaml").write_text(GRAPH)
    (folder / "sluice.yaml").write_text(f"graphs: {folder}/graphs\npublic: ''\ndrain: 100ms\n")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-out", folder / "tls.crt", "-keyout", folder / "tls.key", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)


def measure(case, names, rounds, machine, folder, peer, scale):
    """The figures of every round that counts, by contestant; and the distances seen."""
    found = []
    for number in range(rounds * 2):
        order = names[number % len(names):] + names[:number % len(names)]
        before, figures = machine.distance(), {}
        for name in order:
            contestant = start(name, machine, folder, peer)
            try:
                if case.warm:
                    contestant.load(case.warm, 0.2)
                figures[name] = contestant.load(case, case.seconds * scale)[case.figure]
            finally:
                contestant.stop()
        after = machine.distance()
        found.append((before >= FAR, after >= FAR, figures, (before, after)))
        steady = [begin for begin, end, _, _ in found if begin == end]
        if max(steady.count(False), steady.count(True)) >= rounds:
            break
    state = steady.count(True) > steady.count(False)
    counted = [figures for begin, end, figures, _ in found if begin == end == state]
    return counted, len(found), [distance for *_, distances in found for distance in distances]


def slope(machine, folder, peer, seconds):
    """How fast resident memory grows while clients come and vanish, bytes per second, after a warm-up."""
    contestant = start("Sluice", machine, folder, peer)
    churn = next(case for case in CASES if case.number == "P7")
    try:
        contestant.load(churn, 3)
        command = [LOAD, "bench", "churn", "--url", contestant.url, "--json", "--duration", f"{seconds}s"]
        run = subprocess.Popen(machine.pinned(1, command), stdout=subprocess.PIPE, text=True)
        times, sizes = [], []
        while run.poll() is None:
            times.append(time.monotonic())
            sizes.append(contestant.resident())
            time.sleep(0.5)
        cycles = json.loads(run.stdout.read())["cycles"]
    finally:
        contestant.stop()
    middle, mean = statistics.mean(times), statistics.mean(sizes)
    spread = sum((t - middle) ** 2 for t in times)
    return sum((t - middle) * (s - mean) for t, s in zip(times, sizes)) / spread, cycles, max(sizes) - sizes[0]


def beginning(machine, folder, peer):
    """Start to listening, in milliseconds, and resident memory of a quiet server of the `host` graph, in MiB."""
    (folder / "host").mkdir()
    (folder / "host/host.yaml").write_text((ROOT / "config/graphs/host.yaml").read_text())
    times, sizes = [], []
    for _ in range(11):
        contestant = Contestant("Sluice", machine, [SLUICE, "serve", "--config", folder / "sluice.yaml", "--listen",
                                                     "127.0.0.1:0", "--set", f"graphs={folder}/host"])
        times.append(contestant.start * 1000)
        time.sleep(0.2)
        sizes.append(contestant.resident() / (1 << 20))
        contestant.stop()
    return statistics.median(times), statistics.median(sizes)


def number(value, digits):
    return "–" if value is None else f"{value:,.{digits}f}"


def verdict(case, ours, ratio):
    """Whether the target is met, and what it is."""
    told, met = [], True
    if ratio is not None and case.at_most:
        told.append(f"≤ {case.at_most} × C")
        met &= ratio <= case.at_most
    if ratio is not None and case.at_least:
        told.append(f"≥ {case.at_least} × C")
        met &= ratio >= case.at_least
    if case.bound:
        # Either of the two forms of a target that has both.
        told.append(f"≤ {case.bound} {case.unit}")
        met = (met and ratio is not None and bool(case.at_most)) or ours <= case.bound
    return (", ".join(told), "met" if met else "MISSED") if told else ("", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one short round of each: does the harness work?")
    parser.add_argument("--only", help="only cases whose name or number contains it")
    parser.add_argument("--write", type=pathlib.Path, help="also writes the report here, under the date")
    options = parser.parse_args()
    rounds, scale = (1, 0.5) if options.quick else (options.rounds, 1)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    lines = [f"# The server beside C, {datetime.date.today()}", ""]
    with tempfile.TemporaryDirectory(prefix="sluice-bench-") as name:
        folder = pathlib.Path(name)
        prepare(folder)
        machine = Machine(folder)
        peer = build("minimal", folder, flags("libllhttp", "libuv", "libcrypto"))
        model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        lines += [
            f"{os.cpu_count()} processors ({model.group(1) if model else platform.machine()}), Linux {platform.release()}, "
            f"{subprocess.run(['swift', '--version'], capture_output=True, text=True).stdout.splitlines()[0]}; load of the "
            f"machine at the beginning: {os.getloadavg()[0]:.1f}.",
            f"Server on processor {machine.processors[0]}, load on {machine.processors[-1]}; medians of at least {rounds} rounds "
            "in which the processors stayed as near to each other; ratios are taken within a round.", "",
            "| target | case | Sluice | C | Sluice : C | wanted | | Sluice with TLS | rounds counted | cache line, ns |",
            "|---|---|---|---|---|---|---|---|---|---|"]
        print("\n".join(lines), flush=True)
        for case in CASES:
            if options.only and options.only not in (case.number, case.name) and options.only not in case.name:
                continue
            names = ["Sluice", "C"] + ([SECURE] if case.tls else [])
            counted, all_rounds, distances = measure(case, names, rounds, machine, folder, peer, scale)
            middle = {name: statistics.median(figures[name] for figures in counted) for name in names}
            ratio = statistics.median(figures["Sluice"] / figures["C"] for figures in counted if figures["C"]) \
                if middle["C"] else None
            wanted, met = verdict(case, middle["Sluice"], ratio)
            line = (f"| {case.number} | {case.name} | {number(middle['Sluice'], case.digits)} {case.unit} | "
                    f"{number(middle['C'], case.digits)} | {number(ratio, 2)} | {wanted} | {met} | "
                    f"{number(middle.get(SECURE), case.digits)} | {len(counted)} of {all_rounds} | "
                    f"{min(distances)}–{max(distances)} |")
            lines.append(line)
            print(line, flush=True)
        if not options.only:
            rest = [""]
            grown, cycles, most = slope(machine, folder, peer, 5 if options.quick else 60)
            rest.append(f"P7, memory while {cycles:,} clients come and vanish: {grown:,.0f} bytes a second, at most "
                        f"{most / 1024:,.0f} KiB above the beginning (target: 0).")
            begun, size = beginning(machine, folder, peer)
            rest.append(f"P12, the `host` graph: {begun:.1f} ms from start to listening (target ≤ 20), {size:.1f} MiB resident "
                        "(target ≤ 15).")
            rest.append(f"Load of the machine at the end: {os.getloadavg()[0]:.1f}.")
            lines += rest
            print("\n".join(rest), flush=True)
    if options.write:
        options.write.mkdir(exist_ok=True)
        (options.write / f"{datetime.date.today()}-server.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
