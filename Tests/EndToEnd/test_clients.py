"""One table of scenarios, played by every client at every place (clients/README.md)."""

import contextlib

import nginx
import pytest

pytest.register_assert_rewrite("clients.listening", "clients.reconnecting", "clients.requests")
# Each adds its scenarios to the table.
import clients.listening  # noqa: E402
import clients.reconnecting  # noqa: E402
import clients.requests  # noqa: E402, F401
from clients.driver import DRIVERS, Driver  # noqa: E402
from clients.places import PLACES  # noqa: E402
from clients.table import GRAPH, SCENARIOS  # noqa: E402
from upstream import Upstream  # noqa: E402


@pytest.fixture(scope="module")
def upstream_of_sources():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture(scope="module")
def place(request, upstream_of_sources):
    graph = GRAPH.replace("UPSTREAM", upstream_of_sources.url)
    names = [f"{name}-{language}" for name in SCENARIOS for language in DRIVERS]
    graphs = {name: f"graph: {name}\n{graph}" for name in names}
    config = f'sourceHosts: ["127.0.0.1:{upstream_of_sources.port}"]\n'
    with PLACES[request.param](graphs, config) as place:
        yield place


@pytest.fixture(scope="module")
def drivers():
    """The driver of a language: one process for all of its scenarios."""
    running = {}

    def driver(language):
        if language not in running or running[language].has_ended:
            running[language] = Driver(language)
        return running[language]

    yield driver
    for each in running.values():
        each.close()


# The other places differ in what happens to connections: `make check` is content with one server.
places = [
    "one",
    pytest.param("two", marks=pytest.mark.long),
    pytest.param("nginx", marks=[pytest.mark.long, nginx.needed]),
]


@pytest.mark.parametrize("place", places, indirect=True)
@pytest.mark.parametrize("language", DRIVERS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(place, language, name, drivers):
    driver = drivers(language)
    place.heal()
    driver.connect(place.url, token=place.tokens["program"])
    try:
        SCENARIOS[name](place, driver, f"{name}-{language}")
    finally:
        place.join()
        # Of a driver that has ended the reason is in the failure.
        with contextlib.suppress(AssertionError):
            driver.close_client()
