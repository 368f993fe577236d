"""What tenfold-server must survive: ranks that die, requests around the memory limit, and requests that are damaged."""
import http.client
import io
import json
import os
import re
import signal
import socket
import threading
import time
import urllib.parse

import client
import numpy as np
from client import _bulk
from running import Server, chance, draw, numbers, ranks, refused

GONE = (client.ServerError, OSError, http.client.HTTPException)  # what clients of a server that dies may see


class Kept:
    """Every tensor that clients know, by its generation."""

    def __init__(self):
        self.arrays = {}

    def add(self, tensor, array):
        self.arrays[tensor.generation] = np.array(array, order="F")
        return tensor


def half_a_body(server, s, kept, root):
    url = urllib.parse.urlsplit(server.known["url"])
    with socket.create_connection((url.hostname, url.port)) as wire:
        wire.sendall(b"PUT /v1/tensors/half/data?format=raw&type=f64&extents=1000 HTTP/1.1\r\nHost: localhost\r\n"
                     + f"Authorization: Bearer {server.known['token']}\r\nContent-Length: 8000\r\n\r\n".encode()
                     + b"x" * 4000)
        time.sleep(0.5)


def upload(server, s, kept, root):
    array = draw.standard_normal((300, 1500))
    kept.add(s.put(array, "upload"), array)


def overwrite(server, s, kept, root):
    tensor = s.tensor("kept")
    array = kept.arrays[tensor.generation].copy()
    array[20:80, 7:] = draw.standard_normal((60, 293))
    tensor[20:80, 7:] = array[20:80, 7:]
    kept.add(tensor, array)


def contract(server, s, kept, root):
    array = numbers((250, 250), np.float64)
    a = s.put(array, "factor")
    kept.add(s.einsum("ij,jk,kl->il", a, a, a, name="product"), array @ array @ array)


def elements(server, s, kept, root):
    tensor = s.tensor("kept")
    kept.add(s.map("scale", tensor, factor=2, name="twice"), 2 * kept.arrays[tensor.generation])


def save(server, s, kept, root):
    for name in "ab":
        array = draw.standard_normal((70, 500))
        kept.add(s.put(array, name), array)
    s.save_checkpoint()


def in_files(server, s, kept, root):
    tensor = s.tensor("kept")
    tensor.to_file("kept.npy")
    kept.add(s.from_file("kept.npy", "copy"), kept.arrays[tensor.generation])


# What the server does when a rank dies.
POINTS = {
    "idle": lambda server, s, kept, root: time.sleep(0.1),
    "half a body": half_a_body,
    "upload": upload,
    "overwrite": overwrite,
    "download": lambda server, s, kept, root: s.tensor("kept").get(),
    "contract": contract,
    "elements": elements,
    "reduce": lambda server, s, kept, root: s.tensor("kept").norm(),
    "save": save,
    "load": lambda server, s, kept, root: s.restore("kept"),
    "files": in_files,
    "start": None,
}


def killed_ranks(folder, rounds):
    """Whichever rank dies while the server does whatever: the next one has all tensors of the last manifest, bit for
    bit, and reports each later one lost. `rounds` are pairs of a point and a rank."""
    place, root = os.path.join(folder, "dying"), os.path.join(folder, "dying-root")
    os.makedirs(root)
    options = ["--checkpoint", place, "--root", root]
    kept = Kept()
    for point, victim in [*rounds, (None, None)]:
        if point == "start":
            starting = Server(folder, *options, waits=False)
            time.sleep(chance.uniform(0.05, 0.5))
            starting.kill_rank(victim)
        server = Server(folder, *options)
        check_kept(server, kept, os.path.join(place, "manifest.json"))
        if point is None:
            break
        with client.connect(server.file) as s:
            array = draw.standard_normal((100, 300))
            kept.add(s.put(array, "kept"), array)
            s.save_checkpoint()
            array = draw.standard_normal((30, 20))
            kept.add(s.put(array, "later"), array)
        worker = threading.Thread(target=work_until_it_dies, args=(server, POINTS[point], kept, root))
        if POINTS[point]:
            worker.start()
            time.sleep(chance.uniform(0.02, 0.3))
        server.kill_rank(victim)
        if POINTS[point]:
            worker.join()
    server.stop()


def work_until_it_dies(server, work, kept, root):
    try:
        with client.connect(server.file) as s:
            while server.process.poll() is None:
                work(server, s, kept, root)
    except GONE:
        pass


def check_kept(server, kept, manifest):
    with client.connect(server.file) as s:
        saved = {"tensors": [], "last_tensor": 0, "pending": []}
        if os.path.exists(manifest):
            with open(manifest) as file:
                saved = json.load(file)["manifest"]
        there = {one["id"]: one["name"] for one in saved["tensors"]}
        assert there == {one.generation: one.name for one in s.tensors()}, there
        for tensor in s.tensors():
            array = tensor.get()
            if tensor.generation in kept.arrays:  # else its client never heard of it
                assert array.tobytes("F") == kept.arrays[tensor.generation].tobytes("F"), tensor
        for generation in kept.arrays:
            if generation > saved["last_tensor"] or generation in saved["pending"]:
                status, answer = server.send("GET", f"/v1/tensors/kept?generation={generation}")
                assert status == 410 and b'"lost"' in answer, (generation, status, answer)


def around_the_limit(server, s, count):
    """Random requests around the limit: none that is admitted fails, and none is refused that fits."""
    limit = s.info()["memory"]["limit_per_rank"]
    server.most_memory()
    memory = server.most_memory()  # without tensors
    made = []  # tensors of one value each, and the value
    counts = {"done": 0, "refused": 0}

    def resident(*more):
        return max(sum(one.bytes_per_rank[rank] for one, _ in made) + sum(bytes_of[rank] for bytes_of in more)
                   for rank in range(ranks))

    def attempt(call, value, must=None):
        """`must`: whether it is known to fit (True) or not to (False)."""
        try:
            result = call()
        except client.ServerError as error:
            assert error.code == "insufficient_memory" and error.fields["least"] > limit and must is not True, \
                (error.status, error.code, str(error), must)
            counts["refused"] += 1
            return None
        assert must is not False, "more than there is"
        counts["done"] += 1
        if isinstance(result, client.Tensor):
            assert s.reduce("min", result) == s.reduce("max", result) == value
            made.append((result, value))
        return result

    for _ in range(count):
        while len(made) > 1 and (chance.random() < 0.2 or resident() > 0.9 * limit):
            made.pop(chance.randrange(len(made)))[0].delete()
        free = limit - resident()
        what = chance.choice(["create", "put", "map", "product", "product", "chain", "reduce", "get"])
        if what in ("create", "put") or len(made) < 2:
            most = 1.1 if chance.random() < 0.3 else 0.3
            size = max(1, int(chance.uniform(0.01, most) * free / 8))
            rows = chance.choice([10, 60, 300]) * ranks
            shape = (rows, max(1, size // rows) * ranks)  # however it is cut, all ranks have as much
            own = [8 * shape[0] * shape[1] // ranks] * ranks
            value = chance.randrange(1, 5)
            if what == "create":
                attempt(lambda: s.create(shape, value=value), value, resident(own) <= limit)
            elif 8 * shape[0] * shape[1] <= limit:
                attempt(lambda: s.put(np.full(shape, float(value))), value)
            continue
        a, value = chance.choice(made)
        if what == "map":
            attempt(lambda: s.map("scale", a, factor=2), 2 * value, resident(a.bytes_per_rank) <= limit)
        elif what == "reduce":
            assert s.reduce("max", a) == value
        elif what == "get":
            attempt(lambda: a.get(np.s_[: a.shape[0] // 2]), value)
            while s.info()["memory"]["bodies"]:
                time.sleep(0.001)
        else:
            expression, inputs, expected = ("ij,kj->ik", [a, a], value**2 * a.shape[1]) if what == "product" \
                else ("ij,kj,kl->il", [a, a, a], value**3 * a.shape[1] * a.shape[0])
            if expected > 2**50:
                continue
            try:
                plan = s.explain(expression, *inputs)
                fits = plan["peak_bytes_per_rank"] <= plan["available_bytes_per_rank"]
            except client.ServerError as error:
                assert error.code == "insufficient_memory", str(error)
                fits = False
            attempt(lambda: s.einsum(expression, *inputs), expected, fits)
    for tensor, _ in made:
        tensor.delete()
    assert s.info()["memory"]["resident_per_rank"] == 0
    more = server.most_memory() - memory
    assert more <= limit + (64 << 20) or server.is_sanitized(), (more, limit)
    print(f"{count} requests around the limit: {counts}; a rank took {more >> 20} MiB at most, of {limit >> 20}")


def seeds():
    """Requests to damage: method, target, body, and whether the body is JSON."""
    array = io.BytesIO()
    np.save(array, numbers((4, 3), np.float64))
    contraction = {"expression": "ik=ij*jk", "inputs": ["A", {"name": "B", "conj": True}], "output": "C", "alpha": [1, 2],
                   "memory_per_rank": 1000000, "algorithm": "automatic", "reproducible": True}
    program = {"program": "index i: r\nindex a: c\ninput B[i,a], s\noutput R[i], n\nR[i] = s*B[i,a]*B[i,a] / (s + 2)\n"
                          "n = R[i]*R[i]\n", "inputs": {"s": 2.5, "B": "A"}, "outputs": {"R": "E"}, "sizes": {"r": 4}}
    found = [("POST", "/v1/tensors", {"name": "A", "type": "c64", "extents": [4, 3], "fill": {"value": [1, -2]}}),
             ("POST", "/v1/tensors", {"name": "B", "extents": [3, 4], "fill": {"uniform": {"seed": 1, "low": 0}}}),
             ("POST", "/v1/tensors", {"name": "B", "extents": [3, 4], "fill": {"normal": {"deviation": 1e3}}}),
             ("GET", "/v1/tensors", None), ("GET", "/v1/tensors/A?generation=4", None),
             ("PATCH", "/v1/tensors/A", {"name": "D", "time_to_live": 50}), ("DELETE", "/v1/tensors/A", None),
             ("POST", "/v1/tensors/A/shares", {"user": "bob", "access": "read"}),
             ("DELETE", "/v1/tensors/A/shares?user=bob", None),
             ("POST", "/v1/tensors/A/fill?wait=5", {"fill": {"value": 3}}),
             ("POST", "/v1/contract", contraction), ("POST", "/v1/explain", contraction),
             ("POST", "/v1/contract", {"expression": "aebf,dfce->abcd", "inputs": ["A", "B"], "output": "C", "beta": 1}),
             ("POST", "/v1/map", {"function": "clip", "inputs": ["A"], "output": "E", "low": 0, "high": 2}),
             ("POST", "/v1/map", {"function": "denominators", "inputs": ["B"], "output": "E", "shift": 0.5,
                                  "energies": [[1, 2, 3], [1, 2, 3, 4]]}),
             ("POST", "/v1/map", {"function": "add", "inputs": ["A", "A"], "output": "E"}),
             ("POST", "/v1/reduce", {"function": "dot", "inputs": ["A", "A"]}),
             ("GET", "/v1/jobs", None), ("GET", "/v1/jobs/j1?wait=1", None), ("DELETE", "/v1/jobs/j2", None),
             ("GET", "/v1/tensors/A/data?slice=0:4,1:2&order=C&format=raw", None),
             ("PUT", "/v1/tensors/A/data", array.getvalue()),
             ("PUT", "/v1/tensors/A/data?slice=0:4,0:3", array.getvalue()),
             ("PUT", "/v1/tensors/B/data?format=raw&type=f64&extents=3,4&order=F", b"\1\2\3\4\5\6\7\x40" * 12),
             ("POST", "/v1/tensors/A/export", {"file": "a/b.npy"}), ("POST", "/v1/tensors/A/import", {"file": "b.npy"}),
             ("POST", "/v1/checkpoint", None), ("GET", "/v1/checkpoint", None), ("POST", "/v1/tensors/A/restore", None),
             ("POST", "/v1/programs", program), ("POST", "/v1/programs/explain", program),
             ("POST", "/v1/files/describe", {"file": "a/b.h5", "dataset": "g/T"}), ("GET", "/v1/memory", None),
             ("POST", "/v1/session", {"token": "0" * 64}), ("GET", "/", None), ("GET", "/page/style.css", None),
             ("GET", "/metrics", None), ("GET", "/v1", None), ("GET", "/v1/tensors?limit=2&after=A", None),
             ("GET", "/v1/jobs?limit=3&order=newest&after=j5", None),
             ("POST", "/v1/tensors/T/upload", {"type": "f64", "extents": [4, 3], "order": "C", "seconds": 60}),
             ("POST", "/v1/tensors/A/upload", {"slice": "0:2,:", "order": "F", "seconds": 60}),
             ("POST", "/v1/tensors/A/download", {"slice": "0:4,1:2", "order": "F", "seconds": 60}),
             ("GET", "/v1/transfers/x1", None), ("POST", "/v1/transfers/x1/commit", None),
             ("DELETE", "/v1/transfers/x1", None)]
    return [(method, target.encode(), json.dumps(body).encode() if isinstance(body, dict) else body or b"",
             isinstance(body, dict)) for method, target, body in found]


SPECIAL = [b"0", b"-1", b"1e999", b"1e308", b"NaN", b"9223372036854775807", b"-9223372036854775808", b"18446744073709551616",
           b"4611686018427387904", b"null", b"[]", b"{}", b"\"\"", b"[[[[[[", b"\xff\xfe", b"\0", b"%00", b"%2e%2e", b"../",
           b"..", b"\xf0\x9f\x98\x80", b"A" * 300, b"0:0", b":", b",", b"&", b"=", b"\\u0000", b"<V2", b"|b1", b">c16"]


def damaged(text):
    bytes_now = bytearray(text)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        place = chance.randrange(len(bytes_now) + 1)
        kind = chance.randrange(6)
        if kind == 0 and place < len(bytes_now):
            bytes_now[place] = chance.randrange(256)
        elif kind == 1:
            del bytes_now[place:place + chance.randrange(1, 9)]
        elif kind == 2:
            bytes_now[place:place + chance.choice([0, 1, 2, 5])] = chance.choice(SPECIAL)
        elif kind == 3:
            other = chance.randrange(len(bytes_now) + 1)
            bytes_now[place:place] = bytes_now[other:other + chance.randrange(1, 20)]
        elif kind == 4:
            del bytes_now[place:]
        else:
            bytes_now[place:place] = bytes([chance.randrange(256)])
    return bytes(bytes_now)


def mutations(server, s, count):
    """Damaged requests are refused or understood, and the server lives; no answer says that it failed itself."""
    url = urllib.parse.urlsplit(server.known["url"])
    good = seeds()
    for name in "AB":
        s.put(numbers((4, 3), np.float64), name)
    first = transfer = int(s._run("/v1/tensors/A/download", {"seconds": 60})["transfer"][1:])
    statuses = {}
    wire = None
    for number in range(count):
        method, target, body, is_json = chance.choice(good)
        target = target.replace(b"x1", b"x%d" % transfer)
        kind = b"Content-Type: application/json\r\n" if is_json else b""
        what = chance.randrange(10)
        if what < 3:
            target = damaged(target)
        elif what < 8:
            body = damaged(body) if body else body
        length = len(body) if what != 9 else chance.choice([0, len(body) + 5, 10**18, -1])
        head = method.encode() + b" " + target + b" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " \
            + server.known["token"].encode() + b"\r\n" + kind + b"Content-Length: %d\r\n\r\n" % length
        if what == 8:
            head = damaged(head)
        if wire is None:
            wire = socket.create_connection((url.hostname, url.port), timeout=60)
        try:
            wire.sendall(head + body)
            if what >= 8 or what < 3:  # the head may ask for more than there is
                wire.shutdown(socket.SHUT_WR)
            answer = http.client.HTTPResponse(wire)
            answer.begin()
            told = re.search(rb'"(?:id|transfer)":"x(\d+)"', answer.read())
            transfer = int(told[1]) if told else transfer
            status, ends = answer.status, answer.will_close
        except (OSError, http.client.HTTPException):
            status, ends = "closed", True
        statuses[status] = statuses.get(status, 0) + 1
        assert status != 500, (number, head, body, status)
        if ends or what >= 8 or what < 3:
            wire.close()
            wire = None
        if number % 50 == 0:  # so that there is something to work with
            for name in "AB":
                s.put(numbers((4, 3), np.float64), name)
    if wire is not None:
        wire.close()
    for number in range(first, first + count + 1):  # also those whose answers were lost
        _bulk.end(s, f"x{number}")
    for tensor in s.tensors():
        tensor.delete()
    deadline = time.monotonic() + 60
    while s.info()["memory"]["bodies"] or s.info()["memory"]["resident_per_rank"]:
        assert time.monotonic() < deadline, s.info()
        time.sleep(0.05)
    print(f"{count} damaged requests:", dict(sorted(statuses.items(), key=str)))
