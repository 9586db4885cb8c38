"""The server's dashboards over HTTP: rights, conditions, limits, folders that cannot be written,
and death in the middle of a save."""

import hashlib
import json
import os
import threading
import time

import pytest
from sluice import Server, eventually

GRAPH = "graph: g\nnodes:\n  x: { set: number, initial: 1 }\n"
BOARD = {"v": 1, "title": "One", "graph": "g", "widgets": [{"kind": "number", "node": "x"}]}


def put(server, name, board, **headers):
    body = board if isinstance(board, str) else json.dumps(board)
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.request(
        "PUT", f"/v1/dashboards/{name}", body, {"Content-Type": "application/json", **fields}
    )


def tokens(tmp_path, **principals):
    """A file of tokens, and the header of each principal."""
    entries, headers = [], {}
    for name, more in principals.items():
        token = f"token-of-{name}-0123456789"
        entries.append(
            f"- name: {name}\n  hash: sha256:{hashlib.sha256(token.encode()).hexdigest()}\n  {more}\n"
        )
        headers[name] = {"Authorization": f"Bearer {token}"}
    (tmp_path / "tokens.yaml").write_text("".join(entries))
    return f"auth: {tmp_path}/tokens.yaml\n", headers


@pytest.fixture
def boards(tmp_path):
    folder = tmp_path / "boards"
    folder.mkdir()
    return folder


def test_a_dashboard_is_saved_read_listed_and_removed(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        made = put(server, "one", BOARD, If_None_Match="*")
        assert made.status == 201 and made.headers["ETag"]
        assert server.get("/v1/dashboards").json() == {
            "writable": True, "dashboards": [{"name": "one", "title": "One", "graph": "g"}],
        }
        read = server.get("/v1/dashboards/one")
        assert read.json() == BOARD and read.headers["ETag"] == made.headers["ETag"]
        assert server.get("/v1/dashboards/one", If_None_Match=made.headers["ETag"]).status == 304
        assert json.loads((boards / "one.json").read_text()) == BOARD
        again = put(server, "one", {**BOARD, "title": "Two"}, If_Match=made.headers["ETag"])
        assert again.status == 204 and again.headers["ETag"] != made.headers["ETag"]
        assert server.get("/v1/dashboards").json()["dashboards"][0]["title"] == "Two"
        assert (
            server.request("DELETE", "/v1/dashboards/one", headers={"If-Match": again.headers["ETag"]}).status
            == 204
        )
        assert server.get("/v1/dashboards/one").status == 404 and list(boards.iterdir()) == []
        assert server.request("DELETE", "/v1/dashboards/one").status == 404


def test_a_file_that_is_put_into_the_folder_is_there_at_once(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        (boards / "late.json").write_text('{"title":"Late","v":1,"widgets":[]}')
        (boards / "notes.txt").write_text("no dashboard")
        assert server.get("/v1/dashboards").json()["dashboards"] == [
            {"name": "late", "title": "Late", "graph": "late"}
        ]


def test_a_condition_that_does_not_hold_is_a_conflict_with_the_present_tag(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        tag = put(server, "one", BOARD).headers["ETag"]
        changed = "this dashboard was changed by another client"
        other = f'"{"0" * 24}"'
        for answer, reason in (
            (put(server, "one", BOARD, If_None_Match="*"), "a dashboard of this name exists"),
            (put(server, "one", BOARD, If_Match=other), changed),
            (
                put(server, "one", BOARD, If_Match=tag[:-1] + '-gzip"'),
                "no tag in If-Match has the form of this server's tags",
            ),
            (server.request("DELETE", "/v1/dashboards/one", headers={"If-Match": other}), changed),
        ):
            assert (
                answer.status == 412 and answer.json()["code"] == "conflict" and answer.json()["etag"] == tag
            )
            assert answer.json()["detail"] == reason
        gone = put(server, "two", BOARD, If_Match=tag)
        assert gone.status == 412 and gone.json()["etag"] is None
        assert gone.json()["detail"] == "this dashboard does not exist any more"
        assert put(server, "one", BOARD, If_Match="nonsense").json()["code"] == "bad_request"


def test_the_weak_form_of_a_tag_is_the_same_version(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        tag = put(server, "one", BOARD).headers["ETag"]
        saved = put(server, "one", {**BOARD, "title": "Two"}, If_Match="W/" + tag)
        assert saved.status == 204
        assert put(server, "one", BOARD, If_Match="W/" + tag).status == 412
        assert put(server, "one", BOARD, If_None_Match="W/" + saved.headers["ETag"]).status == 412
        assert (
            server.request(
                "DELETE", "/v1/dashboards/one", headers={"If-Match": "W/" + saved.headers["ETag"]}
            ).status
            == 204
        )


def test_of_many_that_save_over_one_version_exactly_one_succeeds(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        tag, results = put(server, "one", BOARD).headers["ETag"], []
        threads = [
            threading.Thread(
                target=lambda i=i: results.append(
                    put(server, "one", {**BOARD, "title": f"of {i}"}, If_Match=tag).status
                )
            )
            for i in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == [204] + [412] * 11


@pytest.mark.parametrize(
    "body",
    [
        "[]", "{}", '{"v":1}', '{"v":"1","widgets":[]}', '{"v":1,"widgets":{}}',
        '{"v":1,"widgets":[],"graph":7}', "nothing",
    ],
)
def test_what_is_no_dashboard_is_refused(boards, body):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        assert put(server, "g", body).status == 400
        assert list(boards.iterdir()) == []


def test_size_and_number_are_bounded(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n# fixed: limits.dashboards=2\n") as server:
        large = put(server, "large", {**BOARD, "widgets": [{"kind": "text", "text": "x" * 70_000}]})
        assert large.status == 413 and large.json()["code"] == "too_large"
        assert [put(server, name, BOARD).status for name in ("a", "b", "a")] == [201, 201, 204]
        full = put(server, "c", BOARD)
        assert full.status == 413 and "limits.dashboards" in full.json()["detail"]


@pytest.mark.parametrize("name", ["..%2Fgraphs%2Fg", "%2e%2e", ".hidden", "a%00b", "a%2Fb"])
def test_a_name_leads_nowhere_else(boards, name):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        assert put(server, name, BOARD).status in (400, 404)
        assert list(boards.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said_and_its_dashboards_are_still_read(tmp_path):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}/no/none\n") as server:
        listed = server.get("/v1/dashboards").json()
        refused = put(server, "one", BOARD)
        assert refused.status == 409 and refused.json()["code"] == "read_only"
        assert "/none" in refused.json()["detail"] and "create the folder" in refused.json()["hint"]
        assert listed["writable"] is False and listed["why"].startswith(
            refused.json()["detail"].partition(": ")[0]
        )
        # The folder may come while the server runs.
        (tmp_path / "no/none").mkdir(parents=True)
        assert put(server, "one", BOARD).status == 201


def test_a_missing_folder_is_made_where_its_own_folder_is_there(tmp_path):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}/none\n") as server:
        assert server.get("/v1/dashboards").json() == {"writable": True, "dashboards": []}
        assert put(server, "one", BOARD).status == 201


def test_a_symbolic_link_stays_and_what_it_leads_to_is_saved(boards, tmp_path):
    target = tmp_path / "kept.json"
    target.write_text("{}")
    (boards / "one.json").symlink_to(target)
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        assert put(server, "one", BOARD).status == 204
        assert (boards / "one.json").is_symlink() and json.loads(target.read_text()) == BOARD
        assert sorted(path.name for path in tmp_path.iterdir()) == ["boards", "kept.json"]
        assert server.request("DELETE", "/v1/dashboards/one").status == 204
        assert target.exists() and not (boards / "one.json").is_symlink()


def test_a_list_has_a_change_that_leaves_size_and_time_alone(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        file = boards / "one.json"
        for title in ("One", "Two"):
            file.write_text(json.dumps({**BOARD, "title": title}))
            os.utime(file, (1_700_000_000, 1_700_000_000))
            assert server.get("/v1/dashboards").json()["dashboards"][0]["title"] == title


def test_without_a_folder_there_are_none():
    with Server({"g": GRAPH}, "dashboards: ''\n") as server:
        listed, refused = server.get("/v1/dashboards").json(), put(server, "one", BOARD)
        assert refused.status == 404
        assert listed == {"writable": False, "why": refused.json()["detail"], "dashboards": []}


def test_saving_takes_the_right_on_the_graph_and_reading_takes_a_graph_that_exists_for_the_caller(
    boards, tmp_path
):
    auth, who = tokens(
        tmp_path, reader="can: [read]", keeper="can: [read, dashboards]\n  graphs: [g]",
        other="can: [read, dashboards]\n  graphs: [h]", admin="can: [admin]",
    )
    with Server(
        {"g": GRAPH, "h": GRAPH.replace("graph: g", "graph: h")}, f"dashboards: {boards}\n{auth}"
    ) as server:

        def ask(method, name, caller, body=None):
            return server.request(
                method, f"/v1/dashboards/{name}", json.dumps(body) if body else None,
                {"Content-Type": "application/json", **who[caller]},
            )

        refused = ask("PUT", "one", "reader", BOARD)
        assert refused.status == 403 and "dashboards" in refused.json()["detail"]
        assert ask("PUT", "one", "other", BOARD).status == 403
        assert ask("PUT", "one", "keeper", BOARD).status == 201
        assert ask("PUT", "one", "admin", {**BOARD, "title": "By the admin"}).status == 204
        # Nor is one of another graph replaced by calling it one's own.
        assert ask("PUT", "one", "other", {**BOARD, "graph": "h"}).status == 403
        assert ask("DELETE", "one", "other").status == 404, "what it may not see does not exist"
        listed = {
            caller: server.request("GET", "/v1/dashboards", headers=who[caller]).json() for caller in who
        }
        assert {caller: (each["writable"], len(each["dashboards"])) for caller, each in listed.items()} == {
            "reader": (False, 1), "keeper": (True, 1), "other": (True, 0), "admin": (True, 1)}
        assert ask("GET", "one", "other").status == 404 and ask("GET", "one", "reader").status == 200
        assert server.get("/v1/dashboards").status == 401
        eventually(lambda: '"by"' in server.log_text() or "keeper" in server.log_text())


def test_a_server_that_dies_in_the_middle_of_a_save_leaves_a_whole_dashboard(boards):
    with Server({"g": GRAPH}, f"dashboards: {boards}\n") as server:
        put(server, "one", BOARD)
        for round_ in range(5):
            stop, saved = threading.Event(), []

            def work():
                number = 0
                while not stop.is_set():
                    number += 1
                    try:
                        put(
                            server, "one",
                            {
                                **BOARD, "title": f"{round_}.{number}",
                                "widgets": [{"kind": "text", "text": "x" * 40_000}],
                            },
                        )
                    except OSError:
                        return
                    saved.append(f"{round_}.{number}")

            thread = threading.Thread(target=work)
            thread.start()
            time.sleep(0.1 + 0.07 * round_)
            server.kill()
            stop.set()
            thread.join()
            kept = json.loads((boards / "one.json").read_text())
            last = int(saved[-1].split(".")[1]) if saved else 0
            assert kept["title"] in (f"{round_}.{last}", f"{round_}.{last + 1}") or not saved, (
                kept["title"], saved[-1:],
            )
            (boards / ".saving-left").write_text('{"v":1')
            server.start()
            assert sorted(os.listdir(boards)) == ["one.json"], "what was not finished is removed"
            assert server.get("/v1/dashboards/one").json()["title"] == kept["title"]
