"""Operations on distributed tensors beside contractions, and programs of them, against numpy on the whole arrays."""
import contextlib
import signal
import time
import unittest

import numpy as np

import tenfold
import tenfold.dist as dist
from ranks import TYPES, RanksCase, integers
from tenfold import chem


class Sums(RanksCase):
    def pair(self, shape, dtype):
        """Arrays, and tensors of them that lie differently: in blocks, and whole on the last rank."""
        x, y = (integers(self.generator, shape, dtype) for _ in range(2))
        spread = dist.Distribution.on_rank(shape, self.world.size, self.last)
        return x, y, self.world.from_array(x), self.world.from_array(y, distribution=spread)

    def test_copies_and_sums(self):
        for dtype in TYPES:
            x, y, a, b = self.pair((5, 4), dtype)
            self.assertIs(b.copy_from(a), b)
            self.assert_equal(b, x)
            b[...] = y
            self.assertIs(b.axpy(-2, a), b)
            self.assert_equal(b, y - 2 * x)
            self.assertIs(b.scale(3), b)
            self.assert_equal(b, 3 * (y - 2 * x))
            if b.dtype.kind == "c":
                self.assert_equal(b.scale(1j), 3j * (y - 2 * x))
            b[...] = y
            made = dist.combine([(2, a), (-1, b)])
            self.assertEqual(made.distribution, a.distribution)
            self.assert_equal(made, 2 * x - y)
            self.assertIs(dist.combine(((0.5, b), (4, b), (1, a)), out=b), b)
            self.assert_equal(b, 4.5 * y + x)
        b[1, 1] = np.nan
        self.assert_equal(b.scale(0), np.zeros((5, 4)))

    def test_slices(self):
        x, y, a, b = self.pair((6, 7), "f8")
        self.assertIs(dist.transpose("ij=ji", a, b, of=np.s_[1:4, 2:6], to=np.s_[0:4, 3:6], alpha=-2), b)
        y[0:4, 3:6] = -2 * x[1:4, 2:6].T
        self.assert_equal(b, y)
        dist.transpose("ij=ji", a, b, of=np.s_[1:4, 2], to=np.s_[5, -3:], beta=0.5)
        y[5, -3:] = 0.5 * y[5, -3:] + x[1:4, 2]
        self.assert_equal(b, y)
        dist.transpose("ij-=ij", a, b)
        self.assert_equal(b, y - x)
        dist.transpose("ij=ji", b, b, of=np.s_[0:2, 4:6], to=np.s_[4:6, 0:2])
        y -= x
        y[4:6, 0:2] = y[0:2, 4:6].T
        self.assert_equal(b, y)
        with self.assertRaisesRegex(tenfold.InvalidError, "elements in common"):
            dist.transpose("ij=ji", b, b, of=np.s_[0:2, 0:2], to=np.s_[1:3, 0:2])
        with self.assertRaisesRegex(ValueError, "step 1"):
            dist.transpose("ij=ij", a, b, of=np.s_[::2], to=np.s_[0:3])

    def test_wrong_arguments(self):
        x, _, a, b = self.pair((4, 3), "f8")
        other = self.world.zeros((4, 3), "f4")
        with self.assertRaisesRegex(TypeError, "the other tensor has elements of float32, the tensor of float64"):
            a.copy_from(other)
        with self.assertRaisesRegex(tenfold.InvalidError, "extent"):
            a.axpy(1, self.world.zeros((3, 4)))
        with self.assertRaisesRegex(TypeError, "complex128 do not become float64"):
            a.scale(1j)
        with self.assertRaisesRegex(TypeError, "combine"):
            dist.combine([])
        mine = self.world.rank == self.last
        with self.raises_on_all(self.last, ValueError, ValueError, "alpha is a number, not an array"):
            a.axpy([1, 2] if mine else 1, b)
        with self.raises_on_all(self.last, TypeError, TypeError, "term 1 is no pair"):
            dist.combine([(1, a), (1,) if mine else (1, b)])
        with self.raises_on_all(self.last, TypeError, TypeError, "is no distributed tensor, but ndarray"):
            a.copy_from(x if mine else b)
        self.assert_equal(a, x)

    def test_random_numbers(self):
        for dtype in TYPES:
            _, _, a, b = self.pair((9, 7), dtype)
            self.assertIs(a.fill_uniform(7, -1, 3), a)
            self.assert_equal(b.fill_uniform(7, -1, 3), a[...])
            self.assertTrue((-1 <= a[...].real).all() and (a[...].real <= 3).all())
            self.assertGreater(a[...].real.std(), 0.5)
            self.assertNotEqual(a.fill_uniform(8).sum(), b.fill_uniform(9).sum())
            np.testing.assert_array_equal(a.fill_normal(7, 5, 0.5)[...], b.fill_normal(7, 5, 0.5)[...])
            self.assertLess(abs(a[...].real.mean() - 5), 0.5)
        a.fill_uniform(2**64 - 1)
        with self.raises_on_all(self.last, ValueError, ValueError, "seeds are from 0"):
            a.fill_uniform(-1 if self.world.rank == self.last else 1)


class Reductions(RanksCase):
    def test_numbers(self):
        for dtype in TYPES:
            x = integers(self.generator, (5, 6), dtype)
            a = self.world.from_array(x)
            self.assertEqual(a.sum(), x.sum())
            self.assertAlmostEqual(a.norm(1), np.abs(x).sum(), places=5)
            self.assertAlmostEqual(a.norm(np.inf), np.abs(x).max(), places=5)
            self.assertEqual(a.norm(), a.norm(2))
            if a.dtype.kind == "c":
                with self.assertRaisesRegex(TypeError, "complex numbers have no order"):
                    a.max()
                continue
            self.assertEqual((a.min(), a.max()), (x.min(), x.max()))
            self.assertEqual(x[a.argmin()], x.min())
            # The first one, mode 0 fastest.
            self.assertEqual(a.argmax(), np.unravel_index(np.argmax(x.ravel("F")), x.shape, "F"))
        with self.assertRaisesRegex(ValueError, "the norm 3"):
            a.norm(3)
        with self.assertRaises(ValueError):
            self.world.zeros((0, 3)).min()
        a = self.world.full((5, 6), 1.0)
        a[2, 3] = np.nan
        self.assertTrue(np.isnan(a.max()) and np.isnan(a.sum()) and np.isnan(a.norm(np.inf)))
        self.assertEqual(a.argmin(), (2, 3))

    def test_items(self):
        self.assertEqual(self.world.full((), 2 - 1j).item(), 2 - 1j)
        self.assertEqual(self.world.full((1, 1), np.float32(3)).item(), 3)
        with self.assertRaisesRegex(tenfold.InvalidError, r"\(2, 1\)"):
            self.world.zeros((2, 1)).item()

    def test_largest(self):
        x = self.generator.permutation(30).reshape(6, 5) - 14.5
        a = self.world.from_array(x)
        values, positions = a.largest(7)
        np.testing.assert_array_equal(x[positions], values)
        np.testing.assert_array_equal(np.abs(values), np.sort(np.abs(x), axis=None)[::-1][:7])
        values, (i, j) = a.largest(100, where=lambda at: at[0] > at[1])
        self.assertEqual(len(values), np.tril(np.ones((6, 5)), -1).sum())
        self.assertTrue((i > j).all())
        values, (i, j) = a.largest(0)
        self.assertEqual((values.shape, i.shape, values.dtype), ((0,), (0,), np.float64))
        self.assertEqual(len(self.world.full((), 2.0).largest(3)[0]), 1)

        def refuse(at):
            return 1 // (self.last - self.world.rank)
        if self.world.size > 1:
            everyone = self.world.from_array(np.ones((self.world.size, 2)),
                                             distribution=dist.Distribution((self.world.size, 2), (self.world.size, 1),
                                                                            self.world.size))
            with self.raises_on_all(self.last, ZeroDivisionError, ValueError, "division"):
                everyone.largest(1, where=refuse)
        with self.raises_on_all(self.last, TypeError, TypeError, "where= takes a function, not int"):
            a.largest(1, where=1 if self.world.rank == self.last else max)


class Interchange(RanksCase):
    def test_lists(self):
        x = integers(self.generator, (5, 4), "c8")
        a = self.world.from_array(x)
        own = np.random.default_rng(self.world.rank)
        i, j = own.integers(-5, 5, (3, 2)), own.integers(-4, 4, 2)
        found = a.read_elements((i, j))
        np.testing.assert_array_equal(found, x[i, j])
        self.assertEqual((found.shape, found.dtype), ((3, 2), np.complex64))
        self.assertEqual(a.read_elements((4, -1)), x[4, -1])
        self.assertEqual(a.read_elements(None).shape, (0,))
        self.assertEqual(a.read_elements(([], [])).shape, (0,))
        a.add_elements(([1, 1, 2], 3), [1, 2, 1j])
        np.add.at(x, ([1, 1, 2], 3), self.world.size * np.array([1, 2, 1j]))
        self.assert_equal(a, x)
        a.write_elements((self.world.rank % 5, slice_all := np.arange(4)), self.world.rank)
        for rank in range(self.world.size):
            x[rank % 5, slice_all] = rank
        self.assert_equal(a, x)
        a.write_elements(([0], [0]) if self.world.rank == 0 else None, 9)
        x[0, 0] = 9
        self.assert_equal(a, x)
        line, number = self.world.zeros((4,)), self.world.zeros(())
        line.add_elements([0, 3], 2)
        self.assert_equal(line, np.array([2.0, 0, 0, 2]) * self.world.size)
        number.add_elements((), 1)
        self.assertEqual(number.read_elements(()), self.world.size)

    def test_wrong_lists(self):
        a = self.world.zeros((5, 4))
        for positions, kind in (((1,), IndexError), ((5, 0), IndexError), ((0, [1.5]), TypeError),
                                (([0, 1], [0, 1, 2]), ValueError)):
            with self.assertRaises(kind, msg=str(positions)):
                a.read_elements(positions)
        with self.raises_on_all(self.last, IndexError, ValueError, "position 4 is outside of mode 1"):
            a.write_elements((0, 4 if self.world.rank == self.last else 3), 1)
        with self.raises_on_all(self.last, ValueError, ValueError, "broadcast"):
            a.add_elements(([0, 1], 0), [1, 2, 3] if self.world.rank == self.last else [1, 2])
        self.assert_equal(a, np.zeros((5, 4)))

    def test_boxes(self):
        size, rank = self.world.size, self.world.rank
        x = np.arange(10.0 * size).reshape(size, 10)
        a = self.world.full((size, 10), -1.0)
        a.import_boxes([(np.s_[rank, 0:3], x[rank, 0:3]), (np.s_[rank:rank + 1, 9:], x[rank, 9]),
                        (np.s_[rank, 4:4], [])])
        wanted = np.full((size, 10), -1.0)
        wanted[:, :3], wanted[:, 9] = x[:, :3], x[:, 9]
        self.assert_equal(a, wanted)
        a[...] = x
        first, second, none = a.export_boxes([np.s_[:, rank], np.s_[rank, ::-2], np.s_[0:0]])
        np.testing.assert_array_equal(first, x[:, rank])
        np.testing.assert_array_equal(second, x[rank, ::-2])
        self.assertEqual(none.shape, (0, 10))
        self.assertEqual(a.export_boxes([]), [])
        with self.raises_on_all(self.last, ValueError, ValueError, "boxes have slices of step 1"):
            a.import_boxes([(np.s_[0, ::2], 1)] if rank == self.last else [])
        with self.assertRaises(tenfold.InvalidError) as raised:
            a.import_boxes([(np.s_[0, 0:2], 1), (np.s_[0, 1:3], 2)] if rank == self.last else [])
        self.assertEqual(raised.exception.code, "overlap")
        self.assert_equal(a, x)

    def test_block_cyclic(self):
        size, rank = self.world.size, self.world.rank
        for dtype in "f8", "c8":
            x = integers(self.generator, (7, 9), dtype)
            a = self.world.from_array(x)
            matrix = dist.BlockCyclic((7, 9), (2, 3), (1, size), (0, rank))
            columns = [j for j in range(9) if j // 3 % size == rank]
            self.assertEqual(matrix.local_shape, (7, len(columns)))
            local = a.export_block_cyclic(matrix)
            np.testing.assert_array_equal(local, x[:, columns])
            b = self.world.zeros((7, 9), dtype)
            b.import_block_cyclic(matrix, np.ascontiguousarray(local))
            self.assert_equal(b, x)
        self.assertEqual((matrix.shape, matrix.blocks, matrix.grid, matrix.place, matrix.first),
                         ((7, 9), (2, 3), (1, size), (0, rank), (0, 0)))
        same = dist.BlockCyclic.from_descriptor([1, 5, 7, 9, 2, 3, 0, 0, 7], (1, size), (0, rank))
        self.assertEqual((same.shape, same.local_shape), ((7, 9), matrix.local_shape))
        # One process of the grid; others are outside.
        place = (0, 0) if rank == self.last else (-1, -1)
        alone = dist.BlockCyclic((7, 9), (2, 3), (1, 1), place)
        b.scale(0).import_block_cyclic(alone, x if rank == self.last else None)
        self.assert_equal(b, x)
        with self.raises_on_all(self.last, ValueError, ValueError, "the local part has shape"):
            b.import_block_cyclic(matrix, local[:-1] if rank == self.last else local)
        with self.assertRaisesRegex(TypeError, "described by a BlockCyclic, not int"):
            b.export_block_cyclic(7)
        with self.assertRaisesRegex(tenfold.InvalidError, "type 501"):
            dist.BlockCyclic.from_descriptor([501, 5, 7, 9, 2, 3, 0, 0, 7], (1, 1), (0, 0))
        self.assertEqual(dist.BlockCyclic((7, 9), (0, 3), (1, 1), (0, 0)).local_shape[0], 0)


class Programs(RanksCase):
    TEXT = """index i, j: row
              input A[i,j], e[i], s
              output R[i,j], n
              R[i,j] = s*A[i,j] + P(i,j)*A[i,j] / (e[i] + e[j])
              repeat until n > 0 at most 3 { n = R[i,j]*R[i,j] }"""

    def wanted(self, a, e, s):
        parts = a / (e[:, None] + e[None, :])
        return s * a + parts - parts.T

    def test_run_and_dry_run(self):
        program = dist.Program(self.TEXT)
        self.assertEqual(program.ranges, ["row"])
        self.assertEqual(program.tensors[0], ("A", ["row", "row"], "input"))
        self.assertEqual(dist.Program(str(program)), program)
        dry = program.plan({"row": 40}, ranks=16, repetitions=2)
        self.assertEqual((dry.ranks, dry.layouts["A"].ranks, dry.lines[-1].times), (16, 16, 2))
        self.assertGreater(min(dry.seconds, dry.received, dry.peak), 0)
        self.assertIn("R[i,j] = s*A[i,j]", str(dry))
        a, e = self.generator.integers(-9, 10, (8, 8)).astype(float), np.arange(1.0, 9.0)
        for inputs in ({"A": self.world.from_array(a), "e": self.world.from_array(e), "s": 2},
                       {"A": a, "e": e, "s": 2.0},
                       {"A": lambda at, block: np.copyto(block, a[tuple(slice(k, k + n) for k, n in
                                                                        zip(at, block.shape))]),
                        "e": self.world.from_array(e), "s": 2}):
            found = program.run(self.world, inputs, {"row": 8})
            np.testing.assert_allclose(found["R"][...], self.wanted(a, e, 2), rtol=1e-14)
            self.assertAlmostEqual(found["n"] / (self.wanted(a, e, 2)**2).sum(), 1, 12)
        self.assertTrue(found.converged)
        self.assertEqual([one.times for one in found.lines], [1, 1, 1])
        self.assertGreater(found.peak, 0)
        self.assertIn("received", str(found))
        self.assertEqual(repr(program), "<tenfold.dist.Program of A[row,row], e[row], s, R[row,row], n>")
        self.assertRegex(repr(found), r"^<tenfold.dist.ProgramResult n=[0-9.e+]+, R\[8, 8\]>$")
        del found
        self.assertEqual(dist.Program(self.TEXT).run(self.world, {"A": a, "e": e, "s": 0})["R"].shape, (8, 8))

    def test_pairs(self):
        program = dist.Program("""index i, j: row
            index ij: pairs(row)
            index IJ: strict_pairs(row)
            input A[i,j], P[ij], M[IJ]
            output Q[ij], R[i,j]
            pack Q[ij] = A[i,j]
            unpack R[i,j] = P[ij]
            unpack R[i,j] += M[IJ]""")
        self.assertEqual(program.ranges, ["row"])
        self.assertEqual(program.tensors[2], ("M", ["strict_pairs(row)"], "input"))
        self.assertEqual(program.plan({"row": 4}, ranks=3).layouts["M"].shape, (6,))
        a = self.generator.integers(-9, 10, (5, 5)).astype(float)
        plus, minus = chem.pack_pairs(a), chem.pack_pairs(a, antisymmetric=True)
        for given in (a, self.world.from_array(a)):
            found = program.run(self.world, {"A": given, "P": plus, "M": self.world.from_array(minus)})
            np.testing.assert_array_equal(found["Q"][...], plus)
            np.testing.assert_array_equal(found["R"][...], a)
        with self.assertRaisesRegex(ValueError, r"input 'M' has the shape \(15,\), expected \(10,\)"):
            program.run(self.world, {"A": a, "P": plus, "M": plus})

    def test_errors(self):
        with self.assertRaisesRegex(tenfold.InvalidError, "line 1, column 5: 'V' is read here"):
            dist.Program("n = V[i]")
        program = dist.Program(self.TEXT)
        with self.assertRaisesRegex(tenfold.InvalidError, "range 'row' has no size"):
            program.plan({}, 4)
        plan = program.plan({"row": 3}, self.world.size)
        a, e = self.world.zeros((3, 3)), np.ones(3)
        for inputs, kind, text in (({"A": a, "e": e}, tenfold.InvalidError, "input 's' is missing"),
                                   ({"A": a, "e": e, "s": a}, tenfold.InvalidError, "expected a number"),
                                   ({"A": a, "e": np.ones(4), "s": 1}, ValueError, r"shape \(4,\), expected \(3,\)"),
                                   ({"A": self.world.zeros((3, 3), "f4"), "e": e, "s": 1}, TypeError, "float32"),
                                   ({"A": a, "e": e, "s": 1, "B": e}, ValueError, "'B'")):
            with self.assertRaisesRegex(kind, text):
                plan.run(self.world, inputs)
        with self.raises_on_all(self.last, ValueError, tenfold.InvalidError, "the shape"):
            plan.run(self.world, {"A": a, "e": np.ones(4) if self.world.rank == self.last else e, "s": 1})
        with self.assertRaisesRegex(tenfold.Error, r"unexpected character U\+2212"):
            dist.Program("n = 2\u22121")

    def test_interrupts_and_progress(self):
        """Rank 0 is interrupted at its first report, which comes after 0.1 s; the program would take many seconds."""
        shown = []

        class Interrupting:
            def __init__(self, total, desc):
                shown.append(desc)

            def update(self, share):
                signal.raise_signal(signal.SIGINT)

            def close(self):
                shown.append("closed")

        endless = dist.Program("""index i, j, k: row
                                  input A[i,j]
                                  output R[i,j], n
                                  repeat until n < 0 at most 1000000 {
                                      R[i,j] = A[i,k]*A[k,j]
                                      n = R[i,j]*R[i,j]
                                  }""")
        ones = self.world.full((64, 64), 1.0)
        for call, title in ((lambda: endless.run(self.world, {"A": ones}, {"row": 64}), "program"),
                            (lambda: self.world.for_each_task(20000, lambda task: time.sleep(1e-4)), "tasks")):
            bars = tenfold.progress(after=0, bar=Interrupting) if self.world.rank == 0 else contextlib.nullcontext()
            with self.assertRaises(KeyboardInterrupt if self.world.rank == 0 else tenfold.UnsupportedError) as raised:
                with bars:
                    call()
            if self.world.rank == 0:
                self.assertEqual(shown, [title, "closed"])
                shown.clear()
            else:
                self.assertEqual(raised.exception.code, "stopped")
        self.assertEqual(ones.norm(), 64)  # and ranks go on together

    def test_inputs_lie_where_rank_0_plans_them(self):
        """And in memory that functions may keep."""
        mine = dist.Program("""index i: row
                               index a, b, c, d: column
                               input t[a,b], V[a,b,c,i]
                               output R[a,b,c,i]
                               R[a,b,c,i] = V[a,b,d,i]*t[d,c] + V[a,d,c,i]*t[d,b] + V[d,b,c,i]*t[d,a]""")
        plan = mine.plan({"row": 6, "column": 8}, self.world.size, copies=self.world.rank == 0)
        t, v = integers(self.generator, (8, 8), "f8"), integers(self.generator, (8, 8, 8, 6), "f8")
        kept = []

        def fill(offsets, block):
            block[...] = t[tuple(slice(at, at + extent) for at, extent in zip(offsets, block.shape))]
            kept.append(block)

        found = plan.run(self.world, {"t": fill, "V": v})
        self.assert_equal(found["R"], np.einsum("abdi,dc->abci", v, t) + np.einsum("adci,db->abci", v, t) +
                          np.einsum("dbci,da->abci", v, t))
        for block in kept:
            block[...] = 0  # its own memory
        scaled = dist.Program("index i: row\ninput s, a[i]\noutput n\nn = s*a[i]*a[i]")
        self.assertEqual(scaled.run(self.world, {"s": np.array(3), "a": np.full(4, 2)})["n"], 48)


if __name__ == "__main__":
    unittest.main()
