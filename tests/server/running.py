"""tenfold-server in tests: its process, and what the tests of drive_server share."""
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.parse

import client
import numpy as np

quiet_mpirun, mpiexec, program = sys.argv[1:4]
ranks = int(sys.argv[4])
seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.SystemRandom().randrange(10**6)
chance = random.Random(seed)
draw = np.random.default_rng(seed)


class Server:
    """The program, which has 64 MiB on each rank unless told otherwise."""

    def __init__(self, folder, *options, count=ranks, waits=True, supervised=False, memory="64MiB", above=()):
        self.file = os.path.join(folder, "connection.json")
        self.audit = os.path.join(folder, "audit")
        launcher = [*above, *([] if count == 1 else [quiet_mpirun, mpiexec, str(count)])]
        begin = [program, "--supervise", " ".join(launcher) or "env"] if supervised else [*launcher, program]
        self.process = subprocess.Popen(
            [*begin, "--connection-file", self.file, "--memory-per-rank", memory, "--audit", self.audit,
             *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.known = None
        while waits and not os.path.exists(self.file):
            if self.process.poll() is not None:
                raise AssertionError("no start: " + "".join(self.process.communicate()))
            time.sleep(0.02)
        if waits:
            with open(self.file) as file:
                self.known = json.load(file)

    def stop(self):
        os.kill(self.known["pid"], signal.SIGTERM)
        out, err = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, (self.process.returncode, out, err)
        assert err == "", err
        assert not os.path.exists(self.file)

    def kill(self):
        """Ends rank 0 as a fault would, and with it the others. The connection file stays."""
        os.kill(self.known["pid"], signal.SIGKILL)
        self.process.communicate(timeout=120)
        os.unlink(self.file)

    def await_another(self):
        """Waits for the server that is started after this one died."""
        former = self.known["pid"]
        while self.known["pid"] == former:
            assert self.process.poll() is None, "".join(self.process.communicate())
            time.sleep(0.1)
            if os.path.exists(self.file):
                with open(self.file) as file:
                    self.known = json.load(file)

    def pids(self):
        """The processes by their ranks, as far as they have begun."""
        found = {}
        for one in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{one}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{one}/environ", "rb") as file:
                    known = dict(word.split(b"=", 1) for word in file.read().split(b"\0") if b"=" in word)
            except OSError:  # it has ended
                continue
            is_above = b"--supervise" in words and b"--supervised" not in words
            if words[0] == program.encode() and self.file.encode() in words and not is_above:
                found[int(known.get(b"PMIX_RANK", known.get(b"PMI_RANK", b"0")))] = int(one)
        return found

    def most_memory(self):
        """The most bytes that a rank had since the last call."""
        most = 0
        for one in self.pids().values():
            with open(f"/proc/{one}/status") as file:
                most = max(most, *(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM")))
            with open(f"/proc/{one}/clear_refs", "w") as file:
                file.write("5")
        return most

    def is_sanitized(self):
        with open(f"/proc/{self.known['pid']}/maps") as file:
            return "libasan" in file.read()

    def kill_rank(self, rank):
        """Ends one rank as a fault would, as soon as it has begun, and with it the others."""
        while rank not in self.pids() and self.process.poll() is None:
            time.sleep(0.01)
        if rank in self.pids():
            os.kill(self.pids()[rank], signal.SIGKILL)
        self.process.communicate(timeout=120)
        if os.path.exists(self.file):
            os.unlink(self.file)

    def send(self, method, path, body=None, **headers):
        """Status and body, of a request by hand; a header of None is left out."""
        url = urllib.parse.urlsplit(self.known["url"])
        wire = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.known['token']}", **headers}
        wire.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()
                                          if value is not None})
        answer = wire.getresponse()
        return answer.status, answer.read()


def refused(call, status, code=None):
    try:
        call()
    except client.ServerError as error:
        assert error.status == status and code in (None, error.code), (error.status, error.code, str(error))
        return error
    raise AssertionError(f"expected a refusal with status {status}")


def numbers(shape, dtype):
    values = draw.integers(-8, 9, shape).astype(np.float64)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * draw.integers(-8, 9, shape)
    return values.astype(dtype)
