"""The pure modules of the graph view (layout, model, owners, what is drawn), in the browser that runs them."""

import pytest
from sluice import ROOT, Server
from test_page import browser, open_page  # noqa: F401

pytestmark = pytest.mark.browser


def test_the_pure_modules_of_the_graph_view(open_page):  # noqa: F811
    with Server() as server:
        page = open_page(server)
        answer = page.evaluate((ROOT / "Tests/Web/graph.js").read_text())
        assert answer["failures"] == []
        assert set(answer["measured"]) == {"30", "100", "300"}
