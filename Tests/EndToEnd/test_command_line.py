"""What the command line says and how it exits when files are not what they should be."""

import json
import os
import re
import shutil
import signal
import subprocess

import pytest
from sluice import BINARY, DEVELOPER, PATIENCE, ROOT, SHIPPED, Server, eventually

GRAPH = "graph: g\nnodes: { x: { set: number } }\n"


def sluice(*arguments, seconds=PATIENCE):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=seconds)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "g.yaml").write_text(GRAPH)
    (tmp_path / "sluice.yaml").write_text(f"listen: 127.0.0.1:0\ngraphs: {tmp_path}/graphs\npublic: ''\n")
    return tmp_path


def test_watch_is_a_client_with_a_name():
    with (
        Server({"g": GRAPH}) as server,
        subprocess.Popen(
            [BINARY, "watch", "g/x", "--url", server.url], stdout=subprocess.PIPE, text=True
        ) as watching,
    ):
        names = lambda: [each.get("client") for each in server.picture("g")["listeners"]]  # noqa: E731
        eventually(lambda: names() == ["sluice watch"], what="its name among the listeners")
        server.set("g", "x", 4)
        assert "4" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        eventually(lambda: names() == [], what="nobody")


def test_watch_continues_after_a_restart_of_the_server():
    with Server({"g": GRAPH}) as server:
        server.set("g", "x", 1)
        with subprocess.Popen(
            [BINARY, "watch", "g/x", "--url", server.url], stdout=subprocess.PIPE, text=True
        ) as watching:
            assert watching.stdout.readline() == "1\n"
            server.stop()
            with Server({"g": GRAPH}, listen=f"127.0.0.1:{server.port}") as again:
                again.set("g", "x", 2)
                assert watching.stdout.readline() == "2\n"
            watching.send_signal(signal.SIGINT)
            assert watching.wait(PATIENCE) == 0


def test_watch_ends_with_its_pipeline():
    with Server({"g": GRAPH}) as server:
        server.set("g", "x", 1)
        ended = sluice("watch", "g/x", "--pipe", '[{"prefix":1}]', "--url", server.url)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1\n", "")


def test_x_11_watch_and_set_have_paths():
    """X-11"""
    with Server({"g": GRAPH}, "service: home\n") as server:
        server.set("g", "x", 1)
        kept = sluice("set", "g/x", "4", "--path", '["far/h/n","home/g/x"]', "--url", server.url)
        assert kept.returncode == 0 and json.loads(kept.stdout) == {"changed": 0, "skipped": ["x"]}
        shown = sluice("watch", "g/x", "--path", "--pipe", '[{"prefix":1}]', "--url", server.url)
        assert shown.stdout == "1\n" and "home/g/x (set)" in shown.stderr, shown


def test_a_pipe_among_the_graphs_is_named_and_not_waited_for(folder):
    os.mkfifo(folder / "graphs" / "pipe.yaml")
    result = sluice("serve", "--strict", "--config", folder / "sluice.yaml")
    assert result.returncode == 1
    assert "pipe.yaml: cannot be read" in result.stderr
    assert not result.stdout


def test_a_pipe_as_configuration_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.yaml")
    result = sluice("serve", "--config", folder / "pipe.yaml")
    assert result.returncode == 1 and "pipe.yaml: cannot be read" in result.stderr


@pytest.mark.parametrize(
    "name, reason", [("nope.yaml", "no such file or directory"), ("graphs", "directory")]
)
def test_check_says_why_a_file_cannot_be_read(folder, name, reason):
    result = sluice("check", folder / name)
    assert result.returncode == 1
    assert reason in result.stderr


@pytest.mark.weighed
def test_check_reads_a_graph_of_many_nodes(folder):
    nodes = "".join(f"  n{i}: {{ set: number, initial: {i} }}\n" for i in range(20_000))
    (folder / "large.yaml").write_text(f"graph: large\nnodes:\n{nodes}")
    assert sluice("check", folder / "large.yaml").returncode == 0


@pytest.mark.parametrize("text", ["", "# to be written\n"])
def test_a_file_without_a_graph_is_a_problem(folder, text):
    (folder / "graphs" / "lost.yaml").write_text(text)
    result = sluice("check", "--config", folder / "sluice.yaml")
    assert result.returncode == 1
    assert "lost.yaml: there is no definition in it" in result.stderr


@pytest.mark.parametrize("host", ["a.example:8443", "[::1]", "http://a.example"])
def test_a_host_that_no_request_could_name_is_a_mistake(folder, host):
    result = sluice("serve", "--config", folder / "sluice.yaml", "--set", f"hosts={host},b", "--print-config")
    assert result.returncode == 1, result
    assert "'hosts' must be a list of host names, without port" in result.stderr


COMMANDS = ["serve", "check", "eval", "graph", "get", "set", "watch", "reload", "feed", "token", "version"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    result = sluice(command, "--help")
    assert result.returncode == 0 and not result.stderr
    assert "EXAMPLE" in result.stdout and f"sluice {command}" in result.stdout.split("EXAMPLE")[1]


def test_the_documentation_names_every_command():
    shown = sluice("--help").stdout
    listed = set(re.findall(r"^  (\w+) ", shown[shown.index("SUBCOMMANDS:"):], re.M)) - {"help", "See"}
    table = (ROOT / "docs/command-line.md").read_text().split("\n## ")[0]
    assert listed <= set(re.findall(r"`(\w+)[ `\]]", table)), listed


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["check", "--colour"],
        ["get"],
        ["get", "a/b/c"],
        ["set", "g"],
        ["set", "g/x"],
        ["set", "g/x", "1", "2"],
        ["watch", "g"],
        ["eval"],
        ["eval", "1", "2"],
        ["eval", "--batch", "1"],
        ["docs"],
        ["bench"],
        ["eval", "a", "--bind", "a"],
        ["eval", "a", "--bind", "a={"],
        ["graph", "g", "--format", "svg"],
        ["get", "g/x", "--url", "ftp://x"],
        ["token"],
        ["serve", "--set", "drain"],
        ["token", "--name", "a", "--can", "fly"],
        ["feed", "host", "--interval", "1ms"],
    ],
    ids=" ".join,
)
def test_what_is_not_understood_is_code_2(arguments):
    result = sluice(*arguments)
    assert result.returncode == 2, result
    assert not result.stdout and result.stderr.startswith("Error: "), result
    # The usage is that of the command, also where the command itself found the mistake.
    command = arguments[0] if arguments[0] in COMMANDS else "<subcommand>"
    assert re.search(rf"\nUsage: sluice {command}\s", result.stderr), result


def test_a_command_with_a_wrong_letter_is_guessed():
    assert "there is no command 'wach' (did you mean 'watch'?)" in sluice("wach", "g/x").stderr


@pytest.mark.parametrize(
    "arguments, expected", [(["eval", "-1"], "-1\n"), (["eval", "--", "-1"], "-1\n")], ids=str
)
def test_a_minus_may_begin_what_is_no_option(arguments, expected):
    assert sluice(*arguments).stdout == expected


def test_a_minus_may_begin_a_value():
    with Server({"g": GRAPH}) as server:
        assert (
            sluice("set", "g/x", "-4", "--url", server.url).returncode == 0 and server.value("g", "x") == -4
        )
        assert (
            sluice("set", "--url", server.url, "g/x", "--", "-5").returncode == 0
            and server.value("g", "x") == -5
        )


def test_the_version_is_printed_by_command_and_by_option():
    assert sluice("--version").stdout == sluice("version").stdout


def test_a_server_that_is_not_there_is_named():
    assert (
        sluice("get", "g/x", "--url", "http://127.0.0.1:1").stderr
        == "error: no connection to http://127.0.0.1:1: connection refused\n"
    )


def test_all_that_a_server_says_is_in_the_format_of_its_log(folder):
    started = ["serve", "--config", folder / "sluice.yaml", "--set", "log.format=json"]
    with subprocess.Popen(
        [BINARY, *started], env={**os.environ, "SLUICE_LOG_LEVL": "debug"}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as server:
        server.stdout.readline()
        server.terminate()
        lines = [json.loads(line) for line in server.communicate(timeout=PATIENCE)[1].splitlines()]
    assert "SLUICE_LOG_LEVL names no key (did you mean 'SLUICE_LOG_LEVEL'?)" in [
        line["message"] for line in lines if line["level"] == "warning"
    ]


def test_what_fails_is_code_1():
    for arguments in (
        ["get", "g/x", "--url", "http://127.0.0.1:1"],
        ["eval", "1 +"],
        ["eval", "1 / 0"],
        ["check", "/nowhere.yaml"],
    ):
        result = sluice(*arguments)
        assert result.returncode == 1 and result.stderr and not result.stdout, (arguments, result)


def test_mistakes_in_expressions_have_a_caret_and_a_hint():
    result = sluice("eval", "math.roud(value) + 1", "--bind", "value=1")
    assert result.stderr.splitlines() == [
        "expr_type at 1:6: the function 'math.roud' is not known", "  math.roud(value) + 1", "       ^",
        "  did you mean 'math.round'?"], result.stderr


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("value * 9 / 5 + 32", "68"),
        ("-value", "-20"),
        ("b'abc'", '"YWJj"'),
        ("timestamp('2024-01-02T03:04:05.5Z')", '"2024-01-02T03:04:05.500Z"'),
        ("duration('90s')", '"90s"'),
        ("[1u, 2, 3.0, 1e100]", "[1,2,3,1e+100]"),
        ("9007199254740993", "9007199254740993"),
        ("{1: 'a', true: null}", '{"1":"a","true":null}'),
        ("'é\\n'", '"é\\n"'),
        ("value.matches('x')", None),
        ("0.0 / 0.0", None),
    ],
)
def test_values_are_printed_as_json(expression, expected):
    result = sluice("eval", expression, "--bind", "value=20")
    assert (result.returncode, result.stdout.strip()) == ((0, expected) if expected else (1, "")), result


@pytest.mark.parametrize("expression", ["1e999", "[0.0 / 0.0]", "type(1)", "{1.5 > 1.0: type(1)}"])
def test_a_value_that_json_cannot_say_is_named(expression):
    result = sluice("eval", expression)
    assert result.returncode == 1 and not result.stdout
    assert result.stderr.startswith("expr_bad_value: ") and "JSONError" not in result.stderr, result


def test_a_line_of_a_batch_that_is_no_json_is_named():
    ran = subprocess.run(
        [DEVELOPER, "eval"], input='nonsense\n{"id":2,"expr":"1"}\n', capture_output=True, text=True,
        timeout=PATIENCE,
    )
    first, second = map(json.loads, ran.stdout.splitlines())
    assert first["id"] is None and first["error"]["code"] == "bad_request", first
    assert "JSONError" not in first["error"]["msg"] and "byte 0" in first["error"]["msg"], first
    assert second["value"] == {"type": "int", "value": "1"}


def test_json_for_scripts(folder):
    version = json.loads(sluice("version", "--json").stdout)
    assert version["name"] == "sluice" and version["formats"].keys() == {"sqlite", "redis"}
    # Without git, as in a tarball, it is unknown.
    if (ROOT / ".git").exists():
        head = subprocess.run(
            ["git", "-C", ROOT, "cat-file", "-t", version["commit"].removesuffix("-dirty")],
            capture_output=True, text=True,
        )
        assert head.stdout == "commit\n", (version, head)
        assert version["commit"] in sluice("version").stdout
    good = sluice("check", "--json", folder / "graphs/g.yaml")
    assert good.returncode == 0 and json.loads(good.stdout) == {"graphs": 1, "problems": [], "warnings": []}
    (folder / "bad.yaml").write_text("graph: b\nnodes:\n  x: { set: numbr }\n  y: { from: z }\n")
    bad = sluice("check", "--json", folder / "graphs/g.yaml", folder / "bad.yaml")
    assert bad.returncode == 1 and not bad.stderr
    found = json.loads(bad.stdout)
    file = str(folder / "bad.yaml")
    assert found == {
        "graphs": 1,
        "problems": [
            {
                "file": file, "line": 3, "column": 13, "code": "bad_field", "pointer": "/nodes/x/set",
                "hint": "did you mean 'number'?", "message": found["problems"][0]["message"],
            },
            {
                "file": file, "line": 4, "column": 14, "code": "unknown_node", "pointer": "/nodes/y/from",
                "message": "there is no node 'z'",
                **({"hint": hint} if (hint := found["problems"][1].get("hint")) else {}),
            },
        ],
        "warnings": [],
    }
    text = sluice("check", folder / "bad.yaml")
    assert (
        text.stderr.splitlines()[0]
        == f"error: {file}:3:13: {found['problems'][0]['message']} (did you mean 'number'?)"
    )
    made = json.loads(sluice("token", "--name", "a", "--json").stdout)
    assert len(made["token"]) >= 16 and made["token"] not in made["entry"] and "name" in made["entry"]


def test_every_kind_of_problem_is_an_object(folder):
    def problems(*arguments):
        result = sluice("check", "--json", *arguments)
        assert result.returncode == 1 and not result.stderr, result
        return json.loads(result.stdout)["problems"]

    missing, = problems(folder / "none.yaml")
    assert (
        missing["file"].endswith("none.yaml")
        and "cannot be read" in missing["message"]
        and "line" not in missing
    )
    (folder / "empty.yaml").write_text("# nothing\n")
    assert problems(folder / "empty.yaml") == [
        {"file": str(folder / "empty.yaml"), "code": "bad_field", "message": "there is no definition in it"}]
    (folder / "syntax.yaml").write_text("graph: [\n")
    syntax, = problems(folder / "syntax.yaml")
    assert syntax["line"] == 2 and syntax["column"] == 1 and "not YAML" in syntax["message"]
    (folder / "odd.yaml").write_text(
        "graph: o\nnodes:\n  x: { set: any }\n  y: { from: x, pipe: [ { debounce: 30 } ] }\n"
    )
    odd = json.loads(sluice("check", "--json", folder / "odd.yaml").stdout)
    assert odd["problems"] == [] and odd["warnings"][0]["line"] == 4 and "30" in odd["warnings"][0]["message"]
    # Those of the configuration beside those of its graphs.
    (folder / "graphs/h.yaml").write_text("graph: g\nnodes: {}\n")
    config = folder / "c.yaml"
    config.write_text(f"graphs: {folder}/graphs\nlisen: 1\n")
    unknown, double = problems("--config", config)
    assert unknown == {
        "file": str(config), "line": 2, "column": 1, "code": "bad_field", "message": "unknown key 'lisen'",
        "hint": "did you mean 'listen'?",
    }
    assert double["file"].endswith("h.yaml") and double["code"] == "in_use" and "line" not in double
    config.write_text("graphs: [a]\n" + SHIPPED)
    assert [problem["line"] for problem in problems("--config", config)] == [1]
    config.write_text(f"graphs: {folder}/away\n")
    assert [set(problem) for problem in problems("--config", config)] == [{"message"}]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions(shell, tmp_path):
    result = sluice("--generate-completion-script", shell)
    assert result.returncode == 0
    for word in (*COMMANDS, "format", "bind"):
        assert word in result.stdout, word
    if shutil.which(shell):
        script = tmp_path / "completion"
        script.write_text(result.stdout)
        subprocess.run([shell, "-n", script], check=True)
