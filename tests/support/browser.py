"""A headless Chromium, driven by its own protocol over two pipes: no driver and no package is needed.

    with Browser.started() as browser:
        page = browser.page(width=390)
        page.open("http://127.0.0.1:8000/")
        page.value("document.title")

A page answers requests to its own server only. Every other request is blocked and listed in `outside`.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from taking_part import missing, need
from terminal import readable

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
SECONDS = 60
"""The longest wait for one answer: the tests run side by side."""


def program() -> str:
    """The path of the browser. Without one the test is skipped, or fails where every engine is required."""
    need("browser")
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        missing("a browser", FileNotFoundError("no chromium and no google-chrome"))
    return found


def _pipe() -> list[int]:
    """Both ends of a pipe, numbered from 10: the browser's own ends become 3 and 4."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved


def _end(process: int, seconds: float = 10) -> None:
    """Wait until the process has ended, or end it."""
    end = time.monotonic() + seconds
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return
        time.sleep(0.01)


class Browser:
    """One process, and the messages to and from it."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._rest, self._last = b"", 0
        self.pages: dict[str, Page] = {}

    @classmethod
    @contextlib.contextmanager
    def started(cls, *flags: str) -> Iterator[Browser]:
        """Start it with an empty profile and more flags, and stop it."""
        command = program()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            commands, answers = _pipe(), _pipe()
            null = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in (0, 1, 2)]
            ends = [(os.POSIX_SPAWN_DUP2, commands[0], 3), (os.POSIX_SPAWN_DUP2, answers[1], 4)]
            arguments = [command, *FLAGS, *flags, f"--user-data-dir={folder}"]
            process = os.posix_spawn(command, arguments, os.environ, file_actions=null + ends)
            os.close(commands[0])
            os.close(answers[1])
            try:
                yield cls(commands[1], answers[0])
            finally:
                os.close(commands[1])  # it ends by itself
                _end(process)
                os.close(answers[0])

    def page(self, width: int = 1280, height: int = 800) -> Page:
        """A new, empty page."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        made = self.pages[session] = Page(self, session, width, height)
        made.start()
        return made

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events on the way go to their pages."""
        number = self.send(method, session, **parameters)
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return dict(message["result"])

    def send(self, method: str, session: str | None = None, **parameters: Any) -> int:
        """Send a command only."""
        self._last += 1
        body: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if session:
            body["sessionId"] = session
        os.write(self._write, json.dumps(body).encode() + b"\0")
        return self._last

    def message(self, seconds: float = SECONDS) -> dict[str, Any]:
        """The next message. An event is handled by its page first."""
        end = time.monotonic() + seconds
        while b"\0" not in self._rest:
            if not readable(self._read, max(0, end - time.monotonic())):
                raise TimeoutError(f"the browser said nothing for {seconds:g} seconds")
            got = os.read(self._read, 1 << 20)
            if not got:
                raise EOFError("the browser ended")
            self._rest += got
        body, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(body)
        if "method" in message and (page := self.pages.get(message.get("sessionId", ""))):
            page.event(message["method"], message["params"])
        return message


class Page:
    """A page of the browser."""

    def __init__(self, browser: Browser, session: str, width: int, height: int) -> None:
        self.browser, self.session, self.size = browser, session, (width, height)
        self.outside: list[str] = []
        """Addresses that were asked for elsewhere than on this machine."""
        self.failed: list[str] = []
        """Answers of 400 and above."""
        self.errors: list[str] = []
        """Exceptions and errors that the page wrote to its console."""
        self.told: list[str] = []
        """All that the page, or the browser about it, wrote to its console."""

    def start(self) -> None:
        """Listen, and look at every request before it leaves."""
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self.resize(*self.size)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command to this page."""
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width: int, height: int = 800) -> None:
        """Show the page at this size; below 500 pixels as a phone does."""
        self.size = (width, height)
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )

    def dark(self, dark: bool) -> None:
        """Prefer dark or light colours."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def event(self, method: str, found: dict[str, Any]) -> None:
        """Block what is outside; remember what went wrong."""
        if method == "Fetch.requestPaused":
            url = found["request"]["url"]
            if url.startswith(("http://127.0.0.1:", "data:", "blob:", "about:", "file:")):
                self.browser.send("Fetch.continueRequest", self.session, requestId=found["requestId"])
            else:
                self.outside.append(url)
                reason = {"requestId": found["requestId"], "errorReason": "BlockedByClient"}
                self.browser.send("Fetch.failRequest", self.session, **reason)
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.told.append(json.dumps(found))
        if method == "Network.responseReceived" and found["response"]["status"] >= 400:
            self.failed.append(f"{found['response']['status']} {found['response']['url']}")
        elif method == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            self.errors.append(str(details.get("exception", {}).get("description", details["text"])))
        elif method == "Log.entryAdded" and found["entry"]["level"] == "error":
            self.errors.append(f"{found['entry']['text']} {found['entry'].get('url', '')}")

    def open(self, url: str) -> None:
        """Go to an address, until its load event."""
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """The value of an expression in JavaScript, awaited."""
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def wait(self, expression: str, seconds: float = SECONDS) -> None:
        """Until the expression is true."""
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds:g} seconds: {expression}; {self.errors}")
            time.sleep(0.02)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def press(self, key: str, *, control: bool = False) -> None:
        """Press a key and let it go."""
        named = {"Enter": 13, "Backspace": 8}
        code = named.get(key, ord(key[0].upper()))
        given: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if control else 0}
        if control and key == "a":
            given["commands"] = ["selectAll"]
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", **given)
        given.pop("commands", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write what is seen, or the whole page, as PNG."""
        given: dict[str, Any] = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12_000), "scale": 1}
            given = {"captureBeyondViewport": True, "clip": clip}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **given)["data"]))


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as any web server does, with no headers of its own; the address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
