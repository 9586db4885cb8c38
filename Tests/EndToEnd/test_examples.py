"""What a reader can copy from the README and the pages works: every `curl` in a block is run, every
message of the protocol is sent."""

import json
import re
import shlex
import subprocess

import pytest
from conftest import Client
from sluice import PATIENCE, ROOT, Server

HERE = "http://127.0.0.1:8080"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page):
    """The fenced blocks of a page as (language, text)."""
    return re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.S | re.M)


def commands(page):
    """All of a page, in order, as (command, the lines below it): nothing below it where the page
    shows no prompt."""
    found = []
    for language, text in blocks(page):
        if language in ("", "sh") and (shown := re.findall(r"^\$ (curl .*)\n((?:[^$\n].*\n)*)", text, re.M)):
            found += [(command, answer.strip()) for command, answer in shown]
        elif language == "sh":
            found += [(command, None) for command in re.findall(r"^curl .*", text, re.M)]
    return found


def graphs(page, names):
    """The graphs that the commands speak of: as the page defines them, or else as the server comes
    with them, or else as another page does."""
    shipped = {path.stem: path.read_text() for path in (ROOT / "config/graphs").glob("*.yaml")}
    texts = {}
    for each in [*PAGES, None, page]:
        if each is None:
            texts |= shipped
            continue
        for language, text in blocks(each):
            if language == "yaml" and (name := re.match(r"graph: (\S+)", text)):
                texts[name[1]] = text
    return {name: texts[name] for name in sorted(names) if name in texts}


def pattern(answer):
    """A regular expression for an answer, of which the epoch is another every time and `…` may be
    anything."""
    literal = re.escape(answer).replace(re.escape("…"), ".*")
    return re.sub(r'"epoch":"[^"]*"', '"epoch":"[^"]*"', literal)


def takes_several_programs(page):
    """Whether its commands belong together (`<!-- run: … -->`); test_redis.py runs those."""
    return "<!-- run:" in page.read_text()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page) and not takes_several_programs(page)],
    ids=lambda page: page.name,
)
def test_every_curl_of_a_page_does_what_the_page_says(page, tmp_path):
    (tmp_path / "cellar.yaml").write_text("graph: cellar\nnodes: { damp: { set: number } }\n")
    (tmp_path / "house.values.json").write_text('{"set":{"indoor_c":17.25,"mode":"eco"}}')
    listed = commands(page)
    names = {name for command, _ in listed for name in re.findall(r"/graphs/(\w+)", command)}
    with Server(graphs(page, names)) as server:
        for command, answer in listed:
            words = shlex.split(command.replace(HERE, server.url), comments=True)
            words = words[:words.index("|")] if "|" in words else words
            assert words[0] == "curl" and any(word.startswith(server.url) for word in words), command
            strictness = ["-f"] if answer is None else []
            ran = subprocess.run(
                [*words, "-sS", *strictness], capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path
            )
            assert ran.returncode == 0, (command, ran.stdout, ran.stderr)
            if answer is not None:
                assert re.fullmatch(pattern(answer), ran.stdout.strip(), re.S), (command, answer, ran.stdout)


def test_no_command_is_overlooked():
    for page in PAGES:
        written = sum(len(re.findall(r"^(?:\$ )?curl ", text, re.M)) for _, text in blocks(page))
        assert len(commands(page)) == written, page.name
    assert {page.name for page in PAGES if commands(page)} >= {"README.md", "definitions.md"}
    assert sum(answer is not None for page in PAGES for _, answer in commands(page)) >= 5


PROTOCOL = """
graph: house
title: A house
nodes:
  indoor_c: { set: number, initial: 21.5 }
  indoor_f: { from: indoor_c, pipe: [ { map: "value * 9 / 5 + 32" } ] }
  outdoor_c: { set: number }
  display_c: { set: number }
  humidity: { set: number, initial: 70 }
  setpoint_c: { set: number }
  setpoint_f: { set: number }
  mode: { set: string, initial: auto }
  note: { set: any, initial: 1 }
  doubled: { from: humidity, pipe: [ { map: "value * 2" } ] }
  kept: { from: humidity, pipe: [ { map: "value + 1" } ], retain: always }
"""
FLEET = """
graph: fleet
title: A fleet
nodes:
  sensor.{id}.celsius: { set: number }
"""
BANK = """
graph: bank
title: A bank
nodes:
  account.7: { set: number, initial: 100 }
  account.8: { set: number, initial: 50 }
"""
CABIN = """
graph: cabin
title: A cabin
nodes:
  outdoor_f: { set: number }
  note: { set: string }
"""


def exchanges():
    """The requests of docs/protocol.md with the answers that follow them."""
    found = []
    for _, text in blocks(ROOT / "docs/protocol.md"):
        # `…` stands for something, or for more of the same.
        text = re.sub(r",…(?=[\]}])", "", text).replace(":…", ":0")
        said = re.findall(r"([→←]) (\{.*?\})(?=\s*(?:[→←]|\Z))", text, re.S)
        pairs = zip(said, said[1:], strict=False)
        found += [
            (json.loads(asked), json.loads(told))
            for (ask, asked), (tell, told) in pairs
            if ask + tell == "→←"
        ]
    return found


def has_form(shown, told, place=""):
    """Whether what is told has every member that is shown, of the same kind; other names and
    numbers do not matter."""
    kinds = {int: float}
    assert kinds.get(type(shown), type(shown)) is kinds.get(type(told), type(told)), (place, shown, told)
    if isinstance(shown, dict):
        assert shown.keys() <= told.keys(), (place, shown, told)
        for key in shown:
            has_form(shown[key], told[key], f"{place}/{key}")
    elif isinstance(shown, list) and shown:
        assert told, (place, shown)
        has_form(shown[0], told[0], f"{place}/0")


def test_every_request_of_the_protocol_is_answered_in_the_form_that_the_page_shows():
    listed = exchanges()
    assert [asked["op"] for asked, _ in listed] == [
        "hello", "sub", "sub", "sub", "unsub", "release", "link", "sync", "set", "get", "drop", "list",
        "ping", "set", "sub", "set", "set", "load", "demand", "observe",
    ]
    served = {"house": PROTOCOL, "fleet": FLEET, "bank": BANK, "cabin": CABIN}
    with Server(served, "service: k3Zq\n") as server:
        server.set("fleet", "sensor.7.celsius", 21)
        client = Client(server)
        for asked, told in listed:
            if asked["op"] == "sub":
                server.set("house", "humidity", 71)
            if asked["op"] == "unsub":
                client.send(op="sub", id=asked["id"], graph="house", node="doubled")
                assert client.receive()["op"] == "snap"
            if asked["op"] == "release":
                client.send(op="sub", id=told["id"], graph="house", node="doubled", owner=asked["owner"])
                assert client.receive()["op"] == "snap"
            asker = Client(server) if "since" in asked else client
            asker.send(**asked)
            answer = asker.receive()
            assert [answer.get(key) for key in ("op", "id", "code")] == [
                told.get(key) for key in ("op", "id", "code")
            ]
            has_form(told, answer, asked["op"])
            if asked["op"] == "release":
                assert client.receive()["ended"] == [told["id"]]
