"""Tests of tenfold-server for those who watch: events, and the page in a browser where Chromium is there."""
import http.client
import json
import os
import shutil
import socket
import threading
import time
import urllib.parse

from browser import Browser
from running import refused


def events(server, s):
    """Streams tell each state of a job, and end with the job."""
    told = []
    stream = s.events()
    reader = threading.Thread(target=lambda: told.extend(stream), daemon=True)
    name, data = next(stream)  # so that it is there; memory comes every other second
    assert name in ("memory", "job", "tensors"), name
    reader.start()
    a = s.create((30, 30), name="watched", value=1)
    c = s.einsum("ij,jk->ik", a, a, name="seen")
    job = max(s.jobs(), key=lambda one: int(one["id"][1:]))
    assert job["expression"] == "ij,jk->ik" and job["inputs"] == ["watched"] * 2 and job["output"] == "seen"
    assert [data["state"] for name, data in s.events(job["id"])] == ["done"]
    refused(lambda: next(s.events("j999999999")), 404, "not_found")
    c.delete()
    a.delete()

    def seen():
        states = [one["state"] for name, one in list(told) if name == "job" and one["id"] == job["id"]]
        return states[-1:] == ["done"] and "running" in states and any(name == "tensors" for name, _ in list(told))
    while not seen():
        time.sleep(0.02)
    assert len(s.memory()["samples"]) >= 1
    wire = f"/v1/jobs/{job['id']}/events"
    status, body = server.send("GET", wire)
    assert status == 200 and body.startswith(b"event: job\ndata: {"), body


def slow_reader(server, s):
    """Who does not read is cut off; the server keeps little for it, and goes on."""
    url = urllib.parse.urlsplit(server.known["url"])
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.connect((url.hostname, url.port))
    wire.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.known['token']}\r\n\r\n"
                 .encode())
    long = "x" * 100
    body = json.dumps({"function": "sum", "inputs": [long]}).encode()
    s.create(1, name=long).delete()
    tensor = s.create(1, name=long)
    # More bytes of events than the sockets and the server hold.
    connection = http.client.HTTPConnection(url.hostname, url.port)
    head = {"Authorization": f"Bearer {server.known['token']}", "Content-Type": "application/json"}
    for _ in range(12000):
        connection.request("POST", "/v1/reduce?wait=0", body, head)
        answer = connection.getresponse()
        answer.read()
        if answer.status == 429:  # too many wait
            time.sleep(0.01)
        if is_cut_off(wire):
            break
    else:
        raise AssertionError("a reader that reads nothing was not dropped")
    wire.close()
    while s.info()["jobs_waiting"] > 0:
        time.sleep(0.01)
    tensor.delete()


def is_cut_off(wire):
    """Whether the peer has closed the connection, whatever is left to read: TCP_INFO's state is no more ESTABLISHED."""
    return wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != 1


def cookies(server):
    """Logging in and out by hand, and what a page from elsewhere could send."""
    url = urllib.parse.urlsplit(server.known["url"])
    own = f"{url.scheme}://{url.netloc}"

    def send(method, path, value=None, **headers):
        wire = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
        wire.request(method, path, None if value is None else json.dumps(value).encode(),
                     {"Content-Type": "application/json", **{name.replace("_", "-"): one for name, one in headers.items()}})
        answer = wire.getresponse()
        return answer.status, answer.getheader("Set-Cookie"), answer.read()

    status, set_cookie, body = send("POST", "/v1/session", {"token": server.known["token"]}, Origin=own)
    assert status == 200 and "HttpOnly" in set_cookie and "SameSite=Strict" in set_cookie
    assert server.known["token"] not in set_cookie and server.known["token"].encode() not in body
    cookie, secret = set_cookie.split(";")[0], json.loads(body)["secret"]
    assert send("GET", "/v1/tensors", Cookie=cookie)[0] == 401
    assert send("GET", "/v1/tensors", X_Tenfold_Session=secret)[0] == 401
    both = {"Cookie": cookie, "X_Tenfold_Session": secret}
    assert send("GET", "/v1/tensors", **both)[0] == 200
    made = {"name": "forged", "extents": [2]}
    for headers in {"Origin": "http://evil.example"}, {}, {"Origin": own, "X_Tenfold_Session": "0" * 64}, \
            {"Origin": "http://evil.example", "Host": "evil.example"}:
        assert send("POST", "/v1/tensors", made, **{**both, **headers})[0] in (401, 403, 421), headers
    assert send("POST", "/v1/session", {"token": server.known["token"]}, Origin="http://evil.example")[0] == 403
    assert server.send("GET", "/v1/tensors/forged")[0] == 404
    assert send("DELETE", "/v1/session", Origin=own, **both)[0] == 200
    assert send("GET", "/v1/tensors", **both)[0] == 401


def in_browser(server, s):
    """The page, by keyboard and mouse, on a desktop and on a phone."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or server.is_sanitized():
        print("the page was not tested in a browser: there is no chromium")
        return
    for tensor in s.tensors():
        tensor.delete()
    s.create((12, 9), name="A", uniform={"seed": 1})
    s.create((9, 14), name="B", uniform={"seed": 2})
    with Browser(chromium, os.path.dirname(server.file)) as browser:
        browser.size(1280, 900)
        browser.open(server.known["url"] + "/")
        browser.wait("!document.getElementById('login').hidden")
        browser.wait("document.activeElement.id === 'token'")
        browser.type("wrong\r")
        browser.wait("!document.getElementById('login-error').hidden")
        browser.type(server.known["token"] + "\r")
        browser.wait("!document.getElementById('board').hidden && document.querySelectorAll('#tensors tbody tr').length === 2")
        browser.wait("document.getElementById('live').textContent === 'Live'")
        assert browser.run("document.cookie") == "", "scripts can read the cookie"
        browser.run("document.getElementById('expression').focus()")
        browser.type("ik=ij*jk\tA, B\tC\t\t\r")  # Tab over Run to Explain
        browser.wait("!document.getElementById('explanation').hidden")
        assert "12 × 14" in browser.run("document.getElementById('explanation').textContent")
        browser.run("document.querySelector('#compute .primary').click()")
        browser.wait("document.querySelectorAll('#tensors tbody tr').length === 3")
        browser.wait("document.querySelector('#jobs .job.done .title').textContent.includes('ik=ij*jk')")
        assert s.tensor("C").shape == (12, 14)
        s.create(5, name="fromPython")  # another client's work is shown
        browser.wait("[...document.querySelectorAll('#tensors .name')].some(one => one.textContent === 'fromPython')")
        browser.run("""window.asked = fetch; window.fetch = async (path, ...how) => {  // as if tensors were shared
            const answer = await asked(path, ...how);
            if (!path.startsWith('/v1/tensors?') || how[0].method !== 'GET') return answer;
            const told = await answer.json();
            told.tensors[0].shares = {ada: 'read', bob: 'write', carol: 'read', dan: 'read'};
            told.tensors.push({...told.tensors[0], name: 'eve:A', owner: 'eve', access: 'read', shares: undefined});
            return new Response(JSON.stringify(told)); }; 0""")
        s.create(3, name="shown")
        browser.wait("document.querySelectorAll('#tensors tbody tr').length === 6")
        text = browser.run("document.querySelector('#tensors tbody').textContent")
        assert "shared with ada (read), bob (write), carol (read) and 1 more" in text and "eve, who lets you read" in text, text
        assert browser.run("document.querySelectorAll('#tensors tbody button:not(.name)').length") == 5
        browser.run("window.fetch = asked; 0")
        browser.run("document.querySelector('#jobs details summary').click()")
        browser.run("document.getElementById('expression').value = 'ik=ij*'")
        browser.run("document.querySelector('#compute .primary').click()")
        browser.wait("!document.getElementById('compute-error').hidden")
        for width in 1280, 360:  # nothing is wider than the window
            browser.size(width, 800)
            assert browser.run("document.documentElement.scrollWidth <= window.innerWidth"), width
        unlabelled = browser.run("[...document.querySelectorAll('input, select, button')].filter(one => !one.labels?.length "
                                 "&& !one.textContent.trim() && !one.ariaLabel).map(one => one.id)")
        assert unlabelled == [], unlabelled
        browser.open(server.known["url"] + "/")  # the session stays
        browser.wait("document.querySelectorAll('#tensors tbody tr').length === 5")
        for number in range(97):
            s.create(1, name=f"many{number}")
        browser.wait("document.querySelectorAll('#tensors tbody tr').length === 100 && "
                     "document.getElementById('tile-tensors').textContent.startsWith('102 ')")
        browser.run("document.getElementById('more-tensors').click()")
        browser.wait("document.querySelectorAll('#tensors tbody tr').length === 102 && document.getElementById('more-tensors').hidden")
        browser.run("document.getElementById('log-out').click()")
        browser.wait("!document.getElementById('login').hidden && document.getElementById('board').hidden")
        assert browser.problems() == [], browser.problems()
    for tensor in s.tensors():
        tensor.delete()
