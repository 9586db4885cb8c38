"""A real mosquitto of a test's own, and brokers that do what no broker should."""

import contextlib
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

from redis_server import free_port
from sluice import eventually

# Debian installs it where the PATH of a user may not lead.
BINARY = os.environ.get("MOSQUITTO") or shutil.which("mosquitto") or shutil.which(
    "mosquitto", path="/usr/sbin:/usr/local/sbin"
)


class Mosquitto:
    """A broker on a free port; `users` are names with passwords, `certificate` a pair of PEM files."""

    def __init__(self, users=None, certificate=None, more="", port=None):
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-mosquitto-")
        folder = pathlib.Path(self.folder.name)
        self.port = port or free_port()
        self.users, self.certificate = users or {}, certificate
        lines = [
            f"listener {self.port} 127.0.0.1", "log_type all", "log_dest stderr", "persistence false",
            # Started by root, it would become another user, who may not read the folder.
            "user root",
            f"allow_anonymous {'false' if self.users else 'true'}", "sys_interval 1",
        ]
        if self.users:
            lines.append(f"password_file {folder}/passwords")
            (folder / "passwords").touch(mode=0o600)
            for name, password in self.users.items():
                subprocess.run(
                    ["mosquitto_passwd", "-b", folder / "passwords", name, password], check=True
                )
        if certificate:
            lines += [f"certfile {certificate[0]}", f"keyfile {certificate[1]}"]
        (folder / "mosquitto.conf").write_text("\n".join(lines) + f"\n{more}\n")
        self.start()

    @property
    def url(self):
        return f"{'mqtts' if self.certificate else 'mqtt'}://127.0.0.1:{self.port}"

    def start(self):
        folder = pathlib.Path(self.folder.name)
        self.log = open(folder / "log", "a+")
        self.process = subprocess.Popen(
            [BINARY, "-c", folder / "mosquitto.conf"], stdout=self.log, stderr=self.log
        )
        eventually(self.listens, "mosquitto")
        return self

    def listens(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5):
            return True

    def kill(self):
        self.process.kill()
        self.process.wait()

    def log_text(self):
        return (pathlib.Path(self.folder.name) / "log").read_text(errors="replace")

    def client(self, command, *words):
        for name, password in list(self.users.items())[:1]:
            words += ("-u", name, "-P", password)
        if self.certificate:
            words += ("--cafile", str(self.certificate[0]))
        return [command, "-h", "127.0.0.1", "-p", str(self.port), *words]

    def publish(self, topic, payload, retain=False, quality=1):
        """Publishes, and waits until the broker has it."""
        words = ["-t", topic, "-q", str(quality), "-s" if payload else "-n", *(["-r"] if retain else [])]
        payload = payload if isinstance(payload, bytes) else payload.encode()
        subprocess.run(self.client("mosquitto_pub", *words), input=payload, check=True)

    def retained(self, topic):
        """The message that the broker keeps for a topic; None: it keeps none."""
        words = ["-t", topic, "-C", "1", "-W", "2", "--retained-only"]
        shown = subprocess.run(self.client("mosquitto_sub", *words), capture_output=True, text=True)
        return shown.stdout.removesuffix("\n") if shown.returncode == 0 else None

    @contextlib.contextmanager
    def watching(self, topic):
        """Yields the list of the messages that come from now on, as lines `topic payload`."""
        lines, words = [], ["-v", "-t", topic, "-t", "ready", "-q", "1"]
        process = subprocess.Popen(
            self.client("mosquitto_sub", *words), stdout=subprocess.PIPE, text=True
        )

        def read():
            for line in process.stdout:
                lines.append(line.rstrip("\n"))

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        try:
            def ready():
                self.publish("ready", "yes", quality=0)
                return any(line == "ready yes" for line in lines)

            eventually(ready)
            yield lines
        finally:
            process.kill()
            process.wait()
            thread.join()
            process.stdout.close()

    def subscribed(self, topic):
        """How many of the subscriptions that clients have asked for and not ended are of a topic."""
        # "sluice… 1 topic" when one begins, "sluice… topic" when one ends or its client goes.
        open_ones = set()
        for line in self.log_text().splitlines():
            words = line.split()
            if line.endswith(" starting"):
                open_ones.clear()
            elif len(words) == 4 and words[1].startswith("sluice") and words[2] in "012":
                open_ones.add((words[1], words[3]))
            elif len(words) == 3 and words[1].startswith("sluice"):
                open_ones.discard((words[1], words[2]))
            elif "Client" in words and ("disconnected" in line or "closed its connection" in line):
                open_ones -= {each for each in open_ones if each[0] in line}
        return sum(each[1] == topic for each in open_ones)

    def clients(self):
        """The names of the server's clients that are connected."""
        names = set()
        for line in self.log_text().splitlines():
            words = line.split()
            if line.endswith(" starting"):
                names.clear()
            elif "New client connected from" in line:
                names.add(words[words.index("as") + 1])
            elif "Client" in words and ("disconnected" in line or "closed its connection" in line):
                names.discard(words[words.index("Client") + 1])
        return {name for name in names if name.startswith("sluice")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.log.close()
        self.folder.cleanup()


def packet(control, body):
    """One MQTT packet."""
    length, rest = b"", len(body)
    while True:
        length += bytes([rest & 0x7F | (0x80 if rest > 0x7F else 0)])
        rest >>= 7
        if not rest:
            return bytes([control]) + length + body


def message(topic, payload):
    """A PUBLISH packet of quality 0."""
    return packet(0x30, struct.pack(">H", len(topic)) + topic.encode() + payload)


CONNACK = packet(0x20, b"\0\0")


class FakeBroker:
    """Takes connections and does with each what `act(connection)` does, on a thread of its own."""

    def __init__(self, act):
        self.act = act
        self.connections = 0
        self.gone = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.url = f"mqtt://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.settimeout(60)
        with connection:
            try:
                self.act(connection)
            except OSError:
                self.gone.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def receive_packet(connection):
    """The control byte and the body of the next packet."""
    def exactly(count):
        data = b""
        while len(data) < count:
            part = connection.recv(count - len(data))
            if not part:
                raise OSError("the client is gone")
            data += part
        return data

    control, length, shift = exactly(1)[0], 0, 0
    while True:
        byte = exactly(1)[0]
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return control, exactly(length)


def let_in(connection, subscribes=True):
    """Takes CONNECT and answers; takes a SUBSCRIBE and answers that, too."""
    control, _ = receive_packet(connection)
    assert control == 0x10, control
    connection.sendall(CONNACK)
    if subscribes:
        control, body = receive_packet(connection)
        assert control == 0x82, control
        connection.sendall(packet(0x90, body[:2] + b"\1"))


def hold(connection):
    """Reads until the client has gone."""
    while connection.recv(65_536):
        pass
    raise OSError("the client is gone")


def drip(connection, data, pause=0.05):
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(pause)
