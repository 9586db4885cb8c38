"""The Python client as its users have it: from a wheel, typed, and with a real server."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import venv

import pytest
from sluice import ROOT, Server, eventually

PACKAGE = ROOT / "clients/python"
HOUSE = """
graph: house
nodes:
  indoor_c: { set: number, initial: 20, history: 100 }
  setpoint_c: { set: number }
  mode: { set: string }
  note: { set: string }
  count: { set: number, initial: 0 }
  here.{id}: { set: string }
  double: { from: indoor_c, pipe: [ { map: "value * 2" } ] }
  sensor.{id}.celsius: { set: number }
  sensor.{id}.hot: { from: "sensor.{id}.celsius", pipe: [ { map: "value > 30" } ] }
"""


@pytest.fixture(scope="module")
def house():
    with Server({"house": HOUSE}) as server:
        yield server


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PYTHONUNBUFFERED": "1"}


def run(program, *arguments, **options):
    return subprocess.run(
        [sys.executable, *program, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=300,
        **options,
    )


def start(program, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, *program, *arguments], text=True, stdout=subprocess.PIPE, env=ENVIRONMENT, **options
    )


def test_its_own_tests_pass():
    ran = run(["-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", "tests"], cwd=PACKAGE)
    assert ran.returncode == 0 and " passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("checker", [
    ["mypy", "--strict", "src", "examples"], ["basedpyright", "--pythonpath", sys.executable],
])
def test_type_checkers_find_nothing(checker):
    ran = run(["-m", *checker], cwd=PACKAGE)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_no_file_is_long():
    for file in PACKAGE.rglob("*.py"):
        assert len(file.read_text().splitlines()) <= 400, file


@pytest.mark.parametrize("number", [0, 1])
def test_the_first_programs_of_the_readme_run(house, number):
    program = re.findall("```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.S)[number]
    assert len(program.strip().splitlines()) <= 10
    # It runs until it is interrupted.
    program = program.replace("http://127.0.0.1:8080", house.url)
    reader = start(["-c", program])
    assert reader.stdout.readline() == "21.5\n" or number == 1
    house.set("house", "indoor_c", 22)
    assert any(line == "22.0\n" for line in iter(reader.stdout.readline, ""))
    reader.send_signal(signal.SIGINT)
    assert reader.wait(60) != 0


def test_what_the_readme_sets_and_reads(house):
    readme = (PACKAGE / "README.md").read_text()
    program = re.search("<!-- a test runs this -->\n```python\n(.*?)```", readme, re.S)[1]
    ran = run(["-c", f"""
import asyncio, sys
from sluice_client import connect

async def main():
    async with connect(sys.argv[1]) as client:
{textwrap.indent(program, " " * 8)}
        print(celsius, several["m"]["mode"], [graph["graph"] for graph in graphs])

asyncio.run(main())
"""], house.url)
    assert ran.stdout == "21.0 {'v': 'off'} ['house']\n", ran.stdout + ran.stderr


CANCELLED = """
import asyncio, sys
from sluice_client import connect

async def listen(client, number):
    async for value in client.node("house/indoor_c", float, pipe=[{"map": f"value + {number % 50}"}]):
        pass

async def wait(client, number):
    async with client.owner(f"owner-{number % 7}") as owner:
        async for value in owner.values(f"house/sensor.{number % 50}.hot"):
            pass

async def main():
    async with connect(sys.argv[1]) as client:
        for batch in range(20):
            tasks = [
                asyncio.create_task((listen if number % 2 else wait)(client, number)) for number in range(500)
            ]
            # Some are cancelled before they have begun, some while they wait, some in between.
            await asyncio.sleep(0 if batch % 3 else 0.05)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        print("cancelled")
        await asyncio.get_running_loop().run_in_executor(None, input)
        print(len(client.connection.subscriptions.all))

asyncio.run(main())
"""


def test_ten_thousand_cancelled_tasks_leave_nothing(house):
    idle = house.counts("house")
    process = start(["-c", CANCELLED], house.url, stdin=subprocess.PIPE)
    assert process.stdout.readline() == "cancelled\n"
    # The client is still connected: nothing but its tasks has ended.
    eventually(lambda: house.counts("house") == idle, "what there was before")
    out, _ = process.communicate("\n", timeout=60)
    assert out == "0\n" and process.returncode == 0


@pytest.mark.long
def test_the_wheel_installs_and_runs(house, tmp_path):
    built = run(["-m", "build", "--no-isolation", "--outdir", tmp_path, PACKAGE])
    assert built.returncode == 0, built.stdout + built.stderr
    wheel, = tmp_path.glob("*.whl")
    assert (wheel.name, len(list(tmp_path.glob("*.tar.gz")))) == ("sluice_client-0.1.0-py3-none-any.whl", 1)
    # What it depends on is there already; nothing is fetched.
    venv.create(tmp_path / "venv", system_site_packages=False, with_pip=False)
    target = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    installed = run(["-m", "pip", "install", "--no-deps", "--no-index", "--target", target, wheel])
    assert installed.returncode == 0, installed.stderr
    program = """
import site, sys
site.addsitedir(sys.argv[2])
import sluice_client, sluice_client.sync
assert "venv" in sluice_client.__file__, sluice_client.__file__
with sluice_client.sync.connect(sys.argv[1]) as client:
    client.set("house/indoor_c", 5)
    print(client.get("house/double", int))
"""
    libraries = next(path for path in sys.path if path.endswith("site-packages"))
    ran = subprocess.run(
        [tmp_path / "venv/bin/python", "-c", program, house.url, libraries], capture_output=True, text=True
    )
    assert ran.stdout == "10\n", ran.stderr


def test_the_sensor_measures_while_it_is_wanted(house):
    sensor = start([PACKAGE / "examples/sensor.py"], house.url, "house/sensor.7.celsius")
    program = """
import sys
from sluice_client.sync import connect
with connect(sys.argv[1]) as client:
    with client.node("house/sensor.7.hot", bool).values() as values:
        print(next(values))
"""
    ran = run(["-c", program], house.url)
    assert ran.stdout == "False\n", ran.stderr
    sensor.send_signal(signal.SIGINT)
    assert sensor.wait(60) == 0


def test_the_report_prints_values_and_a_history(house):
    house.set("house", "indoor_c", 19.25)
    ran = run([PACKAGE / "examples/report.py"], house.url, "house", "indoor_c")
    assert ran.returncode == 0, ran.stderr
    for line in (r"^indoor_c +19.25$", r"^\d\d:\d\d "):
        assert re.search(line, ran.stdout, re.M), ran.stdout


def test_the_watcher_goes_on_after_a_restart():
    with Server({"house": HOUSE}, keeps=True) as server:
        program = [PACKAGE / "examples/watcher.py"]
        watcher = start(program, server.url, "house/indoor_c", stderr=subprocess.PIPE)
        lines = (line.rpartition(" ")[2] for line in iter(watcher.stdout.readline, ""))
        assert next(lines) == "20.0\n"
        server.stop()
        server.start()
        server.set("house", "indoor_c", 23)
        assert next(lines) == "23.0\n"
        watcher.send_signal(signal.SIGINT)
        _, notes = watcher.communicate(timeout=60)
        assert watcher.returncode == 0
        states = re.findall("# ([a-z]+)", notes)
        assert states[:3] == ["connecting", "live", "reconnecting"], notes
        assert states[-2:] == ["live", "closed"], notes


SERVICE = """
import sys
from sluice_client import SluiceError
from sluice_client.sync import Service

def refusal(act, *given, **options):
    try:
        act(*given, **options)
    except SluiceError as error:
        return error
    raise AssertionError("it was accepted")

with Service(sys.argv[1]) as service:
    definition = {"nodes": {"x": {"set": "number", "history": 10}, "y": {"set": "number"}, "z": {"from": "x"}}}
    assert service.define("made", definition, dry_run=True)["diff"]["added"]
    service.define("made", definition)
    assert set(service.definition("made")["nodes"]) == {"x", "y", "z"}
    assert "made" in [graph["graph"] for graph in service.graphs()]
    problems = refusal(service.define, "made", "nodes: { x: { from: nothing } }").details["problems"]
    assert problems[0]["line"] == 1, problems
    assert service.get("made/x") is None
    first = service.set("made/x", 1, key="k", ctx={"src": "test"})
    # A repeat under its key changes nothing.
    assert service.set("made/x", 1, key="k", ctx={"src": "test"})["rev"] == first["rev"]
    assert service.get("made/z", float, after=first) == 1.0
    answer = service.batch("made", {"y": 5}, update={"x": "value + 1"}, with_={"a": "x"}, if_="a == 1")
    assert answer["values"] == {"x": 2}
    error = refusal(service.batch, "made", {"y": 6}, if_={"x": {"v": 1}})
    assert error.code == "conflict" and error.details["failed"][0]["node"] == "x"
    assert list(service.values("made")) == [("x", 2), ("y", 5), ("z", 2)]
    assert [entry["v"] for entry in service.history("made/x", since=0, limit=1)][-2:] == [1, 2]
    service.clear("made/y")
    assert service.get("made/y") is None
    service.remove("made")
    print(refusal(service.get, "made/x").code)
"""


def test_the_service_sets_reads_and_defines(house):
    ran = run(["-c", SERVICE], house.url)
    assert ran.stdout == "unknown_graph\n", ran.stdout + ran.stderr
