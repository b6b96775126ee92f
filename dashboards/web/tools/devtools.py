"""A headless Chromium, driven over its pipe by the DevTools protocol; the standard library alone.

The protocol: https://chromedevtools.github.io/devtools-protocol/. Every message of the browser ends
with a zero byte. Whatever a page complains of (an exception, a console error, a refused request, a
report of the content policy) is kept in `Page.complaints`.
"""

import base64
import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import time

# Waiting for the state of a page has this generous limit; nothing is measured against it.
PATIENCE_SECONDS = 120
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe",
]


class Failure(Exception):
    """What a page did not do."""


class Browser:
    """A browser with a profile of its own, which goes with it."""

    def __init__(self, program="chromium"):
        self.profile = tempfile.mkdtemp(prefix="elomill-browser-")
        (read_here, write_there), (read_there, write_here) = os.pipe(), os.pipe()

        def onto_three_and_four():
            # Copies first: either end may itself be 3 or 4.
            ends = os.dup(read_there), os.dup(write_there)
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=onto_three_and_four)
        os.close(read_there)
        os.close(write_there)
        self.to_browser = os.fdopen(write_here, "wb", buffering=0)
        self.from_browser = os.fdopen(read_here, "rb")
        self.answers = {}
        self.sessions = {}
        self.number = 0
        self.arrived = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        rest = b""
        while part := self.from_browser.read1(1 << 16):
            *messages, rest = (rest + part).split(b"\0")
            for message in map(json.loads, messages):
                with self.arrived:
                    if "id" in message:
                        self.answers[message["id"]] = message
                    elif events := self.sessions.get(message.get("sessionId")):
                        events.put((message["method"], message["params"]))
                    self.arrived.notify_all()
        with self.arrived:
            self.answers = None
            self.arrived.notify_all()

    def call(self, method, session=None, **params):
        """Asks the browser and waits for the answer."""
        self.number += 1
        number, message = self.number, {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self.to_browser.write(json.dumps(message).encode() + b"\0")
        with self.arrived:
            told = self.arrived.wait_for(
                lambda: self.answers is None or number in self.answers, PATIENCE_SECONDS)
            if not told or self.answers is None:
                raise Failure(f"the browser is gone or silent at {method}")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def page(self, width=1440, height=1000, theme="light", scale=1.0):
        """A new tab."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.sessions[session] = queue.Queue()
        page = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            page.call(f"{domain}.enable")
        page.look(width, height, theme, scale)
        return page

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """A tab."""

    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.seen = []
        self.hosts = set()

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def look(self, width, height, theme, scale=1.0):
        """The size of the window and the theme of the system."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": theme}])

    def complaints(self):
        """Everything that went wrong in this tab since it was opened."""
        events = self.browser.sessions[self.session]
        while not events.empty():
            name, told = events.get()
            if name == "Runtime.exceptionThrown":
                details = told["exceptionDetails"]
                thrown = details.get("exception", {}).get("description", details["text"])
                self.seen.append(f"exception: {thrown}")
            elif name == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
                words = [str(arg.get("value", arg.get("description"))) for arg in told["args"]]
                self.seen.append(f"console: {' '.join(words)}")
            elif name == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
                entry = told["entry"]
                self.seen.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")
            elif name == "Network.requestWillBeSent":
                self.hosts.add(told["request"]["url"].split("/")[2] or "data")
        return self.seen

    def go(self, url):
        told = self.call("Page.navigate", url=url)
        if told.get("errorText"):
            raise Failure(f"{url}: {told['errorText']}")
        self.wait("document.readyState === 'complete'")

    def value(self, expression):
        """What an expression is, as JSON has it; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        value = answer["result"].get("value")
        # An element has no value of its own: it is there.
        return True if value == {} else value

    def wait(self, expression, patience=None):
        """Waits until an expression is true, and gives it."""
        until = time.monotonic() + (patience or PATIENCE_SECONDS)
        while True:
            try:
                if found := self.value(expression):
                    return found
            except Failure as failure:
                # Between two documents there is nothing to ask.
                if time.monotonic() > until:
                    raise failure
            if time.monotonic() > until:
                shown = self.value("document.querySelector('main')?.innerText?.slice(0, 1500)")
                raise Failure(f"never true: {expression}\non {self.value('location.href')}:\n{shown}")
            time.sleep(0.05)

    def click(self, selector):
        """A click with the mouse in the middle of the first element that matches."""
        place = json.dumps(selector)
        self.wait(f"document.querySelector({place})")
        box = self.value(f"""(() => {{
            const node = document.querySelector({place});
            node.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const {{x, y, width, height}} = node.getBoundingClientRect();
            return [x + width / 2, y + height / 2, width];
        }})()""")
        if not box[2]:
            raise Failure(f"{selector} is not to be seen")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left",
                      clickCount=1)

    def type(self, selector, text):
        self.click(selector)
        self.value(f"document.querySelector({json.dumps(selector)}).select?.()")
        self.call("Input.insertText", text=text)

    def press(self, key, code=0):
        for kind in ("rawKeyDown", "keyUp"):
            # A key that types something is a whole one only with what it types.
            text = {"text": "\r"} if key == "Enter" and kind == "rawKeyDown" else {}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else kind, key=key, code=key,
                      windowsVirtualKeyCode=code, **text)

    def shot(self, path, whole=True):
        """A picture of the window, or of the whole page."""
        clip = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            height = min(size["height"], 6000)
            clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1},
                    "captureBeyondViewport": True}
        data = self.call("Page.captureScreenshot", format="png", **clip)["data"]
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
