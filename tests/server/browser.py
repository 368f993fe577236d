"""A headless Chromium, driven over pipes by the DevTools protocol: no more than tests of a page need."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds until something that does not happen is an error
KEYS = {"\r": ("Enter", 13), "\t": ("Tab", 9)}


class Browser:
    def __init__(self, program, folder):
        self.profile = tempfile.mkdtemp(dir=folder)
        there, self._to = os.pipe()
        self._from, back = os.pipe()

        def pipes():  # Chromium reads from 3 and writes to 4
            low, high = os.dup(there), os.dup(back)
            os.dup2(low, 3)
            os.dup2(high, 4)
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking", "--mute-audio",
             f"--user-data-dir={self.profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=pipes)
        os.close(there)
        os.close(back)
        self._buffer, self._last, self._problems = b"", 0, []
        self._session = None
        page = next(one for one in self._ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self._ask(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _ask(self, method, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self._buffer:
                if not select.select([self._from], [], [], max(0, end - time.monotonic()))[0]:
                    raise AssertionError(f"the browser does not answer to {method}")
                self._buffer += os.read(self._from, 1 << 20)
            text, _, self._buffer = self._buffer.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._take(answer)

    def _take(self, event):
        if event["method"] == "Runtime.exceptionThrown":
            self._problems.append(event["params"]["exceptionDetails"]["exception"].get("description"))
        elif event["method"] == "Log.entryAdded" and event["params"]["entry"]["source"] == "security":
            self._problems.append(event["params"]["entry"]["text"])

    def problems(self):
        """Exceptions of scripts, and what the page's policy forbade."""
        self.run("0")
        return self._problems

    def open(self, url):
        self._ask("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def size(self, width, height, scale=1, dark=False):
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self._ask("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script):
        """The value of an expression."""
        result = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > end:
                raise AssertionError(f"it never came: {condition}; {self._problems}")
            time.sleep(0.03)

    def type(self, text):
        """Keys, as somebody presses them; \\r and \\t are Enter and Tab."""
        for letter in text:
            name, code = KEYS.get(letter, (letter, 0))
            more = {"text": letter} if letter != "\t" else {}
            self._ask("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, **more)
            self._ask("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def picture(self, file, height=None):
        more = {} if height is None else {"captureBeyondViewport": True}
        with open(file, "wb") as out:
            out.write(base64.b64decode(self._ask("Page.captureScreenshot", format="png", **more)["data"]))
