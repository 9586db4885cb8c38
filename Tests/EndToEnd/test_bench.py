"""`sluice-dev bench`: what it counts is what happened on the server; and the harness that runs it
beside a server in C."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree

import pytest
from sluice import BINARY, DEVELOPER, PATIENCE, ROOT, Server, eventually
from test_tls import Secure

sys.path.insert(0, str(ROOT / "scripts"))
from bench.plot import duration, fit, svg  # noqa: E402

pytestmark = pytest.mark.long

GRAPH = 'graph: g\nnodes:\n  any: { set: any, initial: "" }\n'


@pytest.fixture(params=["http", "https"])
def server(request, tmp_path):
    if request.param == "https":
        with Secure(tmp_path, graphs={"g": GRAPH}) as running:
            yield running
    else:
        with Server({"g": GRAPH}) as running:
            yield running


def bench(server, *arguments):
    command = [
        DEVELOPER, "bench", *arguments, "--url", server.url, "--node", "g/any", "--json", "--duration",
        "500ms", "--process", str(server.process.pid),
    ]
    if server.trust:
        command += ["--ca", server.certificate]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run
    return json.loads(run.stdout)


def rev(server):
    return server.get("/v1/graphs/g/values").json()["rev"]


@pytest.mark.parametrize("depth", [1, 16])
def test_posts_are_revs(server, depth):
    before = rev(server)
    report = bench(server, "post", "--connections", "5", "--pipeline", str(depth), "--size", "64")
    # What was in flight at the end may have been applied and not counted.
    assert 0 <= rev(server) - before - report["posts"] <= 5 * depth
    assert report["posts"] > 0 and report["failures"] == 0
    assert 0 < report["server_cpu_s"] < 5
    assert report["p50_us"] <= report["p99_us"] <= report["max_us"]


def test_deliveries_are_posts_times_subscribers(server):
    report = bench(server, "fanout", "--subscribers", "20", "--size", "1024")
    assert report["failures"] == 0
    assert abs(report["deliveries"] - 20 * report["posts"]) <= 20
    eventually(lambda: server.count("subscriptions", "g") == 0)


def test_a_given_pace_is_kept(server):
    report = bench(server, "fanout", "--subscribers", "20", "--rate", "20")
    assert 8 <= report["posts"] <= 12
    assert report["deliveries"] == 20 * report["posts"]


def test_pipelines_that_pass_nothing_on_are_work_without_deliveries(server):
    report = bench(server, "fanout", "--subscribers", "20", "--pipelines")
    assert report["posts"] > 0 and (report["deliveries"], report["failures"]) == (0, 0)


@pytest.mark.weighed
def test_clients_that_vanish_leave_nothing(server):
    report = bench(server, "churn", "--clients", "10")
    assert report["cycles"] > 0 and report["failures"] == 0
    eventually(lambda: server.count("subscriptions", "g") == 0)
    before = server.metrics()["sluice_connections_total"]
    report = bench(server, "churn", "--clients", "10", "--connect-only")
    accepted = server.metrics()["sluice_connections_total"] - before
    assert report["cycles"] > 0 and accepted >= report["cycles"]


@pytest.mark.weighed
def test_quiet_subscribers_are_only_held(server):
    report = bench(server, "idle", "--subscribers", "200")
    assert (report["subscribers"], report["failures"]) == (200, 0)
    assert report["server_resident_connected"] >= report["server_resident_before"]
    eventually(lambda: server.count("subscriptions", "g") == 0)


def test_reload_measures_a_change_and_many_files():
    def run(*arguments):
        ran = subprocess.run(
            [DEVELOPER, "bench", "reload", *arguments], capture_output=True, text=True, timeout=PATIENCE
        )
        assert ran.returncode == 0, ran
        return ran.stdout

    one = json.loads(run("--nodes", "20", "--listeners", "40", "--json"))
    assert one["concerned"] == 2 and one["messages"] == 2 and 0 < one["apply_ms"] <= one["longest_ms"]
    many = json.loads(run("--files", "3", "--nodes", "20", "--listeners", "20", "--json"))
    assert many["changes"] == 3 and 0 < many["stop_ms"] <= many["whole_ms"]
    assert "3 graphs changed" in run("--files", "3", "--nodes", "20", "--listeners", "20")


@pytest.mark.parametrize("arguments, status, says", [
    (["--node", "g/nothing"], 1, "refuses to set g/nothing"),
    (["--node", "g/any", "--process", "999999999"], 64, "its figures cannot be read"),
])
def test_what_cannot_be_measured_is_said(arguments, status, says):
    with Server({"g": GRAPH}) as server:
        run = subprocess.run(
            [DEVELOPER, "bench", "post", "--url", server.url, "--duration", "500ms", *arguments],
            capture_output=True, text=True, timeout=PATIENCE,
        )
        assert run.returncode == status and says in run.stderr, run


def harness(script, *arguments):
    """A short run of a harness, with the binaries under test."""
    run = subprocess.run([sys.executable, ROOT / "scripts" / script, "--quick", *arguments],
                         env={**os.environ, "SLUICE_BINARY": str(BINARY)}, capture_output=True, text=True)
    assert run.returncode == 0, run
    return run.stdout


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_the_harness_measures_this_server_beside_one_in_c():
    assert "| P1 | POST 64 B" in harness("bench_server.py", "--only", "P1")


@pytest.mark.weighed
def test_the_server_stands_beside_the_peers_that_are_installed():
    report = harness("bench_server.py", "--peers", "--only", "fan-out to 1, ")
    header, _, row = [line.strip("| ").split(" | ") for line in report.splitlines() if line.startswith("|")]
    figures = dict(zip(header, row))
    assert header[:3] == ["case", "Sluice", "C"] and row[0] == "fan-out to 1, 64 B"
    assert "–" not in [figures[name] for name in header[1:-1]], report
    for peer in ("nginx + nchan", "Node + ws", "Hummingbird", "FlyingFox"):
        assert f"- {peer}{':' if peer in figures else ' is missing:'}" in report


@pytest.mark.weighed
def test_growing_work_becomes_a_page_with_plots(tmp_path):
    harness("bench_scaling.py", "--only", "messages", "--write", tmp_path)
    page, plot = (next(tmp_path.glob(pattern)) for pattern in ("*-scaling.md", "*-scaling-messages.svg"))
    assert f"]({plot.name})" in page.read_text() and "| 1 KiB |" in page.read_text()
    assert len(circles(plot.read_text())) == 4


def circles(drawing):
    return xml.etree.ElementTree.fromstring(drawing).findall("{http://www.w3.org/2000/svg}circle")


def test_the_exponent_is_that_of_a_power_law():
    exponent, factor = fit([(size, 3 * size ** 1.5) for size in (1, 10, 100)])
    assert (exponent, factor) == (pytest.approx(1.5), pytest.approx(3))
    assert fit([(1, 7), (1000, 7)]) == (pytest.approx(0), pytest.approx(7))


def test_a_plot_shows_its_points_with_their_units():
    drawing = svg("Much & more", "a line", "subscribers", "processor time per POST",
                  [(1, 10, 9, 11), (10, 100, 90, 110), (100, 1000, 900, 1100)])
    points = circles(drawing)
    steps = [float(after.get("cx")) - float(before.get("cx")) for before, after in zip(points, points[1:])]
    assert steps[0] == pytest.approx(steps[1], abs=0.2)
    for words in (
        "exponent 1.00", "10.0 µs", "1.00 ms", ">100<", "Much &amp; more", "prefers-color-scheme: dark",
    ):
        assert words in drawing


@pytest.mark.parametrize(
    "microseconds, words",
    [
        (0.5, "500 ns"),
        (1, "1.00 µs"),
        (38.04, "38.0 µs"),
        (999, "999 µs"),
        (53_000, "53.0 ms"),
        (2e6, "2.00 s"),
    ],
)
def test_durations_have_the_unit_that_fits(microseconds, words):
    assert duration(microseconds) == words
