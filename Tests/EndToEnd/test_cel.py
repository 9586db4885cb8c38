"""Random programs beside the reference runtime of the language."""

import os
import pathlib
import subprocess
import sys

import pytest
from sluice import DEVELOPER, ROOT

FOLDER = pathlib.Path(__file__).parent / "cel"


def run(script, *arguments, seconds=600):
    command = [sys.executable, FOLDER / script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds)


def test_the_published_cases_agree():
    result = run("conformance.py", DEVELOPER, ROOT / ".venv" / "cel-cases")
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    # One names a constant of an enum; docs/expressions.md says so. Any other difference is to be
    # listed there too.
    assert "1419 of 1420 agree" in result.stdout, result.stdout[-6000:]
    assert result.stdout.startswith("dynamic/value_null/literal"), result.stdout


@pytest.mark.timeout(660)
def test_random_programs_give_what_the_reference_runtime_gives():
    rounds = 50_000 if os.environ.get("SLUICE_NIGHTLY") else 1_000
    seed = os.environ.get("SLUICE_SEED", "20261121")
    result = run("reference.py", DEVELOPER, seed, rounds)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
