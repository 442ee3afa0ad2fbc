"""Chromium as a reader of pages: keys are pressed, and what the page shows is asked for.

It speaks Chromium's own protocol over two pipes, so nothing but Chromium has to be installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

CHROMIUM = shutil.which("chromium")
COMMAND = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")
BEGIN = """
import fcntl, os, sys
# Pipes may have one of these numbers already, and so go by way of others.
high = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]
for number, each in enumerate(high, start=3):
    os.dup2(each, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""A program that begins Chromium, which reads from 3 and writes to 4."""
ALT, CONTROL, SHIFT = 1, 2, 8
CODES = {
    "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9,
    "F8": 119,
}  # fmt: skip
"""Windows' numbers of keys that write no letter, by which Chromium knows them."""
PATIENCE = 40.0
"""Seconds that a page has to show something."""
PAUSE = 0.1


class Tab:
    """A page that is open in Chromium."""

    def __init__(self, talk: _Talk) -> None:
        self._talk = talk
        target = talk.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = talk.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def _ask(self, method: str, **given: Any) -> Any:
        return self._talk.ask(method, self._session, **given)

    def open(self, address: str) -> None:
        """Go to an address."""
        self._ask("Page.navigate", url=address)

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """Have a window of this size."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        done = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, expression: str, patience: float = PATIENCE) -> Any:
        """The value of an expression, once it is none that counts as false."""
        end = monotonic() + patience
        while not (value := self.value(f"(() => {{ try {{ return {expression}; }} catch {{ return null; }} }})()")):
            assert monotonic() < end, (
                f"{expression} has not come; the page says {self.value('document.body.innerText')}"
            )
            sleep(PAUSE)
        return value

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press a key, and let it go."""
        letter = key if len(key) == 1 and not modifiers & (ALT | CONTROL) else ""
        code = CODES.get(key, ord(key[0].upper()))
        told = {"key": key, "code": key if len(key) > 1 else "", "modifiers": modifiers, "windowsVirtualKeyCode": code}
        text = {"Enter": "\r"}.get(key, letter)
        self._ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **told)
        self._ask("Input.dispatchKeyEvent", type="keyUp", **told)

    def write(self, text: str) -> None:
        """Press the keys of a text."""
        for letter in text:
            self.press("Enter" if letter == "\n" else letter)

    def point(self, x: float, y: float) -> None:
        """Rest the pointer at a place of the window."""
        self._ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, path: Path) -> None:
        """Write what the window shows into a PNG."""
        path.write_bytes(b64decode(self._ask("Page.captureScreenshot", format="png")["data"]))


class _Talk:
    """Questions to Chromium, and its answers, each of which ends with a zero."""

    def __init__(self, writes: int, reads: int) -> None:
        self._writes, self._reads = writes, reads
        self._number, self._rest = 0, b""

    def ask(self, method: str, session: str | None = None, **given: Any) -> Any:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": given} | ({"sessionId": session} if session else {})
        os.write(self._writes, json.dumps(asked).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            pass
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _next(self) -> Any:
        while b"\0" not in self._rest:
            more = os.read(self._reads, 1 << 16)
            assert more, "Chromium has ended"
            self._rest += more
        answer, _, self._rest = self._rest.partition(b"\0")
        return json.loads(answer)


@contextmanager
def chromium() -> Iterator[Tab]:
    """A tab of a Chromium that remembers nothing."""
    (reads_there, writes), (reads, writes_there) = os.pipe(), os.pipe()
    pipes = (str(reads_there), str(writes_there))
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-c", BEGIN, *pipes, str(CHROMIUM), *COMMAND, f"--user-data-dir={folder}"]
        process = subprocess.Popen(
            command, pass_fds=(reads_there, writes_there), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(reads_there)
        os.close(writes_there)
        talk = _Talk(writes, reads)
        try:
            yield Tab(talk)
            talk.ask("Browser.close")
            process.wait(20)
        finally:
            process.kill()
            process.wait()
            os.close(writes)
            os.close(reads)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """The address of a host of files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
