"""Threads, processes, Ctrl-C and memory."""
import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy
import tenfold

from arrays import integers

TALL = 400  # products of this size are computed by several threads


def product_is_right(seed):
    """Computes on several threads where there are several cores."""
    a = integers((TALL, TALL), seed=seed)
    return bool(numpy.array_equal(tenfold.einsum("ij,jk->ik", a, a), a @ a))


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Threads(unittest.TestCase):
    def test_eight_at_once(self):
        def work(number):
            a, b = integers((20 + number, 30), seed=number), integers((30, 40), seed=number + 9)
            for count in range(50):
                if not numpy.array_equal(tenfold.einsum("ij,jk->ik", a, b), a @ b):
                    return False
                # A new expression for each call: the expressions that were read are shared, too.
                label = "abcdefghijklmnop"[count % 16]
                if not numpy.array_equal(tenfold.einsum(f"{label}z,zy->{label}y", a, b), a @ b):
                    return False
            return product_is_right(number)
        with ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(work, range(8))), [True] * 8)

    def test_one_plan_for_all(self):
        a = integers((64, 64))
        plan = tenfold.plan("ij,jk->ik", a, a)
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(lambda _: plan(a, a), range(64)):
                numpy.testing.assert_array_equal(found, a @ a)

    def test_other_threads_run_meanwhile(self):
        """The interpreter's lock is free while a contraction computes: the other thread counts."""
        a = numpy.ones((1500, 1500))
        self.expect_counts(lambda: tenfold.einsum("ij,jk->ik", a, a))

    def test_other_threads_run_while_plans_are_tuned(self):
        """Also those of contractions so small that they keep the lock while they compute."""
        a = numpy.ones((16, 16))

        def tune():
            with tenfold.settings():  # which knows no plan
                tenfold.contract("ik=ij*jk", a, a, tuning="measure")
        self.expect_counts(tune)

    def expect_counts(self, call):
        computing, counted = threading.Event(), []

        def count():
            while not computing.is_set():
                counted.append(1)
                time.sleep(0.0005)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(100)  # nobody is asked to release the lock
        try:
            thread = threading.Thread(target=count)
            thread.start()
            before = after = len(counted)
            for _ in range(100):  # the other thread may have to wait for a core
                call()
                after = len(counted)
                if after > before:
                    break
        finally:
            computing.set()
            sys.setswitchinterval(interval)
        thread.join()
        self.assertGreater(after, before)


class Processes(unittest.TestCase):
    def test_fork(self):
        self.assertTrue(product_is_right(1))  # a team of threads exists that children do not have
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map_async(product_is_right, range(4)).get(60), [True] * 4)
        self.assertTrue(product_is_right(2))

    def test_fork_within_a_context(self):
        with tenfold.settings(threads=2):
            self.assertTrue(product_is_right(1))
            child = os.fork()
            if child == 0:
                os._exit(0 if product_is_right(3) else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_spawn(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map_async(product_is_right, range(2)).get(120), [True] * 2)


QUIET = """
import importlib.util
import numpy as np
import tenfold, tenfold.chem, tenfold.client
a = np.ones((3, 3))
for one in a, a.astype("f2"), a.astype("i1"), a.astype("?"), a + 1j, a.astype(">f8"), a.tolist(), tenfold.conj(a):
    tenfold.einsum("ij,jk", one, one)
    tenfold.contract("ik=ij*jk", one, one)
tenfold.einsum(a, [0, 1], a, [1, 2], optimize=tenfold.einsum_path("ij,jk", a, a)[0])
with tenfold.settings(threads=1), tenfold.patch_numpy(), tenfold.progress():
    np.tensordot(a, tenfold.matmul(a, tenfold.transpose(a)))
plan = tenfold.plan("ij,jk,kl->il", a, a, a)
print(plan(a, a, a)[0, 0], len(plan._repr_html_()) > 0)
if importlib.util.find_spec("tenfold._dist"):
    import tenfold.dist
    tenfold.dist.explain("ab=ak*kb", (60, 50), (50, 40), ranks=64)
"""


MODULES = """
import sys
import numpy
before = set(sys.modules)
import tenfold
print(sorted(name for name in set(sys.modules) - before if name.partition(".")[0] != "tenfold"))
"""


class Imports(unittest.TestCase):
    def test_no_other_modules(self):
        """What numpy has not loaded would make the import slower: it is loaded where it is used."""
        run = subprocess.run([sys.executable, "-c", MODULES], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual((run.stdout, run.stderr), ("[]\n", ""))


class Warnings(unittest.TestCase):
    def test_none(self):
        """Nothing warns, neither when sources are compiled nor when they run."""
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", QUIET], capture_output=True, text=True,
                                 env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONPYCACHEPREFIX": folder})
        self.assertEqual((run.stdout, run.stderr, run.returncode), ("9.0 True\n", "", 0))


LONG = """
import sys
import numpy, tenfold
n = 5000
a, out = numpy.ones((n, n)), numpy.full((n, n), numpy.nan)
plan = tenfold.plan("ij,jk->ik", a, a)
try:
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
    {call}
except KeyboardInterrupt:
    print("interrupted", "late" if (out == n).all() else "early")
print(tenfold.einsum("i,i->", numpy.ones(4), numpy.ones(4)))
"""


class CtrlC(unittest.TestCase):
    def expect_end(self, call):
        # By one thread and old instructions, the call takes many seconds.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TENFOLD_NUM_THREADS": "1",
                       "TENFOLD_ISA": "generic"}
        child = subprocess.Popen([sys.executable, "-c", LONG.format(call=call)], env=environment,
                                 stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.3)
            self.assertIsNone(child.poll())
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.communicate()[0], "interrupted early\n4.0\n")
            self.assertEqual(child.returncode, 0)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()

    def test_einsum(self):
        self.expect_end('tenfold.einsum("ij,jk->ik", a, a, out=out)')

    def test_contract(self):
        self.expect_end('tenfold.contract("ik=ij*jk", a, a, out=out)')

    def test_plan(self):
        self.expect_end("plan(a, a, out=out)")

    def test_other_handlers(self):
        """A handler that returns lets the contraction go on."""
        seen = []
        previous = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            a = numpy.ones((1400, 1400))
            self.assertEqual(tenfold.einsum("ij,jk->", a, a), 1400.0**3)
            time.sleep(0.03)
        finally:
            signal.signal(signal.SIGALRM, previous)
        self.assertEqual(seen, [signal.SIGALRM])

    def test_handlers_that_contract(self):
        """A handler runs in the middle of a contraction, may contract itself, and what it raises ends both."""
        a, seen = numpy.ones((TALL, TALL)), []

        def contract(number, frame):
            if len(seen) == 2:  # the timer is about to be stopped
                return
            seen.append(tenfold.einsum("ij,jk->", a, a) == TALL**3)
            if len(seen) == 2:
                raise RuntimeError("enough")
        previous = signal.signal(signal.SIGALRM, contract)
        try:
            large = numpy.ones((1400, 1400))
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.05)
            with self.assertRaisesRegex(RuntimeError, "enough"):
                while len(seen) < 100:
                    tenfold.einsum("ij,jk->ik", large, large)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        self.assertEqual(seen, [True, True])
        self.assertTrue(product_is_right(5))


CALLS = int(os.environ.get("TENFOLD_TEST_CASES", "10000"))


class Exchange:
    """An array that only DLPack knows."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Memory(unittest.TestCase):
    def test_calls_keep_none(self):
        a, b = integers((8, 8)), integers((8, 8), seed=1)
        half = a.astype("f2")
        plan = tenfold.plan("ij,jk->ik", a, b)
        wrong = integers((3, 3))

        def mistaken(call):
            def caught():
                try:
                    call()
                except (ValueError, TypeError):
                    return
                self.fail("this is a mistake")
            return caught
        exchange, memory = Exchange(a), bytearray(plan.workspace_size + 64)
        for name, call, count in (("einsum", lambda: tenfold.einsum("ij,jk->ik", a, b), 100000),
                                  ("scalar", lambda: tenfold.einsum("ij,ij->", a, b), 50000),
                                  ("out", lambda: tenfold.einsum("ij,jk->ik", a, b, out=a), CALLS),
                                  ("lists", lambda: tenfold.einsum(a, [0, 1], b, [1, 2]), CALLS),
                                  ("half", lambda: tenfold.einsum("ij,jk->ik", half, half), CALLS),
                                  ("exchange", lambda: tenfold.einsum("ij->ji", exchange), CALLS),
                                  ("plan", lambda: plan(a, b), CALLS),
                                  ("workspace", lambda: plan(a, b, workspace=memory, alpha=2), CALLS),
                                  ("contract", lambda: tenfold.contract("ik=ij*jk", a, b, alpha=2), CALLS),
                                  ("mistake", mistaken(lambda: tenfold.einsum("ij,jk->ik", a, wrong)), CALLS),
                                  ("text", mistaken(lambda: tenfold.einsum("ij,jk->ix", a, b)), CALLS),
                                  ("type", mistaken(lambda: tenfold.contract("ik=ij*jk", a, b, alpha=1j)), CALLS),
                                  ("handle", mistaken(lambda: plan(a, wrong)), CALLS)):
            with self.subTest(call=name):
                for _ in range(2000):
                    call()
                gc.collect()
                before = resident_bytes()
                for _ in range(count):
                    call()
                gc.collect()
                a[...] = 1
                # An array of 8 x 8 per call would be 5 MB and more; an allocator may take some pages.
                self.assertLess(resident_bytes() - before, 1 << 20)

    def test_references(self):
        a, b = integers((3, 4)), integers((4, 5))
        out = numpy.zeros((3, 5))
        text = "".join(["ij,", "jk->ik"])
        before = [sys.getrefcount(one) for one in (a, b, out, text)]
        for _ in range(100):
            tenfold.einsum(text, a, b, out=out)
            tenfold.einsum(text, a, b)
            tenfold.contract("ik=ij*jk", a, b, out=out)
        self.assertEqual([sys.getrefcount(one) for one in (a, b, out, text)], before)


if __name__ == "__main__":
    unittest.main()
