# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A headless Chromium, driven through the pipe of its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/).

It needs nothing but the standard library and a Chromium or Chrome on PATH, or its path in the variable CHROMIUM.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
# for one answer, on a busy machine
PATIENCE = 120

# the browser reads commands from descriptor 3 and writes answers to 4
LAUNCHER = (
    "import fcntl, os, sys\n"
    "read, write = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])\n"
    "os.dup2(read, 3), os.dup2(write, 4)\n"
    "os.close(read), os.close(write)\n"
    "os.execv(sys.argv[3], sys.argv[3:])\n"
)


def find_chromium() -> str | None:
    """The path of a Chromium or Chrome, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class BrowserError(Exception):
    """The browser refused a command, or did not answer."""


class Browser:
    """A headless browser with a profile of its own. A context manager."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, self._commands = os.pipe()
        self._answers, write = os.pipe()
        command = [
            program, "--headless", "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}", "--no-first-run",
            "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--hide-scrollbars",
            # the sandbox needs rights that containers do not have, and only pages of these tests are opened
            "--no-sandbox",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(read), str(write), *command],
            pass_fds=(read, write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(read)
        os.close(write)
        self._number = 0
        self._buffer = b""
        self.pages: dict[str, Page] = {}

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_exc: object) -> None:
        try:
            self.send("Browser.close")
            self._process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()

    def send(self, method: str, session: str | None = None, **params: Any) -> Any:
        """The result of a command."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(end, method)
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]

    def _receive(self, end: float, method: str) -> Any:
        """The next message; events go to their page."""
        while b"\0" not in self._buffer:
            if not select.select([self._answers], [], [], max(0, end - time.monotonic()))[0]:
                raise BrowserError(f"no answer to {method} within {PATIENCE} seconds")
            received = os.read(self._answers, 1 << 20)
            if not received:
                raise BrowserError(f"the browser ended during {method}, with status {self._process.poll()}")
            self._buffer += received
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId", ""))
        if "method" in message and page:
            page.events.append(message)
        return message

    def open(
        self,
        path: Path,
        *,
        fragment: str = "",
        width: int = 1200,
        height: int = 900,
        dark: bool = False,
        script: bool = True,
    ) -> Page:
        """A new tab with a file, loaded. script: whether the scripts of the page run."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.send("Emulation.setScriptExecutionDisabled", value=not script)
        page.go(path.absolute().as_uri() + fragment)
        return page


class Page:
    """A tab. events: those that the browser reported."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target
        self.events: list[Any] = []

    def send(self, method: str, **params: Any) -> Any:
        return self._browser.send(method, self._session, **params)

    def go(self, url: str) -> None:
        """Load an address, and wait for the end of it."""
        self.events.clear()
        self.send("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.send("Runtime.evaluate", expression="1")

    def run(self, expression: str) -> Any:
        """The value of JavaScript, which may be a promise. Raises BrowserError."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def texts(self, selector: str) -> list[str]:
        """The visible text of the elements that match a selector."""
        query = f"[...document.querySelectorAll({json.dumps(selector)})].map((each) => each.innerText)"
        found: list[str] = self.run(query)
        return found

    def press(self, key: str, text: str = "") -> None:
        """Press and release a key, such as Tab or Enter."""
        code = {"Enter": 13, "Tab": 9, "Space": 32}.get(key, ord(text) if text else 0)
        name = " " if key == "Space" else key
        typed = text or {"Enter": "\r", "Space": " "}.get(key, "")
        self.send("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, text=typed)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        """Write into the focused field."""
        self.send("Input.insertText", text=text)

    def choose(self, selector: str, value: str) -> None:
        """Choose an option of a select, as a person does."""
        self.run(
            f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.value = {json.dumps(value)};"
            ' field.dispatchEvent(new Event("input", {bubbles: true})); })()'
        )

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def complaints(self) -> list[str]:
        """What the console shows, such as exceptions and what the content security policy refuses, and other requests."""
        self.send("Runtime.evaluate", expression="1")
        found = []
        for event in self.events:
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"].get("exception", params)))
            elif method == "Log.entryAdded":
                found.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append(str(params["args"]))
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith("file:"):
                found.append(f"request of {params['request']['url']}")
            elif method == "Page.javascriptDialogOpening":
                found.append(f"dialog: {params['message']}")
        return found

    def screenshot(self, whole: bool = False) -> bytes:
        """A picture of the window, or of the whole page, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"])

    def pdf(self) -> bytes:
        return base64.b64decode(self.send("Page.printToPDF", printBackground=False)["data"])

    def close(self) -> None:
        self._browser.send("Target.closeTarget", targetId=self._target)
        del self._browser.pages[self._session]
