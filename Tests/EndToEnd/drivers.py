"""Browsers other than Chromium, driven by the protocols of the W3C: Firefox by WebDriver BiDi,
WebKitGTK by WebDriver.

Both need nothing but the browser's own package; a page is asked the same things whichever it is.
"""

import base64
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

from sluice import PATIENCE, eventually
from websockets.sync.client import ClientConnection, connect

KEYS = {
    "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Control": "\ue009", "Shift": "\ue008",
    "Home": "\ue011", "End": "\ue010", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}
# The first visible element of a selector, with these words in it or as its name.
FIND = """((selector, text) => [...document.querySelectorAll(selector)].find((e) => e.checkVisibility() && e.getClientRects().length &&
    (text === null || e.textContent.includes(text) || (e.ariaLabel ?? "").includes(text))))"""
# What a page complains of, from the moment this runs.
LISTEN = """globalThis.complaints ??= (() => {
    const list = [], say = (...words) => list.push(words.map(String).join(" "));
    addEventListener("securitypolicyviolation", (e) => say("policy", e.violatedDirective, e.blockedURI));
    addEventListener("error", (e) => say("error", e.message, e.filename, e.lineno));
    addEventListener("unhandledrejection", (e) => say("rejection", e.reason));
    for (const kind of ["error", "warn"]) { const old = console[kind]; console[kind] = (...a) => { say(kind, ...a); old.apply(console, a); }; }
    return list;
})()"""


class Page:
    """A window that is a client of its own. Subclasses know the protocol: `evaluate`, `perform`,
    `goto`, `resize`, `picture`, `close`."""

    closed = False

    def wait(self, expression):
        return eventually(lambda: self.evaluate(expression), expression)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def wait_text(self, selector, words):
        pattern = re.compile(words)
        eventually(
            lambda: pattern.search(self.text(selector) or ""),
            f"{words!r} in {selector} instead of {self.text(selector)!r}",
        )

    def find(self, selector, text=None):
        return f"{FIND}({json.dumps(selector)}, {json.dumps(text)})"

    def place(self, selector, text=None):
        """The middle of an element that stands still, scrolled into view."""
        element = self.find(selector, text)
        self.wait(f"Boolean({element})")
        return self.evaluate(f"""(async () => {{
            const e = {element};
            e.scrollIntoView({{ block: "nearest", inline: "nearest" }});
            for (let last = ""; ;) {{
                const {{ x, y, width, height }} = e.getBoundingClientRect(), now = [x, y].join();
                if (now === last) return [Math.round(x + width / 2), Math.round(y + height / 2)];
                last = now;
                await new Promise((done) => setTimeout(done, 50));
            }}
        }})()""")

    def pointer(self, *steps):
        self.perform(
            [
                {
                    "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                    "actions": list(steps),
                }
            ]
        )

    def click(self, selector, text=None):
        x, y = self.place(selector, text)
        self.pointer(
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        )

    def drag(self, selector, by_x, by_y, pause=300):
        x, y = self.place(selector)
        moves = [
            {"type": "pointerMove", "x": x + by_x * i // 4, "y": y + by_y * i // 4, "duration": 40}
            for i in range(1, 5)
        ]
        self.pointer(
            {"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": pause}, *moves, {"type": "pointerUp", "button": 0},
        )

    def press(self, *keys):
        """Presses keys one after the other: characters, names of `KEYS`, or `Control+a`."""
        actions = []
        for key in keys:
            parts = [KEYS.get(part, part) for part in (key.split("+") if len(key) > 1 else [key])]
            actions += [{"type": "keyDown", "value": part} for part in parts] + [
                {"type": "keyUp", "value": part} for part in reversed(parts)
            ]
        self.perform([{"type": "key", "id": "keys", "actions": actions}])

    def fill(self, selector, text):
        self.click(selector)
        self.press("Control+a", *text)

    def back(self):
        """To the page before, which may come as it was left; nothing is waited for."""
        self.evaluate("void setTimeout(() => history.back())")

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.picture()))


class Firefox:
    """Firefox with a profile of its own; every page is in a container of its own, so that nothing
    is shared."""

    name = "firefox"

    @staticmethod
    def absent():
        return (
            None
            if shutil.which("firefox-esr") or shutil.which("firefox")
            else "Firefox is not installed (Debian: firefox-esr)"
        )

    def __init__(self, **preferences):
        self.profile = tempfile.TemporaryDirectory(prefix="sluice-firefox-", ignore_cleanup_errors=True)
        lines = {
            "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
            "app.update.enabled": False, "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False, "extensions.update.enabled": False,
            "browser.safebrowsing.update.enabled": False, "services.settings.server": "data:,", **preferences,
        }
        pathlib.Path(self.profile.name, "user.js").write_text(
            "".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in lines.items())
        )
        self.process = subprocess.Popen(
            [
                shutil.which("firefox-esr") or shutil.which("firefox"), "--headless", "--no-remote",
                "--profile", self.profile.name, "--remote-debugging-port", "0", "about:blank",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for line in self.process.stderr:
            if found := re.search(r"BiDi listening on (ws://\S+)", line):
                break
        # The pipe must not fill up.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.connection, self.ids, self.events = (
            connect(found[1] + "/session", max_size=None), itertools.count(1), [],
        )
        self.socket: ClientConnection = self.connection.__enter__()
        self.version = self.send("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def send(self, method, **parameters):
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(PATIENCE))
            if message["type"] == "event":
                self.events.append(message)
            elif message["id"] == number:
                assert message["type"] == "success", (method, message["error"], message["message"])
                return message["result"]

    def open(self, url, size=(1280, 800)):
        return FirefoxPage(self, url, size)

    def close(self):
        self.connection.__exit__(None, None, None)
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.profile.cleanup()


class FirefoxPage(Page):
    def __init__(self, browser, url, size):
        self.browser = browser
        self.user = browser.send("browser.createUserContext")["userContext"]
        self.context = browser.send("browsingContext.create", type="window", userContext=self.user)["context"]
        browser.send(
            "script.addPreloadScript", functionDeclaration=f"() => {{ {LISTEN}; }}", contexts=[self.context]
        )
        self.resize(*size)
        self.goto(url)

    def goto(self, url):
        self.browser.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression):
        answer = self.browser.send(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then((v) => JSON.stringify(v) ?? 'null')",
            target={"context": self.context}, awaitPromise=True, userActivation=False,
        )
        assert answer["type"] == "success", (expression, answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def perform(self, actions):
        self.browser.send("input.performActions", context=self.context, actions=actions)

    def resize(self, width, height, ratio=None):
        self.browser.send(
            "browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height},
            devicePixelRatio=ratio,
        )

    def picture(self):
        return self.browser.send("browsingContext.captureScreenshot", context=self.context)["data"]

    def problems(self):
        """Everything its console said as a warning or an error, exceptions included, and what it
        asked for elsewhere."""
        return [
            each["params"]["text"]
            for each in self.browser.events
            if each["method"] == "log.entryAdded"
            and each["params"]["level"] in ("warn", "error")
            and each["params"]["source"].get("context") == self.context
        ] + [c for c in self.evaluate("globalThis.complaints ?? []") if c.startswith("policy")]

    def requests(self):
        return [
            each["params"]["request"]["url"]
            for each in self.browser.events
            if each["method"] == "network.beforeRequestSent" and each["params"]["context"] == self.context
        ]

    def close(self):
        if not self.closed:
            self.closed = True
            self.browser.send("browser.removeUserContext", userContext=self.user)


class WebKit:
    """WebKitGTK's small browser on a screen that nobody sees. One session has all pages; they share
    cookies and storage."""

    name = "webkit"

    @staticmethod
    def program():
        return next(iter(pathlib.Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")), None)

    @staticmethod
    def absent():
        if shutil.which("WebKitWebDriver") and shutil.which("Xvfb") and WebKit.program():
            return None
        return "WebKitGTK is not installed (Debian: webkit2gtk-driver, xvfb)"

    @staticmethod
    @contextlib.contextmanager
    def screen():
        """A screen that nobody sees; yields the environment of a program that is to use it."""
        reading, writing = os.pipe()
        running = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x2400x24", "-nolisten", "tcp"],
            pass_fds=[writing], stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        try:
            with os.fdopen(reading) as end:
                yield {**os.environ, "DISPLAY": ":" + end.readline().strip(), "LIBGL_ALWAYS_SOFTWARE": "1"}
        finally:
            running.terminate()
            running.wait(PATIENCE)

    def __init__(self):
        self.ending = contextlib.ExitStack()
        self.environment = self.ending.enter_context(self.screen())
        for self.port in range(20_000 + os.getpid() % 20_000, 60_000):
            self.driver = subprocess.Popen(
                ["WebKitWebDriver", f"--port={self.port}"], env=self.environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if self.answers():
                break
        options = {"binary": str(self.program()), "args": ["--automation"]}
        made = self.send(
            "POST", "",
            capabilities={"alwaysMatch": {"browserName": "MiniBrowser", "webkitgtk:browserOptions": options}},
        )
        self.session, self.version = made["sessionId"], made["capabilities"]["browserVersion"]
        # The first window stays empty: it is what the session lives in.
        self.window = self.empty = self.send("GET", f"/{self.session}/window")

    def answers(self):
        """Whether the driver has the port; one that somebody else has makes it end."""
        end = time.monotonic() + PATIENCE
        while self.driver.poll() is None and time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            try:
                connection.request("GET", "/status")
                connection.getresponse().read()
                return self.driver.poll() is None
            except OSError:
                time.sleep(0.05)
        return False

    def send(self, method, path, **body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(
                method, "/session" + path, json.dumps(body) if method == "POST" else None,
                {"Content-Type": "application/json"},
            )
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        assert not (isinstance(value, dict) and "error" in value), (method, path, value)
        return value

    def show(self, window):
        """Further commands are for this window."""
        if self.window != window:
            self.send("POST", f"/{self.session}/window", handle=window)
            self.window = window

    def open(self, url, size=(1280, 800)):
        return WebKitPage(self, url, size)

    def close(self):
        self.send("DELETE", f"/{self.session}")
        self.driver.terminate()
        self.driver.wait(PATIENCE)
        self.ending.close()


class WebKitPage(Page):
    def __init__(self, browser, url, size):
        self.browser = browser
        browser.show(browser.empty)
        self.handle = browser.send("POST", f"/{browser.session}/window/new", type="window")["handle"]
        self.resize(*size)
        self.goto(url)

    def send(self, method, path, **body):
        self.browser.show(self.handle)
        return self.browser.send(method, f"/{self.browser.session}{path}", **body)

    def goto(self, url):
        self.send("POST", "/url", url=url)
        self.evaluate(LISTEN)

    def evaluate(self, expression):
        # An answer that is an element or a list with one has a form of its own; as text everything
        # is only data.
        script = (
            f"const done = arguments[0]; Promise.resolve().then(() => ({expression})).then((v) => "
            "done([JSON.stringify(v) ?? 'null']), (e) => done([null, String(e)]));"
        )
        value, *error = self.send("POST", "/execute/async", script=script, args=[])
        assert not error, (expression, error)
        return json.loads(value)

    def perform(self, actions):
        self.send("POST", "/actions", actions=actions)

    def resize(self, width, height):
        for _ in range(2):
            had = self.send("GET", "/window/rect")
            inner = self.evaluate("[innerWidth, innerHeight]")
            self.send(
                "POST", "/window/rect", width=width + had["width"] - inner[0],
                height=height + had["height"] - inner[1],
            )

    def picture(self):
        return self.send("GET", "/screenshot")


    def problems(self):
        return self.evaluate("globalThis.complaints ?? []")

    def close(self):
        if self.closed:
            return
        self.closed = True
        self.send("DELETE", "/window")
        # The command that follows has to name a window that is there.
        self.browser.window = None
        self.browser.show(self.browser.empty)
