"""Tokens with different rights, the first with all of them."""

import re
import subprocess

from sluice import BINARY

# Their rights, and further options of `sluice token`.
PRINCIPALS = {
    "alice": ("read pipe set observe metrics dashboards admin", []),
    "bob": ("read pipe set", ["--role", "owner"]),
    "carol": ("read set observe", ["--graphs", "b", "--nodes", "s.*"]),
    "dave": ("read", ["--role", "viewer"]),
}


def write(path):
    """Writes the file of tokens, and returns the tokens."""
    made, entries = [], ""
    for name, (rights, options) in PRINCIPALS.items():
        can = [part for right in rights.split() for part in ("--can", right)]
        ran = subprocess.run(
            [BINARY, "token", "--name", name, *can, *options], check=True, capture_output=True, text=True
        )
        made.append(re.search(r"token \(shown once\): (\S+)", ran.stderr)[1])
        entries += ran.stdout
    with open(path, "w") as file:
        file.write("tokens:\n" + entries)
    return made
