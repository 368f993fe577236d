"""Bulk data, in drive_server: arrays that go to and from the ranks that own them, and clients that do what none should."""
import json
import threading
import time

import client
import numpy as np
from client import _bulk

from running import Server, chance, draw, numbers, ranks, refused
from storms import SPECIAL, damaged


def through_ranks(call, least=1):
    """What the call returns, with bulk data for arrays of so many bytes and more."""
    before, _bulk.LEAST_BYTES = _bulk.LEAST_BYTES, least
    try:
        return call()
    finally:
        _bulk.LEAST_BYTES = before


def kinds(s, call):
    """The kinds of the jobs that the call makes."""
    before = {job["id"] for job in s.jobs()}
    call()
    return {job["kind"] for job in s.jobs() if job["id"] not in before}


def arrays(s):
    """Each way, and boxes, with the bits of the other route."""
    assert s.info()["bulk"] is True
    own = s.info()["memory"]["own_per_rank"]
    assert _bulk.checksum(3, 5, 20000, bytes((7 + i) % 256 for i in range(20000))) == 0x74e5d73c  # bulk_tests.cpp
    for dtype in np.float32, np.float64, np.complex64, np.complex128:
        for shape in (7,), (5, 4, 3), (1, 6, 1, 2), (700, 301):
            for array in np.ascontiguousarray(numbers(shape, dtype)), np.asfortranarray(numbers(shape, dtype)):
                tensor = through_ranks(lambda: s.put(array))
                assert np.array_equal(tensor.get(), array)
                assert np.array_equal(through_ranks(tensor.get), array)
                index = tuple(slice(*sorted(chance.choices(range(extent + 1), k=2))) for extent in shape)
                values = numbers(array[index].shape, dtype)

                def change():
                    tensor[index] = values
                through_ranks(change)
                array[index] = values
                assert np.array_equal(through_ranks(lambda: tensor.get(index)), values)
                assert np.array_equal(through_ranks(tensor.get), array)
                tensor.delete()
    strange = draw.integers(0, 1 << 63, 10000).view(np.float64)  # NaNs with all kinds of bits
    tensor = through_ranks(lambda: s.put(strange))
    assert through_ranks(tensor.get).tobytes() == tensor.get().tobytes() == strange.tobytes()
    tensor.delete()
    large = draw.standard_normal((1100, 1030))  # beyond LEAST_BYTES
    made = []
    assert kinds(s, lambda: made.append(s.put(large))) == {"open_upload", "commit"}
    assert kinds(s, lambda: made.append(made[0].get())) == {"open_download"}
    assert np.array_equal(made[1], large)
    made[0].delete()
    settled(s, own)


def settled(s, own):
    """Waits until what ended holds no memory any more."""
    while s.info()["memory"]["own_per_rank"] != own:
        time.sleep(0.02)


def ticket_of(s, name, shape, **more):
    done = s._run(f"/v1/tensors/{name}/upload", {"type": "f64", "extents": list(shape), **more})
    return s.connection.json("GET", f"/v1/transfers/{done['transfer']}")["transfer"]


def strangers(server, s):
    """Who has no secret, sends something else, or stops half-way changes nothing, and the others go on."""
    array = numbers((300, 200), np.float64)
    tensor = s.put(array, "kept")
    own = s.info()["memory"]["own_per_rank"]
    ticket = ticket_of(s, "kept", (300, 200))
    assert s.info()["memory"]["own_per_rank"] > own

    def stream(told, **changed):
        box = _bulk._Box({**ticket, **changed}, told, array)
        wire = s.connection.open_beside(told["host"], told["port"], 30)
        return _bulk._Stream(wire, {**ticket, **changed}, box.largest), box

    def breaks(call):
        try:
            call()
        except OSError:
            return
        raise AssertionError("a rank took what it should refuse")

    boxes = ticket["boxes"]
    for told in boxes:
        breaks(lambda: stream(told, secret="0" * 64))
        breaks(lambda: stream(told, number=ticket["number"] + 1))
        wire, box = stream(told)
        breaks(lambda: wire.send(box, range(box.count, box.count + 1)))
        wire, box = stream(told)
        wire._send(_bulk.PIECE, 0, 8, b"12345678")  # another size
        breaks(wire._answer)
        wire, box = stream(told)
        wire._wire.sendall(_bulk.HEAD.pack(_bulk.END, 1, 0, 0))  # another checksum
        breaks(wire._answer)
        with s.connection.open_beside(told["host"], told["port"], 30) as other:
            other.sendall(b"GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert len(other.recv(1000)) == _bulk.HEAD.size and other.recv(1) == b""
    # A commit before all pieces are there; it ends the transfer.
    wire, box = stream(boxes[0])
    if len(boxes) > 1:
        wire.send(box, range(box.count))
    error = refused(lambda: s._run(f"/v1/transfers/{ticket['id']}/commit", None), 400, "invalid_argument")
    assert "not complete" in str(error)
    breaks(lambda: stream(boxes[0]))
    settled(s, own)
    # Half a frame, then silence: the transfer's time ends it.
    ticket = ticket_of(s, "kept", (300, 200), seconds=1)
    wire, box = stream(ticket["boxes"][-1])
    wire._wire.sendall(_bulk.HEAD.pack(_bulk.PIECE, 0, 0, 8 * box.part(0).size) + b"x" * 100)
    assert wire._wire.recv(1) == b""
    settled(s, own)
    refused(lambda: s._run(f"/v1/transfers/{ticket['id']}/commit", None), 404, "no_transfer")
    # Given up by the client, with a connection in use.
    ticket = ticket_of(s, "kept", (300, 200))
    wire, box = stream(ticket["boxes"][0])
    _bulk.end(s, ticket["id"])
    assert wire._wire.recv(1) == b""
    settled(s, own)
    # More connections than a rank takes.
    ticket = ticket_of(s, "kept", (300, 200))
    told = ticket["boxes"][0]
    held, refusals = [], 0
    while refusals == 0:
        try:
            held.append(stream(told))
        except OSError:
            refusals += 1
    assert len(held) >= 16, len(held)
    assert np.array_equal(through_ranks(tensor.get), array)  # by /data
    for wire, _ in held:
        wire._wire.close()
    _bulk.end(s, ticket["id"])
    settled(s, own)
    assert b"tenfold_transfers 0" in server.send("GET", "/metrics")[1]
    with open(server.audit) as file:
        assert ticket["secret"] not in file.read()
    assert np.array_equal(tensor.get(), array) and tensor.generation == s.tensor("kept").generation
    tensor.delete()


def frame(kind, number, size, content=b""):
    return _bulk.HEAD.pack(kind, _bulk.checksum(kind, number, size, content), number, size) + content


def strange_frame():
    """With a checksum that is right."""
    content = draw.bytes(chance.choice([0, 1, 8, 64, 1000]))
    number, size = (chance.choice([0, 1, 2, 7, 64, len(content), 2**20, 2**31, 2**63, 2**64 - 1]) for _ in "12")
    return frame(chance.choice([0, 1, 2, 3, 4, 5, 99]), number, size, content)


def frames(server, s, count):
    """Connections with damaged frames, of transfers that are open: they end, nothing is written but what has a right
    checksum, and the others go on."""
    array = numbers((60, 50), np.float64)
    kept = s.put(array, "kept")
    own = s.info()["memory"]["own_per_rank"]
    taken = refusals = 0
    while count > 0:
        changed = s.put(np.zeros((60, 50)), "changed")
        up = ticket_of(s, "changed", (60, 50))
        down = s.connection.json("GET", "/v1/transfers/" + s._run(
            "/v1/tensors/kept/download", {"order": "C"})["transfer"])["transfer"]
        for _ in range(min(count, 50)):
            count -= 1
            ticket = chance.choice([up, down])
            told = chance.choice(ticket["boxes"])
            box = _bulk._Box(ticket, told, array)
            secret = ticket["secret"].encode()
            good = [frame(_bulk.HELLO, ticket["number"], len(secret), secret)]
            if ticket is up:
                pieces = [np.ascontiguousarray(box.part(number)).tobytes() for number in range(box.count)]
                good += [frame(_bulk.PIECE, number, len(one), one) for number, one in enumerate(pieces)]
                good.append(frame(_bulk.END, 0, 0))
            else:
                good.append(frame(_bulk.REQUEST, 0, box.count))
            what = chance.randrange(6)
            if what == 0:
                good = [damaged(b"".join(good))]
            elif what == 1:
                good[chance.randrange(len(good))] = strange_frame()
            elif what == 2:
                good.append(strange_frame())
            elif what == 3:
                chance.shuffle(good)
            elif what == 4:
                good[-1] = good[-1][:chance.randrange(len(good[-1]))] + chance.choice(SPECIAL)
            with s.connection.open_beside(told["host"], told["port"], 60) as wire:
                answer = b""
                try:
                    wire.sendall(b"".join(good))
                    wire.shutdown(1)
                    while piece := wire.recv(1 << 16):
                        answer += piece
                except TimeoutError:
                    raise
                except OSError:  # it was cut
                    pass
            if what == 5:  # nothing is damaged
                taken += 1
                assert answer[:_bulk.HEAD.size] == frame(_bulk.ANSWER, 0, 0), answer[:64]
                if ticket is up:
                    assert answer[_bulk.HEAD.size:] == frame(_bulk.ANSWER, 0, box.count), answer
        try:
            s._run(f"/v1/transfers/{up['id']}/commit", None)
            assert np.array_equal(s.tensor("changed").get(), array)
        except client.ServerError as problem:
            refusals += 1
            assert problem.code == "invalid_argument" and not changed.get().any(), problem
        _bulk.end(s, down["id"])
        assert np.array_equal(through_ranks(kept.get), array)
        s.tensor("changed").delete()
    settled(s, own)
    kept.delete()
    print(f"damaged frames: {taken} connections without damage, {refusals} transfers that were not complete")


def stable(s):
    """A download of a tensor that others change meanwhile is the tensor as it was."""
    old = draw.standard_normal((400, 300))
    tensor = s.put(old, "changing")
    ends = threading.Event()
    failures = []

    def change():
        try:
            with client.connect(s.connection._file) as other:
                while not ends.is_set():
                    handle = other.tensor("changing")
                    handle[5:300, :] = np.full((295, 300), chance.random())
        except BaseException as problem:
            failures.append(repr(problem))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(20):
            try:
                got = through_ranks(s.tensor("changing").get)
            except client.ServerError as problem:
                assert problem.code == "stale"
                continue
            middle = got[5:300]
            assert np.array_equal(middle, old[5:300]) or (middle == middle[0, 0]).all()
            assert np.array_equal(got[300:], old[300:])
    finally:
        ends.set()
        thread.join()
    assert not failures, failures
    tensor = s.tensor("changing")
    tensor.delete()


def without(folder):
    """A server that offers none: the same client, the same results."""
    server = Server(folder, "--bulk-listen", "off")
    with client.connect(server.file) as s:
        assert s.info()["bulk"] is False
        array = draw.standard_normal((300, 200))
        tensor = through_ranks(lambda: s.put(array))
        assert np.array_equal(through_ranks(tensor.get), array)
        assert {job["kind"] for job in s.jobs()} == {"upload", "download"}
        status, body = server.send("POST", "/v1/tensors/A/upload", json.dumps({"type": "f64", "extents": [2]}).encode(),
                                   Content_Type="application/json")
        assert status == 409 and b"no_bulk" in body
    server.stop()
