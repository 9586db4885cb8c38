"""Where server and load run, and how near to each other their processors are."""

import os
import pathlib
import platform
import re
import resource
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "Benchmarks/Peers"
FAR = 250  # nanoseconds: processors further from each other are in another state


class Machine:
    """Two processors: the server's and the load's."""

    def __init__(self, folder):
        self.processors = sorted(os.sched_getaffinity(0))[:2]
        self.probe = compiled("pingpong", folder, ["-pthread"])
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    def pinned(self, place, command):
        if len(self.processors) < 2:
            return list(map(str, command))
        return ["taskset", "-c", str(self.processors[place]), *map(str, command)]

    def distance(self):
        """Nanoseconds that a cache line takes from one processor to the other; 0 on a machine with
        only one."""
        if len(self.processors) < 2:
            return 0
        return int(
            subprocess.run(
                [self.probe, *map(str, self.processors)], check=True, capture_output=True, text=True,
                timeout=120,
            ).stdout
        )

    def description(self):
        model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        return (
            f"{os.cpu_count()} processors ({model.group(1) if model else platform.machine()}), Linux "
            f"{platform.release()}, "
            f"{swift}; load of the machine at the beginning: {os.getloadavg()[0]:.1f}."
        )


def compiled(name, folder, flags):
    """The program of that name in Benchmarks/Peers."""
    binary = folder / name
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", binary, PEERS / f"{name}.c", *flags], check=True)
    return binary


def package_flags(*packages):
    return subprocess.run(["pkg-config", "--cflags", "--libs", *packages], check=True, capture_output=True,
                          text=True).stdout.split()
