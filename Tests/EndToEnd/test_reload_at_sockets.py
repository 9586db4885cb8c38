"""A reload as sockets see it: a graph with many listeners in which one node says something else."""

import contextlib
import os
import pathlib

from conftest import Client
from sluice import Server
from test_redefinition import reload

# Nodes, sockets, and subscriptions of each.
NODES, SOCKETS, SUBSCRIPTIONS = (1000, 100, 100) if os.environ.get("SLUICE_NIGHTLY") else (100, 20, 20)


def graph(sum=1):
    """Every tenth node is set, the others are made from the one before them that is; behind `n1`
    stands one more."""
    lines = ["graph: big", "nodes:"]
    for number in range(NODES):
        if number % 10 == 0:
            lines.append(f"  n{number}: {{ set: number, initial: {number} }}")
        else:
            plus = sum if number == 1 else number
            lines.append(
                f'  n{number}: {{ from: n{number - number % 10}, pipe: [ {{ map: "value * 2 + {plus}" }} ] }}'
            )
    return "\n".join(lines + ['  behind: { from: n1, pipe: [ { map: "value - 1" } ] }', ""])


def test_untouched_subscriptions_get_no_frame_and_the_rev_is_one_more():
    with Server({"big": graph()}) as server, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Client(server)) for _ in range(SOCKETS)]
        names = [f"n{number}" for number in range(NODES)] + ["behind"]
        heard = []
        for place, client in enumerate(clients):
            mine = {}
            for id in range(1, SUBSCRIPTIONS + 1):
                name = names[(place * SUBSCRIPTIONS + id) % len(names)]
                client.send(op="sub", id=id, graph="big", node=name)
                mine[id] = name
            # A pipeline, and all nodes that a glob means, on every tenth socket.
            if place % 10 == 0:
                client.send(op="sub", id=5000, graph="big", node="n2", pipe=[{"map": "value + 0.5"}])
                client.send(op="sub", id=5001, graph="big", nodes=["n1*"])
                mine |= {5000: "n2", 5001: "n1*"}
            snaps = [client.receive(30) for _ in mine]
            assert {snap["op"] for snap in snaps} == {"snap"} and {snap["rev"] for snap in snaps} == {1}
            heard.append(mine)
        assert any({"n1", "behind"} & set(mine.values()) for mine in heard)

        def frames(client):
            """What has come before the answer to a ping."""
            client.send(op="ping", id=9999)
            came = []
            while (message := client.receive(30)).get("id") != 9999:
                came.append(message)
            return came

        listeners = server.count("listeners", "big")
        file = pathlib.Path(server.config.parent / "graphs/big.yaml")
        for round, text in enumerate([graph(sum=7), graph()], start=1):
            file.write_text(text)
            ran = reload(server)
            assert ran.returncode == 0 and f"big: changed at rev {round + 1} (changed n1)" in ran.stdout, ran
            value = 7 if round == 1 else 1
            for client, mine in zip(clients, heard):
                expected = []
                for id, name in mine.items():
                    if name == "n1":
                        expected.append({"id": id, "v": value})
                    elif name == "behind":
                        expected.append({"id": id, "v": value - 1})
                    elif name == "n1*":
                        expected.append({"id": id, "m": {"n1": {"v": value}}})
                came = frames(client)
                if not expected:
                    assert came == []
                    continue
                update, = came
                assert update["op"] == "upd" and update["rev"] == round + 1 and update["graph"] == "big"
                assert sorted(update["d"], key=lambda entry: entry["id"]) == expected
        # A file that is written otherwise and says the same takes no rev.
        file.write_text("# the same\n" + graph().replace("graph: big", "graph:   'big'"))
        ran = reload(server)
        assert ran.returncode == 0 and "0 changed, 1 unchanged" in ran.stdout, ran
        # Expressions with other blanks are another text to be read, and make nothing anew.
        file.write_text(graph().replace("value * 2", "value*2"))
        ran = reload(server)
        assert ran.returncode == 0 and "big: changed at rev 4" in ran.stdout, ran
        assert all(frames(client) == [] for client in clients)
        assert server.set("big", "n0", 1)["rev"] == 5, "the next commit is the next rev"
        assert server.count("listeners", "big") == listeners
