"""The published conformance cases, and random programs beside the reference runtime."""

import os
import pathlib
import subprocess
import sys

import pytest

from sluice import BINARY

FOLDER = pathlib.Path(__file__).parent / "cel"


def run(script, *arguments, seconds=600):
    command = [sys.executable, FOLDER / script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds)


def test_the_published_cases_agree():
    result = run("conformance.py", BINARY, FOLDER / "cases")
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    # What is left: one case about an enum, and regular expressions where the server has no engine for them.
    names = [line for line in result.stdout.splitlines()[:-1] if not line.startswith("  ")]
    assert all(name.startswith(("string/matches/", "dynamic/value_null/literal")) for name in names), names


def test_random_programs_give_what_the_reference_runtime_gives():
    pytest.importorskip("cel_expr_python")
    rounds = 50_000 if os.environ.get("SLUICE_NIGHTLY") else 1_000
    seed = os.environ.get("SLUICE_SEED", "20261121")
    result = run("reference.py", BINARY, seed, rounds)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
