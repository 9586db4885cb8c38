import json
import os
import pathlib
import sys

import pytest
from websockets.sync.client import connect

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from access import Guarded  # noqa: E402
from sluice import PATIENCE, Server  # noqa: E402
from upstream import Upstream  # noqa: E402

CHAIN = """
graph: g
title: A test graph
nodes:
  x: { set: number, initial: 1 }
  y: { set: number }
  any: { set: any }
  small: { set: integer, min: 0, max: 10, initial: 3 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  deep:
    from: double
    pipe: [ { map: "value + 1" }, { map: "value * 10" } ]
  sum: { combine: { a: x, b: double }, map: "a + b" }
  kept: { from: x, pipe: [ { map: "value + 100" } ], retain: always }
  changes: { from: x, pipe: [ distinct ] }
"""


def pytest_xdist_auto_num_workers():
    """Two workers a core: most tests wait for a server, a browser or a timer most of the time."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if not os.environ.get("SLUICE_NIGHTLY"):
        items[:] = [item for item in items if "nightly" not in item.keywords]
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    if workers > 1:
        items[:] = longest_first(items, workers)


def longest_first(items, workers):
    """Deals the tests with the mark `first` to all workers, at the beginning of their shares.

    `worksteal` cuts the list into one share for each worker, and an idle worker takes from the end
    of another share. A long test that started last would keep one worker busy while all others
    have nothing to do. Tests of one file stay together, because they may share a server.
    """
    files, others = {}, []
    for item in items:
        if "first" in item.keywords:
            files.setdefault(item.path, []).append(item)
        else:
            others.append(item)
    early = [[] for _ in range(workers)]
    for number, tests in enumerate(files.values()):
        early[number % workers] += tests
    dealt, left = [], len(items)
    for share, tests in enumerate(early):
        size = left // (workers - share)
        count = max(0, size - len(tests))
        dealt += tests + others[:count]
        others = others[count:]
        left -= size
    return dealt + others


@pytest.fixture
def server():
    with Server({"g": CHAIN}) as running:
        yield running


@pytest.fixture
def guarded(tmp_path):
    with Guarded(tmp_path) as running:
        yield running


class Client:
    """The customary Python client, speaking the subprotocol."""

    def __init__(self, server, path="/v1/ws", protocol="sluice.v1.json", **options):
        self.context = connect(
            f"ws://{server.host}:{server.port}{path}", subprotocols=[protocol] if protocol else None,
            **options,
        )
        self.socket = self.context.__enter__()
        self.ids = 0

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def receive(self, seconds=PATIENCE):
        return json.loads(self.socket.recv(seconds))

    def ask(self, **message):
        self.ids += 1
        self.send(id=self.ids, **message)
        return self.receive()

    def quiet(self, seconds):
        """Requires that nothing comes for so long."""
        with pytest.raises(TimeoutError):
            raise AssertionError(self.receive(seconds))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@pytest.fixture
def client(server):
    with Client(server) as connected:
        yield connected


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests that need one; each page gets a fresh context."""
    from browser import launch

    playwright, running = launch()
    yield running
    running.close()
    playwright.stop()


@pytest.fixture
def open_page(browser):
    """Opens a page: `open_page(server, "/#/clients", color_scheme="dark")`; see browser.py for what
    it must not do."""
    from browser import Pages

    pages = Pages(browser)
    yield pages
    pages.close()


@pytest.fixture
def upstream():
    """An HTTP service for source nodes."""
    running = Upstream()
    yield running
    running.close()
