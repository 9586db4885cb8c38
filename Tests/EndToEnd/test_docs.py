"""The documentation says what the program does."""

import subprocess
import sys

from sluice import BINARY, ROOT


def test_the_generated_tables_are_up_to_date():
    result = subprocess.run([sys.executable, ROOT / "scripts/docs.py", "--check"], capture_output=True, text=True,
                            env={"SLUICE_BINARY": str(BINARY), "PATH": "/usr/bin:/bin"})
    assert result.returncode == 0, result.stdout + result.stderr
