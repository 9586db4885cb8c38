"""A real nginx in front of a server, as a process of its own with a configuration of its own."""

import pathlib
import shutil
import socket
import subprocess
import tempfile

import pytest
from sluice import Address, eventually

BINARY = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
needed = pytest.mark.skipif(not BINARY, reason="nginx is not installed (Debian: nginx-light)")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Nginx(Address):
    """nginx on a free port that passes requests on to a server.

    `settings` are for all of it, `locations` stand beside the one of the server, `fields` in it.
    """

    def __init__(self, server, settings="", locations="", fields=""):
        port = free_port()
        super().__init__(f"http://127.0.0.1:{port}")
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name)
        temporary = "".join(
            f"{each}_temp_path {path};\n" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (path / "nginx.conf").write_text(
            f"pid {path}/pid;\nerror_log {path}/error.log;\ndaemon off;\nmaster_process off;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{settings}\n"
            "map $http_upgrade $connection_field { default upgrade; '' ''; }\n"
            f"server {{ listen 127.0.0.1:{port}; {locations} location / {{ {fields} proxy_pass {server.url}; "
            "proxy_http_version 1.1; proxy_set_header Host $host; "
            "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_field; } }\n}\n"
        )
        self.process = subprocess.Popen(
            [BINARY, "-p", str(path), "-c", str(path / "nginx.conf"), "-e", str(path / "error.log")]
        )
        eventually(self._answers, what="an nginx that answers")

    def _answers(self):
        try:
            return self.get("/healthz").status == 200
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()
