"""What the command line says and how it exits when files are not what they should be."""

import os
import subprocess

import pytest
from sluice import BINARY

GRAPH = "graph: g\nnodes: { x: { set: number } }\n"


def sluice(*arguments, seconds=20):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=seconds)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "g.yaml").write_text(GRAPH)
    (tmp_path / "sluice.yaml").write_text(f"listen: 127.0.0.1:0\ngraphs: {tmp_path}/graphs\npublic: ''\n")
    return tmp_path


def test_a_pipe_among_the_graphs_is_named_and_not_waited_for(folder):
    os.mkfifo(folder / "graphs" / "pipe.yaml")
    result = sluice("serve", "--config", folder / "sluice.yaml")
    assert result.returncode == 1
    assert "pipe.yaml: cannot be read" in result.stderr
    assert not result.stdout


def test_a_pipe_as_configuration_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.yaml")
    result = sluice("serve", "--config", folder / "pipe.yaml")
    assert result.returncode == 1 and "pipe.yaml: cannot be read" in result.stderr


@pytest.mark.parametrize("name, reason", [("nope.yaml", "no such file or directory"), ("graphs", "directory")])
def test_check_says_why_a_file_cannot_be_read(folder, name, reason):
    result = sluice("check", folder / name)
    assert result.returncode == 1
    assert reason in result.stderr


def test_check_reads_a_graph_of_many_nodes(folder):
    nodes = "".join(f"  n{i}: {{ set: number, initial: {i} }}\n" for i in range(20_000))
    (folder / "large.yaml").write_text(f"graph: large\nnodes:\n{nodes}")
    assert sluice("check", folder / "large.yaml").returncode == 0


@pytest.mark.parametrize("text", ["", "# to be written\n"])
def test_a_file_without_a_graph_is_a_problem(folder, text):
    (folder / "graphs" / "lost.yaml").write_text(text)
    result = sluice("check", "--config", folder / "sluice.yaml")
    assert result.returncode == 1
    assert "lost.yaml: nothing is defined here" in result.stderr


@pytest.mark.parametrize("host", ["a.example:8443", "[::1]", "http://a.example"])
def test_a_host_that_no_request_could_name_is_a_mistake(folder, host):
    result = sluice("serve", "--config", folder / "sluice.yaml", "--set", f"hosts={host},b", "--print-config")
    assert result.returncode == 1, result
    assert "'hosts' must be a list of host names, without port" in result.stderr
