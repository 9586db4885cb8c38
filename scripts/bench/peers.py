"""Servers that a user would take, as far as this machine has them. Each does the work of
Benchmarks/Peers/minimal.c."""

import functools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from bench.contestant import Contestant
from bench.machine import PEERS

NCHAN = pathlib.Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
NODE_MODULES = pathlib.Path("/usr/share/nodejs")
SWIFT = PEERS / "Swift"
NGINX = """
load_module {module};
{user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 30000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    keepalive_requests 1000000000;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location = /v1/graphs/house/nodes/note {{
            nchan_publisher;
            nchan_channel_id house;
            nchan_message_buffer_length 1;
        }}
        location = /v1/ws {{
            nchan_subscriber websocket;
            nchan_channel_id house;
            nchan_subscriber_first_message -1;
        }}
    }}
}}
"""


class Nginx(Contestant):
    """nginx with nchan, one worker. Its WebSockets send the present value and then each new one, as
    they were posted."""

    options = ["--raw"]

    def __init__(self, machine, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        configuration = folder / "nginx.conf"
        # Where root starts nginx, its worker is another user, which may not write into the folder.
        user = "user root;" if os.getuid() == 0 else ""
        configuration.write_text(NGINX.format(module=NCHAN, folder=folder, port=self.port, user=user))
        super().__init__("nginx + nchan", machine, ["nginx", "-p", folder, "-c", configuration])
        # The worker does the work.
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.measured = int(children.read_text().split()[0])

    def address(self):
        url = f"http://127.0.0.1:{self.port}"
        # It prints nothing. With a first value every subscriber receives something at once.
        for _ in range(100):
            try:
                urllib.request.urlopen(f"{url}/v1/graphs/house/nodes/note", b'""', 5).close()
                return url
            except OSError:
                time.sleep(0.05)
        sys.exit("nginx did not start")


def node(machine):
    return Contestant(
        "Node + ws", machine, ["node", PEERS / "node.js"], environment={"NODE_PATH": str(NODE_MODULES)}
    )


def output(*command):
    if not shutil.which(command[0]):
        return "version unknown"
    run = subprocess.run(command, capture_output=True, text=True)
    return (run.stdout + run.stderr).strip()


def swift(product):
    """Where the peers of the Swift package are, once they are built."""
    return SWIFT / ".build/release" / product


def version(package):
    return re.search(rf'/{package}", exact: "([^"]+)"', (SWIFT / "Package.swift").read_text())[1]


def installed(machine, folder):
    """A function for each peer that this machine has, which starts it; and sentences about them and
    those that are missing."""
    starts, about = {}, []

    def peer(name, lacks, start, sentence):
        if lacks:
            about.append(f"- {name} is missing: {lacks}.")
        else:
            starts[name] = start
            about.append(f"- {name}: {sentence()}")

    peer(
        "nginx + nchan",
        not (shutil.which("nginx") and NCHAN.exists()) and "Debian's packages nginx and libnginx-mod-nchan",
        lambda: Nginx(machine, folder),
        lambda: (
            f"{output('nginx', '-v').rpartition(': ')[2]}, nchan "
            f"{output('dpkg-query', '-W', '-f', '${Version}', 'libnginx-mod-nchan')}, one worker. "
            "Its WebSockets have no subscriptions: the value that was posted last comes at once, and each "
            "new one as it was posted, "
            "not in a frame of the protocol (about 70 bytes less)."
        ),
    )
    peer(
        "Node + ws",
        not (shutil.which("node") and (NODE_MODULES / "ws").exists())
        and "node, and Debian's package node-ws", lambda: node(machine),
        lambda: (
            f"node {output('node', '--version')}, ws "
            f"{json.loads((NODE_MODULES / 'ws/package.json').read_text())['version']}."
        ),
    )
    for name, product, package, sentence in [
        (
            "Hummingbird", "HummingbirdPeer", "hummingbird",
            ", one event loop; its WebSockets are swift-nio's.",
        ),
        (
            "FlyingFox", "FlyingFoxPeer", "FlyingFox",
            ". It writes head and body of an answer separately, without TCP_NODELAY, so the "
            "answer to a lone POST waits for the client's delayed acknowledgement, 40 ms.",
        ),
    ]:
        peer(
            name,
            not swift(product).exists() and "swift build -c release --package-path Benchmarks/Peers/Swift",
            functools.partial(Contestant, name, machine, [swift(product)]),
            lambda: f"{version(package)}{sentence}",
        )
    return starts, [
        "None of the peers checks what is posted. Processor time is that of all threads of a process.", "",
        *about, "",
    ]
