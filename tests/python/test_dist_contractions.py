"""Contractions of distributed tensors beside numpy's, reports and traces of them, plans for any number of ranks, and
layouts."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import numpy as np
from mpi4py import MPI

import tenfold
import tenfold.dist as dist
from ranks import TYPES, RanksCase, integers

# Expressions, numpy's form of them, and shapes of the inputs.
EXPRESSIONS = (
    ("abcd=aebf*dfce", "aebf,dfce->abcd", (3, 4, 2, 5), (6, 5, 3, 4)),
    ("ab=ak*kb", "ak,kb->ab", (7, 9), (9, 5)),
    ("ijb=ikb*kjb", "ikb,kjb->ijb", (3, 4, 5), (4, 2, 5)),
    ("ba=ab", "ab->ba", (6, 5)),
    ("a=aab", "aab->a", (4, 4, 3)),
    ("=ab*ab", "ab,ab->", (6, 5), (6, 5)),
    ("C[vir,occ]=A[vir,x]*B[x,occ]", "vx,xo->vo", (8, 3), (3, 4)),
    ("ij,jk,kl->il", "ij,jk,kl->il", (4, 5), (5, 3), (3, 6)),
    ("abij=acik*cdkl*dblj", "acik,cdkl,dblj->abij", (2, 3, 2, 4), (3, 2, 4, 2), (2, 3, 2, 2)),
)


class Contractions(RanksCase):
    def pair(self, shape, dtype="f8"):
        array = integers(self.generator, shape, dtype)
        return array, self.world.from_array(array)

    def test_beside_numpy(self):
        for dtype in TYPES:
            for text, numpys, *shapes in EXPRESSIONS:
                with self.subTest(text, dtype=dtype):
                    arrays, tensors = zip(*(self.pair(shape, dtype) for shape in shapes))
                    wanted = np.einsum(numpys, *arrays)
                    found = dist.contract(text, *tensors)
                    self.assertEqual(found.dtype, np.dtype(dtype))
                    self.assert_equal(found, np.asarray(wanted))
                    conjugated = [dist.conj(one) if k == 0 else one for k, one in enumerate(tensors)]
                    self.assert_equal(dist.contract(text, *conjugated),
                                      np.asarray(np.einsum(numpys, arrays[0].conj(), *arrays[1:])))

    def test_scales_and_outputs(self):
        (a, one), (b, other), (c, out) = self.pair((5, 4)), self.pair((4, 6)), self.pair((5, 6))
        self.assertIs(dist.contract("ab+=ak*kb", one, other, out=out, alpha=0.5), out)
        c = c + 0.5 * a @ b
        self.assert_equal(out, c)
        dist.contract("ab=ak*kb", one, other, out=out, alpha=-2, beta=3)
        c = 3 * c - 2 * a @ b
        self.assert_equal(out, c)
        dist.contract("ab-=ba", self.world.from_array(c.T), out=out)
        self.assert_equal(out, 0 * c)
        spread = dist.Distribution.on_rank((5, 6), self.world.size, self.last)
        made = dist.contract("ab=ak*kb", one, other, distribution=spread)
        self.assertEqual(made.distribution, spread)
        self.assert_equal(made, a @ b)
        self.assertIs(dist.conj(dist.conj(one)), one)

    def test_options(self):
        (a, one), (b, other) = self.pair((6, 8), "c8"), self.pair((8, 5), "c8")
        for options in ({"grid": (1, 1, 1, 1)}, {"grid": (1, self.world.size, 1, 1)}, {"step": (1, 2, 3, 4)},
                        {"memory_per_rank": 1 << 20}, {"algorithm": "reference"}, {"reproducible": True},
                        {"ranks_per_node": 1}, {"ranks_per_node": None},
                        {"threads": 1, "workspace_limit": 1 << 16, "tuning": "estimate", "backend": "native"}):
            self.assert_equal(dist.contract("ab=ak*kb", one, other, **options), a @ b)
        square = self.world.full((4, 4), 9.0)
        dist.contract("ii=i", self.world.from_array(np.arange(4)), out=square, diagonal_output=True)
        wanted = np.full((4, 4), 9.0)
        np.fill_diagonal(wanted, np.arange(4))
        self.assert_equal(square, wanted)
        with self.assertRaisesRegex(TypeError, "there is no option 'colour'; there are algorithm, .*memory_per_rank"):
            dist.contract("ab=ak*kb", one, other, colour=3)
        with self.assertRaises(tenfold.OutOfMemoryError) as raised:
            dist.contract("ab=ak*kb", one, other, memory_per_rank=100)
        self.assertGreater(raised.exception.least, 100)

    def test_epilogues(self):
        (a, one), (b, other) = self.pair((5, 4)), self.pair((4, 6))
        bias = np.arange(6.0) - 3
        finish = tenfold.Epilogue().add("b", bias).apply("relu")
        self.assert_equal(dist.contract("ab=ak*kb", one, other, epilogue=finish), np.maximum(a @ b + bias, 0))

    def test_settings(self):
        generator = np.random.default_rng(3)
        a, b = generator.random((30, 700)), generator.random((700, 20))
        with tenfold.settings(reproducible=True):
            alone = tenfold.contract("ab=ak*kb", a, b)
            together = dist.contract("ab=ak*kb", self.world.from_array(a), self.world.from_array(b))
        np.testing.assert_array_equal(together[...], alone)  # every bit, on any number of ranks
        context = tenfold.Context(threads=1)
        with tenfold.use(context):
            for _ in range(2):
                self.assertEqual(dist.contract("=a*a", self.world.full((9,), 2.0), self.world.full((9,), 1.0))[()], 18)

    def test_interrupts_end_the_call_on_all_ranks(self):
        """Rank 0 is interrupted at its first report, which comes after 0.1 s: how long that is in a contraction is the
        machine's to say."""
        shown = []

        class Interrupting:
            def __init__(self, total, desc):
                shown.append(desc)

            def update(self, share):
                signal.raise_signal(signal.SIGINT)

            def close(self):
                shown.append("closed")

        extent, outcomes = 800, []
        while "stopped" not in outcomes:
            self.assertLess(extent, 12000)
            tensor = self.world.full((extent, extent), 1.0, "f4")
            bars = tenfold.progress(after=0, bar=Interrupting) if self.world.rank == 0 else contextlib.nullcontext()
            try:
                with bars:
                    outcome = "done" if dist.contract("ik=ij*jk", tensor, tensor)[0, 0] == extent else "wrong"
            except KeyboardInterrupt:
                outcome = "interrupted"
            except tenfold.UnsupportedError as error:
                outcome = error.code
            outcomes = MPI.COMM_WORLD.allgather(outcome)
            self.assertIn(outcomes[0], ("done", "interrupted"))
            self.assertLessEqual(set(outcomes[1:]), {"done", "stopped"})
            if outcomes == ["interrupted"]:
                break
            extent += extent // 2
        self.assertEqual(set(outcomes[1:]), {"stopped"} if outcomes[1:] else set())
        self.assertEqual(shown[-2:], ["ik=ij*jk", "closed"] if self.world.rank == 0 else [])
        self.assertEqual(tensor.norm(), tensor.shape[0])  # and ranks go on together

    def test_errors(self):
        (a, one), (b, other) = self.pair((5, 4)), self.pair((4, 6))
        out = self.world.full((5, 6), 1.0)
        with self.assertRaises(tenfold.InvalidError) as raised:
            dist.contract("ab=ak*bk", one, other, out=out)
        self.assertEqual((raised.exception.code, raised.exception.label), ("extent_mismatch", "k"))
        self.assertEqual(raised.exception.extents, (4, 6))
        for wrong, kind, text in (
                (lambda: dist.contract("ab=ak*", one, other), tenfold.InvalidError, "ab=ak*"),
                (lambda: dist.contract("ab=ak*kb", one, other, out=self.world.zeros((5, 6), "f4")), TypeError,
                 "D must be float64 or complex128"),
                (lambda: dist.contract("ab=ak*kb", one, self.world.zeros((4, 6), "i4")), TypeError, "D must be"),
                (lambda: dist.contract("ab=ak*kb", one, b), TypeError, "operand 1 is no distributed tensor, but ndarray"),
                (lambda: dist.contract("ab=ak*kb", one, dist.World().zeros((4, 6))), ValueError, "another world"),
                (lambda: dist.contract("ab=ak*kb", a, b), TypeError, r"tenfold.contract\(\) takes arrays"),
                (lambda: dist.contract("ab+=ak*kb", one, other), ValueError, "give out"),
                (lambda: dist.contract("aa=ab", self.world.zeros((3, 3))), ValueError, "give out"),
                (lambda: dist.contract("ab=ak*kb", one, other, beta=1), ValueError, "beta without out"),
                (lambda: dist.contract("ab=ak*kb", one, other, out=one), tenfold.InvalidError, ""),
                (lambda: dist.contract("ab=ab", out, out=out), tenfold.InvalidError, ""),
                (lambda: dist.contract("R[a,b]=T[a,k]*T[k,b]", one, other), tenfold.InvalidError, "calls both A and B 'T'"),
                (lambda: dist.contract(3, one, out=out), TypeError, "the expression is a text"),
                (lambda: dist.contract("ab=ak*kb", one, other, alpha="x"), TypeError, "alpha"),
                (lambda: dist.contract("ab=ak*kb", one, other, algorithm="fast"), tenfold.InvalidError, "fast")):
            with self.assertRaisesRegex(kind, text):
                wrong()
        self.assert_equal(out, np.ones((5, 6)))

    def test_wrong_on_one_rank(self):
        (a, one), (b, other) = self.pair((5, 4)), self.pair((4, 6))
        here = self.world.rank == self.last
        with self.raises_on_all(self.last, TypeError, TypeError, "operand 1 is no distributed tensor"):
            dist.contract("ab=ak*kb", one, b if here else other)
        with self.raises_on_all(self.last, TypeError, TypeError, "there is no option 'colour'"):
            dist.contract("ab=ak*kb", one, other, **({"colour": 3} if here else {}))
        if self.world.size > 1:
            out = self.world.zeros((5, 6))
            with self.assertRaises(tenfold.UnsupportedError) as raised:
                dist.contract("ab=ak*kb", one, other, out=out, alpha=1 + here)
            self.assertEqual(raised.exception.code, "disagreement")
        self.assert_equal(dist.contract("ab=ak*kb", one, other), a @ b)


class Reports(RanksCase):
    def test_of_two_tensors(self):
        a, b = (integers(self.generator, (12, 12), "f8") for _ in range(2))
        one, other = self.world.from_array(a), self.world.from_array(b)
        report = dist.Report()
        self.assertEqual((report.seconds, report.steps, report.plan), (0, (), None))
        grid = (1, 1, self.world.size, 1)
        d = dist.contract("ab=ak*kb", one, dist.conj(other), report=report, algorithm="reference", grid=grid)
        self.assert_equal(d, a @ b)
        self.assertGreater(report.seconds, 0)
        self.assertGreater(report.peak_bytes, report.workspace_bytes)
        for most, own in ((report.bytes_received, report.own_bytes_received),
                          (report.redistribution_bytes, report.own_redistribution_bytes)):
            self.assertEqual(most, MPI.COMM_WORLD.allreduce(own, MPI.MAX))
        self.assertEqual(report.algorithm, "reference")
        summary = report.plan.summary
        self.assertEqual((summary["expression"], summary["ranks"]), ("ab=ak*kb", self.world.size))
        self.assertEqual(summary["bytes_received_per_rank"], report.bytes_received)
        self.assertEqual(summary["distributed_steps"][0]["grid"]["n"], self.world.size)
        step, = report.steps
        self.assertEqual((step.bytes_received, step.steps, step.plan), (report.bytes_received, (), None))
        self.assertIn("bytes received", repr(report))
        dist.contract("ab+=ak*kb", one, other, out=d, report=report)  # again
        self.assert_equal(d, 2 * a @ b)

    def test_of_many_tensors(self):
        a, one = (lambda x: (x, self.world.from_array(x)))(integers(self.generator, (8, 8), "c8"))
        report = dist.Report()
        self.assert_equal(dist.contract("ij=ik*kl*lj", one, one, dist.conj(one), report=report), a @ a @ a.conj())
        self.assertEqual(len(report.steps), 2)
        self.assertEqual(report.bytes_received, sum(step.bytes_received for step in report.steps))
        self.assertEqual(report.own_bytes_received, sum(step.own_bytes_received for step in report.steps))
        self.assertEqual(report.algorithm, "auto")
        self.assertEqual(len(report.plan.summary["distributed_steps"]), 2)

    def test_wrong_on_one_rank(self):
        one = self.world.full((3, 3), 1.0)
        with self.raises_on_all(self.last, TypeError, TypeError, "report= takes a Report, not dict"):
            dist.contract("ab=ba", one, report={} if self.world.rank == self.last else dist.Report())
        if self.world.size > 1:
            with self.assertRaises(tenfold.UnsupportedError) as raised:
                dist.contract("ab=ba", one, report=None if self.world.rank == self.last else dist.Report())
            self.assertEqual(raised.exception.code, "disagreement")
        self.assertEqual(one.norm(), 3)


class Traces(RanksCase):
    def test_trace(self):
        place = MPI.COMM_WORLD.bcast(tempfile.mkdtemp() if self.world.rank == 0 else None)
        file = os.path.join(place, "trace.json")
        one = self.world.full((40, 40), 1.0)
        with dist.Trace(self.world) as trace:
            with self.assertRaisesRegex(tenfold.InvalidError, "traced already"):
                dist.Trace(self.world)
            dist.contract("ab=ak*kb", one, one)
            totals = trace.totals()
            self.assertGreater(totals.calls, 0)
            self.assertGreater(totals.compute, 0)
            self.assertTrue(0 <= totals.overlap <= 1)
            self.assertGreaterEqual(totals.under_way, totals.exposed)
            trace.write(file)
            if self.world.rank == 0:
                with open(file) as written:
                    events = json.load(written)["traceEvents"]
                self.assertEqual({one["pid"] for one in events}, set(range(self.world.size)))
                os.remove(file)
                os.rmdir(place)
            with self.assertRaises(OSError):
                trace.write("/nowhere/trace.json")
            trace.reset_totals()
            self.assertEqual(trace.totals().calls, 0)
            one.norm()
        last = trace.totals()  # those of the end
        self.assertGreater(last.calls, 0)
        one.norm()
        self.assertEqual(trace.totals(), last)
        with self.assertRaisesRegex(ValueError, "the trace is closed"):
            trace.write(file)
        with self.assertRaisesRegex(ValueError, "the trace is closed"):
            trace.reset_totals()
        trace.close()  # twice is no fault
        MPI.COMM_WORLD.barrier()
        dist.Trace(self.world).close()  # one after the other


class Plans(RanksCase):
    def test_of_tensors(self):
        one, other = self.world.zeros((60, 50), "f4"), self.world.zeros((50, 40), "f4")
        plan = dist.plan("ab=ak*kb", one, dist.conj(other))
        self.assertEqual(plan.summary["ranks"], self.world.size)
        text = dist.explain("ab=ak*kb", one, other)
        self.assertIn(f"ab=ak*kb on {self.world.size} rank", text)
        self.assertIn("f32", text)
        out = self.world.zeros((60, 40), "f4", plan.distribution_of(2))
        self.assertIn("ab=ak*kb", dist.explain("ab=ak*kb", one, other, out=out))
        lying = [one.redistribute(plan.distribution_of(0)), other.redistribute(plan.distribution_of(1))]
        there = dist.plan("ab=ak*kb", *lying, out=out)
        self.assertEqual(there.summary["redistribution_bytes_per_rank"], 0)

    def test_of_any_number_of_ranks(self):
        plan = dist.plan("abcd=aebf*dfce", (48, 32, 36, 28), (20, 28, 24, 32), ranks=64)
        summary = plan.summary
        self.assertEqual((summary["ranks"], summary["expression"]), (64, "abcd=aebf*dfce"))
        step, = summary["distributed_steps"]
        grid = step["grid"]
        self.assertLessEqual(grid["batch"] * grid["m"] * grid["n"] * grid["k"], 64)
        self.assertGreater(step["bytes_received_per_rank"], 0)
        self.assertEqual(json.loads(dist.explain("abcd=aebf*dfce", (48, 32, 36, 28), (20, 28, 24, 32), ranks=64,
                                                 as_json=True)), json.loads(json.dumps(summary)))
        self.assertIn("on 64 ranks", repr(plan))
        self.assertEqual(plan.distribution_of(0).ranks, 64)
        sequence = dist.plan("ij,jk,kl->il", (40, 50), (50, 30), (30, 60), ranks=8)
        self.assertEqual(len(sequence.summary["distributed_steps"]), 2)
        by_nodes = dist.plan("ij,jk->ik", (64, 64), (64, 64), ranks=4, grid=(1, 1, 4, 1), ranks_per_node=2)
        self.assertEqual((by_nodes.summary["ranks_per_node"], by_nodes.summary["bytes_received_per_node_from_others"]),
                         (2, 64 * 64 * 8 // 2))
        self.assertIn("nodes of 2 ranks", by_nodes.explain())
        with self.assertRaisesRegex(tenfold.InvalidError, "ranks_per_node is -1; it is 0 or more"):
            dist.plan("ij,jk->ik", (64, 64), (64, 64), ranks=4, ranks_per_node=-1)
        svg, _, text = sequence._repr_html_().partition("<pre>")
        nodes = [node.tag.rpartition("}")[2] for node in ElementTree.fromstring(svg)]
        self.assertEqual((nodes.count("rect"), nodes.count("line")), (3 + 2, 2 * 2))
        self.assertEqual((svg.count("B/rank"), "on 8 ranks" in text), (2, True))
        self.assertNotIn("<svg", plan._repr_html_())
        spread = dist.Distribution((40, 50), (4, 2), 8)
        self.assertEqual(dist.plan("ij=ji", np.empty((50, 40)), out=spread, ranks=None).summary["ranks"], 8)
        with self.assertRaisesRegex(ValueError, "several steps"):
            sequence.distribution_of(0)
        self.assertEqual(sequence.distribution_of(2, step=1).ranks, 8)
        self.assertEqual(sequence.distribution_of(2, 1).shape, (40, 60))
        with self.assertRaisesRegex(IndexError, "no step 2 of 2"):
            sequence.distribution_of(0, 2)
        with self.assertRaises(IndexError):
            plan.distribution_of(3)
        with self.assertRaisesRegex(TypeError, "number of ranks"):
            dist.plan("ab=ba", (3, 4))
        with self.assertRaises(tenfold.OutOfMemoryError) as raised:
            dist.plan("ab=ak*kb", (400, 400), (400, 400), ranks=4, memory_per_rank=1000)
        self.assertGreater(raised.exception.least, 1000)

    def test_fields_are_those_of_the_program(self):
        program = os.environ.get("TENFOLD_PROGRAM")
        if self.world.rank or not program:
            self.skipTest("one rank runs the program, where it is built")
        alone = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}
        run = subprocess.run([program, "explain", "abcd=aebf*dfce", "--extents", "a=48,b=36,c=24,d=20,e=32,f=28",
                              "--ranks", "64", "--json"], check=True, capture_output=True, text=True, env=alone)
        theirs = json.loads(run.stdout)
        ours = dist.plan("abcd=aebf*dfce", (48, 32, 36, 28), (20, 28, 24, 32), ranks=64).summary
        self.assertEqual(ours["distributed_steps"][0].keys(), theirs["distributed_steps"][0].keys())
        for step, one in zip(ours["distributed_steps"], theirs["distributed_steps"]):
            for field in "grid", "bytes_received_per_rank", "bound_bytes_per_rank", "ratio_to_bound", "result_grid":
                self.assertEqual(step[field], one[field], field)

    def test_layouts(self):
        found = dist.plan_layouts(["R[a,b,i,j] = V[a,b,e,f] * T[e,f,i,j]", "R[a,b,i,j] += W[k,l,i,j] * T[a,b,k,l]"],
                                  {"V": (24, 24, 24, 24), "W": (6, 6, 6, 6), "T": (24, 24, 6, 6),
                                   "R": (24, 24, 6, 6)}, 16)
        self.assertEqual(sorted(found.distributions), ["R", "T", "V", "W"])
        self.assertLessEqual(found.seconds, found.default_seconds)
        self.assertEqual(found.distributions["T"].ranks, 16)
        copied = dist.plan_layouts(["X[a,i] = V[a,b] * T[b,i]"] * 2, {"V": (400, 300), "T": (300, 4), "X": (400, 4)}, 16,
                                   copies=True)
        self.assertGreater(copied.distributions["T"].copies, 1)
        self.assertLess(copied.received, copied.default_received)
        weighted = dist.plan_layouts([("X[a,i] = V[a,b] * T[b,i]", 2)], {"V": (400, 300), "T": (300, 4), "X": (400, 4)},
                                     16, copies=True)
        self.assertEqual(weighted, copied)
        limited = dist.plan_layouts(["X[a,i] = V[a,b] * T[b,i]"] * 2, {"V": (400, 300), "T": (300, 4), "X": (400, 4)},
                                    16, copies=True, copies_memory=1000)
        self.assertEqual(limited.distributions["T"].copies, 1)
        with self.assertRaises(tenfold.InvalidError):
            dist.plan_layouts([], {}, 4)
        with self.assertRaisesRegex(TypeError, "float16"):
            dist.plan_layouts(["R[a]=A[a]"], {"R": (2,), "A": (2,)}, 4, "f2")

    def test_without_ranks(self):
        """Plans need neither mpi4py nor MPI_Init."""
        if self.world.rank:
            self.skipTest("one process is enough")
        text = ("import sys, tenfold.dist as dist; "
                "print(dist.plan('ab=ak*kb', (600, 500), (500, 400), ranks=512).summary['ranks'], 'mpi4py' in sys.modules)")
        alone = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}
        run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=alone)
        self.assertEqual((run.stdout, run.stderr), ("512 False\n", ""))


if __name__ == "__main__":
    unittest.main()
