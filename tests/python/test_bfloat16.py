"""Arrays of bfloat16 as ml_dtypes has them: its own where it is installed, and a type of the same protocol."""
import unittest

import numpy
import tenfold

from arrays import integers


class MadeUpType(unittest.TestCase):
    def setUp(self):
        import bfloat16_type
        self.dtype = numpy.dtype(bfloat16_type.bfloat16)
        self.a, self.b = integers((3, 4), "f4"), integers((4, 5), "f4", 1)
        self.product = self.a @ self.b

    def narrow(self, array):
        return array.astype(self.dtype)

    def check(self, found, dtype):
        self.assertEqual(found.dtype, dtype)
        numpy.testing.assert_array_equal(found.astype("f4"), self.product)

    def test_the_type(self):
        self.assertEqual((self.dtype.name, self.dtype.itemsize), ("bfloat16", 2))
        numpy.testing.assert_array_equal(self.narrow(self.a).astype("f4"), self.a)

    def test_einsum(self):
        self.check(tenfold.einsum("ij,jk->ik", self.narrow(self.a), self.narrow(self.b)), self.dtype)
        self.check(tenfold.einsum("ij,kj->ik", self.narrow(self.a), self.narrow(self.b).T), self.dtype)
        self.check(tenfold.einsum("ij,jk->ik", self.narrow(self.a)[::-1], self.narrow(self.b))[::-1], self.dtype)
        self.check(tenfold.einsum("ij,jk->ik", self.narrow(self.a), tenfold.conj(self.narrow(self.b))), numpy.dtype("f4"))
        self.check(tenfold.einsum(self.narrow(self.a), [0, 1], self.narrow(self.b), [1, 2]), self.dtype)

    def test_other_types(self):
        for other in "f4", "f8", "c16":
            self.check(tenfold.einsum("ij,jk->ik", self.narrow(self.a), self.b.astype(other)).real,
                       numpy.dtype(other).type(0).real.dtype)

    def test_out(self):
        for dtype in self.dtype, numpy.dtype("f4"), numpy.dtype("f8"):
            out = numpy.zeros((3, 5), dtype)
            self.assertIs(tenfold.einsum("ij,jk->ik", self.narrow(self.a), self.narrow(self.b), out=out), out)
            self.check(out, dtype)

    def test_rounded_once(self):
        ones = numpy.full(300, 1.0, "f4").astype(self.dtype)  # sums in bfloat16 would stay at 256
        self.assertEqual(float(tenfold.einsum("i,i->", ones, ones)), 300.0)

    def test_the_librarys_own_functions(self):
        a, b = self.narrow(self.a), self.narrow(self.b)
        self.check(tenfold.contract("ik=ij*jk", a, b), numpy.dtype("f4"))
        plan = tenfold.plan("ij,jk->ik", a, b)
        self.check(plan(a, b), numpy.dtype("f4"))
        found = tenfold.transpose(a, dtype="f4")
        numpy.testing.assert_array_equal(found, self.a.T)
        bias = self.narrow(integers((5,), "f4", 2))
        found = tenfold.contract("ik=ij*jk", a, b, epilogue=tenfold.Epilogue().add("k", bias))
        numpy.testing.assert_array_equal(found, self.product + integers((5,), "f4", 2))


class MlDtypes(MadeUpType):
    def setUp(self):
        super().setUp()
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("no ml_dtypes")
        self.dtype = numpy.dtype(ml_dtypes.bfloat16)


if __name__ == "__main__":
    unittest.main()
