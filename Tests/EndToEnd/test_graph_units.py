"""The pure modules of the graph view (layout, model, owners, what is drawn), in the browser that
runs them."""

import pytest
from sluice import ROOT, Server

pytestmark = pytest.mark.browser


def test_the_pure_modules_of_the_graph_view(open_page):
    with Server() as server:
        page = open_page(server)
        answer = page.evaluate((ROOT / "Tests/Web/graph.js").read_text())
        page.close()
        assert answer["failures"] == []
        assert set(answer["measured"]) == {"30", "100", "300"}
