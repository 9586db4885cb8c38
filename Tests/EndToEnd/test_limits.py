"""Every limit and every time of the configuration has a test of its breach: here, or where this page says.

`test_every_key_has_a_test` walks the keys of the server; a new key without a test fails it.
"""

import json
import pathlib
import re
import subprocess

import pytest
from conftest import CHAIN, Client
from rawsocket import RawSocket, RawWebSocket
from sluice import BINARY, ROOT, Server

NODE = "/v1/graphs/g/nodes/"

# Where the breach of a key is tested: a file, and words of the test.
TESTED = {
    "limits.connections": ("Tests/SluiceServerTests/RequestTests.swift", "who comes when there is no room gets a clean 503"),
    "limits.connectionsPerAddress": ("Tests/SluiceServerTests/RequestTests.swift", "connections of one address are bounded"),
    "limits.sets": ("Tests/GraphHostTests/Host/RateTests.swift", "limits.sets: what comes too fast is refused"),
    "limits.messages": ("Tests/GraphHostTests/Host/RateTests.swift", "limits.messages: every object counts"),
    "limits.chains": ("Tests/GraphHostTests/Host/PipelineTests.swift", "limits.chains: different pipelines count"),
    "limits.pipelines": ("Tests/GraphHostTests/Host/PipelineTests.swift", "limits.pipelines: who spends more"),
    "limits.work": ("Tests/GraphHostTests/Host/TurnShareTests.swift", "A message with many dear requests takes many turns"),
    "limits.historyBytes": ("Tests/GraphHostTests/Host/HistoryTests.swift", "historyBytes"),
    "limits.kept": ("Tests/GraphHostTests/Host/PressureTests.swift", "limits.kept"),
    "limits.contextBytes": ("Tests/EndToEnd/test_compression.py", "contextBytes"),
    "limits.delay": ("Tests/GraphHostTests/Host/TimedStageTests.swift", "delayed = "),
    "times.handshake": ("Tests/EndToEnd/test_tls.py", "handshake: "),
    "times.headers": ("Tests/EndToEnd/test_errors.py", "times: { headers: 200ms }"),
    "times.body": ("Tests/SluiceServerTests/RequestTests.swift", "a body that does not arrive in time is 408"),
    "times.idle": ("Tests/SluiceServerTests/RequestTests.swift", "$0.times.idle"),
    "times.session": ("Tests/EndToEnd/test_access.py", "session: "),
    "times.wait": ("Tests/EndToEnd/test_long_poll.py", "wait: "),
    "heartbeat": ("Tests/EndToEnd/test_errors.py", "heartbeat: 100ms"),
}
MET = {}


def breach(key):
    def mark(function):
        MET[key] = function
        return function

    return mark


def limited(setting, graph=CHAIN):
    return Server({"g": graph}, setting + "\n")


def keys():
    shown = subprocess.run([BINARY, "serve", "--print-config", "--config", ROOT / "config/sluice.yaml"],
                           check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^([a-zA-Z.]+):", shown, re.M)
    assert "listen" in names, shown
    return {name for name in names if name.startswith(("limits.", "times."))} | {"heartbeat", "drain"}


def test_every_key_has_a_test():
    assert keys() == set(TESTED) | set(MET)
    assert not set(TESTED) & set(MET)
    for key, (path, words) in TESTED.items():
        assert words in (ROOT / path).read_text(), f"{key}: {path} has no '{words}'"


def test_the_shipped_file_says_each():
    lines = (ROOT / "config/sluice.yaml").read_text().splitlines()
    for key in keys():
        word = key.split(".")[-1]
        assert any(re.match(rf"\s*{word}: ", line) for line in lines), key


@pytest.mark.parametrize("key", sorted(MET))
def test_breach(key):
    MET[key]()
