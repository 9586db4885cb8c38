#!/usr/bin/env python3
"""Writes the manual page of the command `sluice` from what the program says of itself.

  scripts/manual.py BINARY > sluice.1
"""

import re
import subprocess
import sys

INTRODUCTION = """Sluice hosts named reactive graphs. Values set by HTTP flow through operators and expressions to clients
that listen over WebSocket or server-sent events. The same program is the server and the tool that talks to one."""

FILES = [
    ("/etc/sluice/sluice.yaml", "the configuration of the service; every key is there with its default"),
    ("/etc/sluice/graphs/", "one file for each graph"),
    ("/var/lib/sluice/", "values and dashboards"),
    ("/usr/share/doc/sluice/", "the documentation; begin with README.md"),
]

ENVIRONMENT = [
    ("SLUICE_URL", "the server that commands talk to, where there is no \\-\\-url"),
    ("SLUICE_TOKEN", "the token that commands send to a server that wants one"),
]


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def escape(text):
    """As it stands: no line begins a request, and hyphens can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def main(binary):
    version = said(binary, "--version").split()[-1]
    overview = said(binary, "--help")
    commands = re.findall(r"^  ([a-z]+) +\S", overview.split("SUBCOMMANDS:")[1], re.M)
    page = [
        f'.TH SLUICE 1 "" "Sluice {version}" "User Commands"', ".SH NAME",
        "sluice \\- server for live values", ".SH SYNOPSIS", ".B sluice", ".I command", "[options]",
        ".SH DESCRIPTION", escape(INTRODUCTION),
    ]
    page += [".SH COMMANDS"]
    for command in commands:
        text = said(binary, "help", command).removeprefix("OVERVIEW: ").strip()
        # Every command has these.
        text = re.sub(r"(\n\nOPTIONS:)?\n  --version .*\n  -h, --help .*", "", text)
        page += [f'.SS "sluice {command}"', ".nf", escape(text), ".fi"]
    for title, entries in ("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES):
        page.append(f".SH {title}")
        for name, what in entries:
            page += [".TP", f".I {name}", what]
    page += [".SH EXIT STATUS", "0: done, 1: failed, 2: not understood."]
    print("\n".join(page))


main(sys.argv[1])
