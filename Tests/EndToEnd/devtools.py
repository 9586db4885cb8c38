"""Chromium spoken to by its own protocol, without a driver that keeps every page in front: a tab
behind another is hidden for real."""

import contextlib
import itertools
import json
import re
import shutil
import subprocess
import tempfile
import threading

from browser import ARGUMENTS
from sluice import PATIENCE, eventually
from websockets.sync.client import connect


class Chromium:
    """A browser of its own; `tab(url)` opens a page in front of those there are."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="sluice-chromium-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [
                shutil.which("chromium"), "--headless=new", "--remote-debugging-port=0",
                f"--user-data-dir={self.profile.name}", "--no-default-browser-check",
                "--window-size=1280,1100", *ARGUMENTS, "about:blank",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for line in self.process.stderr:
            if found := re.search(r"ws://\S+", line):
                break
        # The pipe must not fill up.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.connection, self.ids, self.events = connect(found[0], max_size=None), itertools.count(1), []
        self.socket = self.connection.__enter__()
        return self

    def __exit__(self, *_):
        self.connection.__exit__(None, None, None)
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.profile.cleanup()

    def send(self, method, session=None, **parameters):
        number = next(self.ids)
        self.socket.send(
            json.dumps(
                {
                    "id": number, "method": method, "params": parameters,
                    **({"sessionId": session} if session else {}),
                }
            )
        )
        while True:
            message = json.loads(self.socket.recv(20))
            if "method" in message:
                self.events.append(message)
            elif message["id"] == number:
                assert "error" not in message, (method, message["error"])
                return message["result"]

    def tab(self, url):
        return Tab(self, url)


class Tab:
    def __init__(self, browser, url):
        self.browser, self.url = browser, url
        self.target = browser.send("Target.createTarget", url=url)["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.send("Performance.enable", timeDomain="threadTicks")
        # The first document is an empty one that goes away.
        eventually(self.is_loaded)

    def is_loaded(self):
        with contextlib.suppress(AssertionError):
            return (
                self.evaluate("document.readyState") == "complete"
                and self.evaluate("location.href") == self.url
            )

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def frames(self, kind):
        """The texts of WebSocket messages `Sent` or `Received` since the last call, where
        `Network.enable` was sent."""
        self.evaluate("0")
        mine = [
            each
            for each in self.browser.events
            if each.get("sessionId") == self.session and each["method"] == f"Network.webSocketFrame{kind}"
        ]
        self.browser.events = [each for each in self.browser.events if each not in mine]
        return [each["params"]["response"]["payloadData"] for each in mine]

    def to_front(self):
        self.browser.send("Target.activateTarget", targetId=self.target)

    def work(self):
        """Seconds of processor time until now: of the page's main thread, and of the process that
        it is in."""
        figures = {each["name"]: each["value"] for each in self.send("Performance.getMetrics")["metrics"]}
        return figures["TaskDuration"], figures["ProcessTime"]
