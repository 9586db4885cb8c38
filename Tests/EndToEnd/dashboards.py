"""A graph for dashboards, and where they are found on the page."""

import base64
import json
import re

GRAPH = """
graph: g
title: A test graph
nodes:
  x: { set: number, initial: 1, min: 0, max: 100, unit: V, title: Voltage, history: 600 }
  y: { set: number, initial: 2 }
  mode: { set: { enum: [eco, auto] }, initial: eco }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  alarm: { from: x, pipe: [ { map: "value > 50" } ] }
"""


def address(layout, graph="g", edit=True):
    """Where a dashboard is edited, or looked at; the layout is in the address."""
    text = base64.urlsafe_b64encode(json.dumps(layout).encode()).decode().rstrip("=")
    return f"/#/g/{graph}/dash?w=1.{text}{'&edit=1' if edit else ''}"


def layout(*widgets, **more):
    return {
        "v": 1, "widgets": [{"x": 0, "y": 2 * i, "w": 4, "h": 2, **each} for i, each in enumerate(widgets)],
        **more,
    }


def widget(page, title):
    return page.get_by_role("article", name=re.compile(f"^{re.escape(title)},"))


def listeners(server, graph="g"):
    return server.get(f"/v1/graphs/{graph}").json()["listeners"]
