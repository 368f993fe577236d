"""Checkpoints of tenfold-server, and files below its --root."""
import http.client
import json
import os
import shutil
import signal
import subprocess
import threading
import time

import client
import numpy as np
from running import Server, chance, draw, numbers, program, ranks, refused


def checkpoints(folder):
    """What was saved comes back on another number of ranks, bit for bit; what was made later is reported lost."""
    place = os.path.join(folder, "checkpoint")
    options = ["--checkpoint", place]
    others = 2 if ranks == 1 else ranks - 1
    server = Server(folder, *options)
    saved = {}
    with client.connect(server.file) as s:
        assert s.checkpoint() == {"saved": None, "tensors": []}
        for dtype in np.float32, np.float64, np.complex64, np.complex128:
            for shape in (), (0, 3), (40, 30, 5):
                array = (draw.standard_normal(shape) + (1j if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
                name = f"{np.dtype(dtype)}-{len(shape)}"
                saved[name] = (array, s.put(array, name))
        s.put(np.zeros(3), "gone").delete()
        body = json.dumps({"expression": "ij=ij", "inputs": ["float64-2"], "output": "copy"}).encode()
        headers = {"Content_Type": "application/json", "Idempotency_Key": "once"}
        first = json.loads(server.send("POST", "/v1/contract", body, **headers)[1])["job"]
        assert s.save_checkpoint() == {"tensors": 13, "written": 13}
        changed = saved["float64-3"][1]
        changed[1:3, 4] = 5  # a tensor that was saved is not changed by this
        assert s.save_checkpoint()["written"] == 1
        saved["float64-3"] = (changed.get(), s.tensor("float64-3"))
        changed[2] = 6
        later = s.put(np.ones(5), "later")
        assert s.checkpoint()["saved"] <= time.time() and len(s.checkpoint()["tensors"]) == 13
        job = max(s.jobs(), key=lambda job: int(job["id"][1:]))["id"]
    busy = subprocess.run([program, *options, "--connection-file", os.path.join(folder, "other")], capture_output=True,
                          text=True)
    assert busy.returncode == 1 and "another server uses" in busy.stderr, busy
    server.kill()
    server = Server(folder, *options, count=others)
    with client.connect(server.file) as s:
        assert {one.name for one in s.tensors()} == {*saved, "copy"} and s.info()["ranks"] == others
        for name, (array, handle) in saved.items():
            handle.session = s
            back = handle.get()  # the handle is still good
            assert back.dtype == array.dtype and back.tobytes("A") == np.asarray(array, order="F").tobytes("A"), name
        for handle in later, changed:
            handle.session = s
            assert refused(handle.get, 410, "lost").fields["generation"] == handle.generation
        status, answer = server.send("GET", f"/v1/jobs/{job}")
        assert status == 410 and b"lost" in answer
        again = json.loads(server.send("POST", "/v1/contract", body, **headers)[1])["job"]
        assert again["id"] == first["id"] and again["result"] == first["result"]
        s.tensor("float64-2").delete()
        assert np.array_equal(s.restore("float64-2").get(), saved["float64-2"][0])
        refused(lambda: s.restore("later"), 404, "not_found")
        later = s.put(np.ones(6), "later")
        assert later.generation > max(handle.generation for _, handle in saved.values())
    server.stop()  # saves, too
    server = Server(folder, *options)
    with client.connect(server.file) as s:
        later.session = s
        assert np.array_equal(later.get(), np.ones(6))
        changed.session = s
        refused(changed.get, 410, "lost")
        for one in s.tensors():
            one.delete()
        assert s.save_checkpoint()["tensors"] == 0
        assert sorted(os.listdir(place)) == ["lock", "manifest.json", "starts"], os.listdir(place)
        refused(lambda: s.restore("later"), 404, "not_found")
    server.stop()
    manifest = os.path.join(place, "manifest.json")
    with open(manifest) as file:
        text = file.read()
    for wrong in text[:-20], text.replace('"last_tensor":', '"last_tensor":1'), "":
        with open(manifest, "w") as file:
            file.write(wrong)
        run = subprocess.run([program, *options], capture_output=True, text=True)
        assert run.returncode == 1 and "manifest.json" in run.stderr, run


def lost_folder(folder):
    """A checkpoint that cannot be written fails the job, not the server; at the end the exit status tells."""
    place = os.path.join(folder, "taken-away")
    server = Server(folder, "--checkpoint", place)
    with client.connect(server.file) as s:
        tensor = s.put(np.ones(3), "A")
        shutil.rmtree(place)
        refused(s.save_checkpoint, 500, "io")
        assert s.checkpoint() == {"saved": None, "tensors": []}
        assert np.array_equal(tensor.get(), np.ones(3))
    os.kill(server.known["pid"], signal.SIGTERM)
    out, err = server.process.communicate(timeout=120)
    assert server.process.returncode == 1 and "the checkpoint was not saved" in err, (server.process.returncode, err)


def killed_while_saving(folder, kills):
    """Whenever rank 0 dies, the next server has the tensors of one checkpoint, all of them and as they were."""
    place = os.path.join(folder, "killed")
    for kill in range(kills + 1):
        server = Server(folder, "--checkpoint", place)
        with client.connect(server.file) as s:
            found = {one.name: one for one in s.tensors()}
            rounds = {name: int(round(one.get().flat[0])) for name, one in found.items()}
            assert len(set(rounds.values())) <= 1 and len(found) in (0, 4), rounds
            for name, tensor in found.items():
                expected = np.random.default_rng(rounds[name]).standard_normal((70, 500))
                expected.flat[0] = rounds[name]
                assert np.array_equal(tensor.get(), expected), name
            assert not any(name.endswith(".saving") for name in os.listdir(place)) or kill > 0
            if kill == kills:
                break
            stop = threading.Event()

            def save(first=kill * 1000 + 1):
                try:
                    for number in range(first, first + 999):
                        values = np.random.default_rng(number).standard_normal((70, 500))
                        values.flat[0] = number
                        with client.connect(server.file) as mine:
                            for name in "abcd":
                                mine.put(values, name)
                            mine.save_checkpoint()
                        if stop.is_set():
                            return
                except (client.ServerError, OSError, http.client.HTTPException):
                    pass  # the server is gone

            thread = threading.Thread(target=save)
            thread.start()
            time.sleep(chance.uniform(0.02, 0.4))
            server.kill()
            stop.set()
            thread.join()
    server.stop()


def below_root(server, s, root):
    """.npy files below --root, and none elsewhere."""
    os.makedirs(os.path.join(root, "in"))
    for dtype in np.float32, np.complex128:
        array = numbers((5, 4, 3), dtype)
        s.put(array).to_file("in/a.npy")
        assert np.array_equal(np.load(os.path.join(root, "in/a.npy")), array)
        assert np.array_equal(s.from_file("in/a.npy", "A").get(), array)
    np.save(os.path.join(root, "ints.npy"), np.arange(12, dtype=np.int16).reshape(3, 4))
    assert np.array_equal(s.from_file("ints.npy").get(), np.arange(12.0).reshape(3, 4))
    refused(lambda: s.from_file("none.npy"), 404, "not_found")
    os.symlink("/tmp", os.path.join(root, "out"))
    os.symlink("in/a.npy", os.path.join(root, "link.npy"))
    for wrong in "../a.npy", "/tmp/a.npy", "out/a.npy", "link.npy", "a.txt", ".a.npy", "none/a.npy", "":
        refused(lambda: s.from_file(wrong), 400)
        refused(lambda: s.tensor("A").to_file(wrong), 400)
    with open(os.path.join(root, "in/a.npy"), "rb") as file:
        content = file.read()
    for size in 0, 10, 90, len(content) - 1:
        with open(os.path.join(root, "cut.npy"), "wb") as file:
            file.write(content[:size])
        refused(lambda: s.from_file("cut.npy"), 400, "io")
    assert sorted(os.listdir(os.path.join(root, "in"))) == ["a.npy"]
    assert s.describe_file("in/a.npy") == {"type": "c64", "extents": [5, 4, 3]}
    datasets(s, root)


def datasets(s, root):
    """HDF5 files below --root."""
    arrays = {"T2": numbers((5, 4, 3), np.float64), "amplitudes/T1": numbers((4, 6), np.complex64)}
    try:
        for name, array in arrays.items():
            s.put(array, "H").to_file("in/all.h5", name)
    except client.ServerError as error:
        assert error.status == 501, error  # built without HDF5
        return
    for name, array in arrays.items():
        got = s.from_file("in/all.h5", "H", dataset=name).get()
        assert got.dtype == array.dtype and np.array_equal(got, array)
    try:
        import h5py
        with h5py.File(os.path.join(root, "in/all.h5"), "a") as file:
            assert np.array_equal(file["T2"][...], arrays["T2"])
            file["ours"] = arrays["T2"][::-1].astype(">f4")
        assert np.array_equal(s.from_file("in/all.h5", dataset="ours").get(), arrays["T2"][::-1])
    except ImportError:
        pass
    refused(lambda: s.from_file("in/all.h5"), 400)
    refused(lambda: s.from_file("in/a.npy", dataset="T2"), 400)
    refused(lambda: s.from_file("in/none.h5", dataset="T2"), 404, "not_found")
    refused(lambda: s.from_file("in/all.h5", dataset="none"), 400)
    refused(lambda: s._run("/v1/tensors/H/import", {"file": "in/all.h5", "dataset": "T2", "type": "f64",
                                                    "extents": [5, 4, 2]}), 400, "extent_mismatch")
    refused(lambda: s.tensor("H").to_file("in/all.h5", "T2/below"), 400)
    for wrong in "../a.h5", "/tmp/a.h5", "out/a.h5", ".a.h5":
        refused(lambda: s.from_file(wrong, dataset="T2"), 400)
        refused(lambda: s.tensor("H").to_file(wrong, "T2"), 400)
    with open(os.path.join(root, "no.h5"), "w") as file:
        file.write("no HDF5 file")
    refused(lambda: s.from_file("no.h5", dataset="T2"), 400, "io")
    assert np.array_equal(s.from_file("in/all.h5", dataset="T2").get(), arrays["T2"])


def supervised(folder):
    """A server that died is started again. SIGTERM for what supervises it saves and ends it, below a launcher, too."""
    place = os.path.join(folder, "supervised")
    server = Server(folder, "--checkpoint", place, supervised=True)
    array = draw.standard_normal((30, 20))
    with client.connect(server.file) as s:
        kept = s.put(array, "kept")
        s.save_checkpoint()
        later = s.put(array, "later")
        os.kill(server.pids()[chance.randrange(ranks)], signal.SIGKILL)
        assert np.array_equal(kept.get(), array)  # the client waits for the next server
        refused(later.get, 410, "lost")
        s.put(2 * array, "more")
    server.process.send_signal(signal.SIGTERM)
    out, err = server.process.communicate(timeout=120)
    assert server.process.returncode == 0 and err.count("it starts again") == 1, (server.process.returncode, out, err)
    assert not os.path.exists(server.file)
    server = Server(folder, "--checkpoint", place)
    with client.connect(server.file) as s:
        assert np.array_equal(s.tensor("more").get(), 2 * array)
    server.stop()


def outlived(folder):
    """A launcher that never ends, though its ranks have, is ended, and the server is started again."""
    place = os.path.join(folder, "outlived")
    stuck = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stuck_launcher")
    server = Server(folder, "--checkpoint", place, supervised=True, above=[stuck])
    array = draw.standard_normal((30, 20))
    with client.connect(server.file) as s:
        s.put(array, "kept")
        s.save_checkpoint()
    os.kill(server.pids()[chance.randrange(ranks)], signal.SIGKILL)
    server.await_another()
    with client.connect(server.file) as s:
        assert np.array_equal(s.tensor("kept").get(), array)
    server.process.send_signal(signal.SIGTERM)
    out, err = server.process.communicate(timeout=120)
    told = [line.split(": ", 1)[1] for line in err.splitlines() if line.startswith("tenfold-server: ")]
    gone = "all ranks have ended, but their launcher has not; it "
    assert server.process.returncode == 0 and \
        told == [gone + "gets SIGTERM", gone + "is killed", "it ended with status 137; it starts again"], \
        (server.process.returncode, out, err)
