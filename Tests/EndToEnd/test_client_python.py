"""The Python client as its users have it: from a wheel, typed, and with a real server."""

import os
import re
import subprocess
import sys
import venv

import pytest
from sluice import ROOT, Server, eventually

PACKAGE = ROOT / "clients/python"
HOUSE = """
graph: house
nodes:
  indoor_c: { set: number, initial: 20, history: 100 }
  double: { from: indoor_c, pipe: [ { map: "value * 2" } ] }
  sensor.{id}.celsius: { set: number }
  sensor.{id}.hot: { from: "sensor.{id}.celsius", pipe: [ { map: "value > 30" } ] }
"""


@pytest.fixture(scope="module")
def house():
    with Server({"house": HOUSE}) as server:
        yield server


def run(program, *arguments, python=sys.executable, **options):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PYTHONUNBUFFERED": "1"}
    return subprocess.run(
        [python, *program, *arguments], capture_output=True, text=True, env=environment, timeout=300,
        **options,
    )


def test_its_own_tests_pass():
    ran = run(["-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", "tests"], cwd=PACKAGE)
    assert ran.returncode == 0 and " passed" in ran.stdout, ran.stdout + ran.stderr


def test_a_type_checker_finds_nothing():
    ran = run(["-m", "mypy", "--strict", "src", "examples"], cwd=PACKAGE)
    assert ran.returncode == 0, ran.stdout


def test_no_file_is_long():
    for file in PACKAGE.rglob("*.py"):
        assert len(file.read_text().splitlines()) <= 400, file


@pytest.mark.parametrize("number", [0, 1])
def test_the_first_programs_of_the_readme_run(house, number):
    program = re.findall("```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.S)[number]
    assert len(program.strip().splitlines()) <= 10
    # It runs until it is interrupted.
    program = program.replace("http://127.0.0.1:8080", house.url)
    reader = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PYTHONUNBUFFERED": "1"},
    )
    assert reader.stdout.readline() == "21.5\n" or number == 1
    house.set("house", "indoor_c", 22)
    assert any(line == "22.0\n" for line in iter(reader.stdout.readline, ""))
    reader.send_signal(2)
    assert reader.wait(60) != 0


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
    process = subprocess.Popen(
        [sys.executable, "-c", CANCELLED, house.url], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PYTHONUNBUFFERED": "1"},
    )
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


def test_the_examples_run(house):
    sensor = subprocess.Popen(
        [sys.executable, PACKAGE / "examples/sensor.py", house.url, "house/sensor.7.celsius"],
        env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")},
    )
    program = """
import sys
from sluice_client.sync import connect
with connect(sys.argv[1]) as client:
    with client.node("house/sensor.7.hot", bool).values() as values:
        print(next(values))
"""
    ran = run(["-c", program], house.url)
    assert ran.stdout == "False\n", ran.stderr
    sensor.terminate()
    sensor.wait(60)
    ran = run([PACKAGE / "examples/report.py"], house.url, "house", "indoor_c")
    assert ran.returncode == 0 and "indoor_c" in ran.stdout, ran.stderr
