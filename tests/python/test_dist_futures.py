"""Operations whose messages travel in the background, against numpy on the whole arrays."""
import gc
import unittest

import numpy as np

import tenfold
import tenfold.dist as dist
from ranks import TYPES, RanksCase, integers


class Futures(RanksCase):
    def elsewhere(self, shape):
        return dist.Distribution.on_rank(shape, self.world.size, self.last)

    def test_copies_and_redistributions(self):
        for dtype in TYPES:
            x, y = (integers(self.generator, (5, 4), dtype) for _ in range(2))
            a, b = self.world.from_array(x), self.world.from_array(y, distribution=self.elsewhere((5, 4)))
            copied = b.copy_from_async(a)
            moved = a.redistribute_async(self.elsewhere((5, 4)))
            np.testing.assert_array_equal(a[...], x)  # which may be read meanwhile
            self.assertIsInstance(copied.test(), bool)
            made = moved.wait()
            self.assertIs(copied.wait(), b)
            self.assertIs(copied.wait(), b)
            self.assertTrue(copied.test())
            self.assertIs(moved.wait(), made)
            self.assertEqual((made.dtype, made.distribution), (a.dtype, self.elsewhere((5, 4))))
            self.assert_equal(b, x)
            self.assert_equal(made, x)
        self.assertEqual(repr(moved), "<tenfold.dist.Future, done>")

    def test_contractions(self):
        x, y = integers(self.generator, (6, 5), "f8"), integers(self.generator, (5, 4), "f8")
        a, b = self.world.from_array(x), self.world.from_array(y)
        report = dist.Report()
        dist.contract("ij=ik*kj", a, b, report=report)
        self.assertIsNotNone(report.plan)
        first = dist.contract_async("ij=ik*kj", a, b, report=report)
        second = dist.contract_async("ij=ji", a, alpha=2)
        while not first.test():
            pass
        c = first.wait()
        self.assert_equal(c, x @ y)
        self.assert_equal(second.wait(), 2 * x.T)
        self.assertGreater(report.seconds, 0)
        self.assertGreater(report.peak_bytes, 0)
        self.assertEqual((report.steps, report.plan), ((), None))
        again = dist.contract_async("ij-=ik*kj", a, b, out=c, alpha=3)
        self.assertIs(again.wait(), c)
        self.assert_equal(c, -2 * (x @ y))
        z = integers(self.generator, (6, 5), "c16")
        d = self.world.from_array(z)
        self.assert_equal(dist.contract_async("ij=ki*kj", dist.conj(d), d).wait(), z.conj().T @ z)

    def test_dropped(self):
        x = integers(self.generator, (6, 5), "f8")
        a, c = self.world.from_array(x), self.world.full((5, 5), 7.0)
        begun = [dist.contract_async("ij=ki*kj", a, a, out=c), a.redistribute_async(self.elsewhere((6, 5)))]
        del begun
        gc.collect()
        self.assert_equal(c, np.full((5, 5), 7.0))

    def test_tensors_live_as_long(self):
        x = integers(self.generator, (6, 5), "f8")
        begun = dist.contract_async("ij=ki*kj", self.world.from_array(x), self.world.from_array(x))
        gc.collect()
        self.assert_equal(begun.wait(), x.T @ x)

    def test_wrong_arguments(self):
        x = integers(self.generator, (4, 3), "f8")
        a, b = self.world.from_array(x), self.world.zeros((4, 3))
        mine = self.world.rank == self.last
        begun = b.copy_from_async(a)
        with self.assertRaisesRegex(tenfold.InvalidError, "is the output of copy_async"):
            b.norm()
        begun.wait()
        self.assert_equal(b, x)
        with self.assertRaisesRegex(ValueError, "at most 2 tensors, not 3"):
            dist.contract_async("ij=ij*ij*ij", a, a, a)
        with self.raises_on_all(self.last, TypeError, TypeError, "a distribution is a Distribution, not int"):
            a.redistribute_async(1 if mine else a.distribution)
        with self.raises_on_all(self.last, TypeError, TypeError, "is no distributed tensor, but ndarray"):
            a.copy_from_async(x if mine else b)
        with self.assertRaisesRegex(TypeError, "contract_async"):
            dist.contract_async("ij=ij", x)
        self.assert_equal(a, x)


if __name__ == "__main__":
    unittest.main()
