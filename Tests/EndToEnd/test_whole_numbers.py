"""X-2: whole numbers above 2^53, such as identifiers of 64 bits, keep every digit on their way."""

from sluice import Server

ID = 1234567890123456789

GRAPH = """
nodes:
  order:   { set: object }
  count:   { set: number, history: 5 }
  id:      { from: order, pipe: [ { map: value.id } ] }
  chosen:  { from: order, pipe: [ { map: "value.id > 5 ? [value.id, {'a': value.id}] : []" } ] }
  next:    { from: id, pipe: [ { map: value + 1 } ] }
  square:  { from: id, pipe: [ { map: value * value } ] }
  third:   { from: count, pipe: [ { map: value / 3 } ] }
  last:    { from: count, pipe: [ { window: { count: 3, of: max } } ], retain: always }
  step:    { from: count, pipe: [ delta ], retain: always }
  fresh:   { from: id, pipe: [ distinct ], history: 5, retain: always }
  total:   { all: "c.*", reduce: sum }
  c.{id}:  { set: integer }
"""


def text(server, node):
    answer = server.get(f"/v1/graphs/g/nodes/{node}")
    return answer.body.decode()


def test_a_whole_number_keeps_its_digits_wherever_it_goes(tmp_path):
    with Server({"g": GRAPH}, config=f"dataDir: {tmp_path}/data") as server:
        server.set("g", "order", {"id": ID - 1})
        server.set("g", "order", {"id": ID})
        for value in (1, ID - 1, ID):
            server.set("g", "count", value)
        server.set("g", "c.a", ID)
        server.set("g", "c.b", 1)
        for _ in range(2):
            assert text(server, "id") == str(ID)
            assert text(server, "chosen") == f'[{ID},{{"a":{ID}}}]'
            assert text(server, "next") == str(ID + 1)
            assert "expr_overflow" in text(server, "square")
            assert text(server, "last") == str(ID) and text(server, "step") == "1"
            assert text(server, "total") == str(ID + 1)
            # Neighbours differ, although they are one double.
            assert [entry["v"] for entry in server.get("/v1/graphs/g/nodes/fresh/history").json()["d"]] == [
                ID - 1, ID,
            ]
            server.stop()
            server.start()
        patched = server.request("PATCH", "/v1/graphs/g/nodes/order", '{"n":1}',
                                 {"Content-Type": "application/merge-patch+json"})
        assert patched.status == 200 and text(server, "id") == str(ID)
        server.set("g", "count", 10)
        assert text(server, "third").startswith("3.33")
