"""A real redis-server of a test's own, and servers that share it."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from sluice import Server

# `REDIS_SERVER` names another one: a later Redis, or Valkey.
BINARY = os.environ.get("REDIS_SERVER") or shutil.which("redis-server")


def version():
    """The version of the protocol and commands that the binary has: (7, 0, 15)."""
    shown = subprocess.run([BINARY, "--version"], check=True, capture_output=True, text=True).stdout
    name, *numbers = re.search(r"^(\w+).* v=(\d+)\.(\d+)\.(\d+)", shown).groups()
    # All versions of Valkey have what Redis 7.2 has.
    return (7, 2, 4) if name == "Valkey" else tuple(map(int, numbers))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Redis:
    """Keeps what it is given on a disk, each write before it is answered, unless told otherwise."""

    def __init__(self, *options, keeps=True, port=None):
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-redis-")
        self.port = port or free_port()
        self.options = [
            "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder.name, "--save", "",
            *(["--appendonly", "yes", "--appendfsync", "always"] if keeps else []), *options,
        ]
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self):
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+")
        self.process = subprocess.Popen([BINARY, *self.options], stdout=self.log, stderr=self.log)
        for _ in range(1000):
            with contextlib.suppress(OSError):
                # With a password it is NOAUTH.
                if self.ask("PING").startswith(("+PONG", "-NOAUTH")):
                    return self
            time.sleep(0.01)
        raise AssertionError("redis-server does not answer")

    def ask(self, *words):
        """The raw answer to one command."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as peer:
            peer.sendall(f"*{len(words)}\r\n".encode() + b"".join(
                b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()) for word in words))
            return peer.recv(1 << 16).decode(errors="replace")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.go_on()
        self.kill()
        self.log.close()
        self.folder.cleanup()


class Between:
    """Stands between a server and a Redis, and loses what that answers when it is told to."""

    def __init__(self, port):
        self.target, self.loses = port, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs = []
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
                self.pairs.append((near, far))
                threading.Thread(target=self.carry, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self.carry, args=(far, near, True), daemon=True).start()

    def carry(self, source, target, is_reply):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if not (is_reply and self.loses.is_set()):
                    target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def lose_replies(self):
        self.loses.set()

    def go_on(self):
        """New connections are as they should be; the old ones end."""
        self.loses.clear()
        for pair in self.pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.go_on()


class Instance(Server):
    """A server that shares a Redis with others."""

    def __init__(self, redis, graphs=None, config="", **options):
        self.redis = redis
        super().__init__(graphs, f"redis: {{ url: '{redis.url}' }}\n{config}", **options)
