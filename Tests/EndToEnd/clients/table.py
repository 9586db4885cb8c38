"""The table of scenarios: what every client does, wherever its server stands."""

# Each scenario has a graph of its own with these nodes. `UPSTREAM` is where sources ask.
GRAPH = """upstreams: { met: { url: "UPSTREAM" } }
nodes:
  x: { set: any, initial: 0 }
  y: { set: any }
  count: { set: integer, initial: 0 }
  small: { set: integer, min: 0, max: 10, initial: 3 }
  log: { set: any, history: 5000 }
  short: { set: any, history: 3 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  inverse: { from: count, pipe: [ { map: "10 / value" } ] }
  low: { from: small, pipe: [ { map: "value < 2" } ], severity: alarm }
  celsius: { set: number }
  fahrenheit: { set: number }
  seat.1: { set: string }
  seat.2: { set: string }
  sensor.{id}.celsius: { set: number }
  fed: { source: { get: "met:/now", every: 1h, pick: value.value } }
"""

SCENARIOS = {}


def scenario(play):
    """Adds a function of the place, the client, and the name of the graph to the table."""
    assert play.__name__ not in SCENARIOS
    SCENARIOS[play.__name__] = play
    return play


def refusal(ask, **fields):
    """The error that a request ends with."""
    from clients.driver import Refused

    try:
        answer = ask(**fields)
    except Refused as error:
        return error
    raise AssertionError(f"it was accepted: {answer}")
