"""How new outputs lie: as numpy.einsum() lays them out, or as the planner finds cheapest."""
import itertools
import unittest

import numpy
import tenfold

from arrays import FLOATS, integers

# Of more multiply-adds than those from which on a layout is chosen, 2**20.
LARGE = (("fab,cdfe->cadbe", {"a": 16, "b": 12, "c": 3, "d": 20, "e": 5, "f": 32}),
         ("eafd,fbec->abcd", {label: 11 for label in "abcdef"}),
         ("cdbea,aedbc->ecbad", {"a": 8, "b": 20, "c": 20, "d": 12, "e": 30}),
         ("kal,bkl->bal", {"k": 40, "a": 40, "b": 40, "l": 20}),
         ("lka,lbk->lba", {"k": 40, "a": 40, "b": 40, "l": 20}),
         ("ai,bj->jaib", {"a": 30, "i": 35, "b": 32, "j": 36}),
         ("ij,jk->ik", {"i": 110, "j": 120, "k": 130}), ("ij,jk->ki", {"i": 110, "j": 120, "k": 130}),
         ("zac,zcb->baz", {"z": 7, "a": 60, "b": 70, "c": 50}), ("iij,jk->ki", {"i": 110, "j": 120, "k": 130}))


def large_operands(expression, extents, dtype="float64"):
    terms = expression.split("->")[0].split(",")
    return [integers([extents[label] for label in term], dtype, seed) for seed, term in enumerate(terms)]


def is_dense(array):
    """Whether its elements fill its memory, in any order of modes."""
    step = array.itemsize
    for stride, extent in sorted(zip(array.strides, array.shape)):
        if stride != step:
            return False
        step *= extent
    return True


class Layouts(unittest.TestCase):
    def expect_new(self, found, wanted):
        self.assertIs(type(found), numpy.ndarray)
        numpy.testing.assert_array_equal(found, wanted)
        self.assertEqual(found.dtype, wanted.dtype)
        self.assertTrue(is_dense(found), found.strides)
        self.assertTrue(found.flags.writeable and found.flags.owndata and found.base is None)

    def test_free_layouts(self):
        """Values, shapes and flags do not depend on the choice, which is the same in all functions."""
        for (expression, extents), dtype in itertools.product(LARGE, FLOATS):
            with self.subTest(expression=expression, dtype=dtype):
                a, b = large_operands(expression, extents, dtype)
                wanted = numpy.einsum(expression, a, b, optimize=True)
                found = tenfold.einsum(expression, a, b)
                self.expect_new(found, wanted)
                lists = [one for pair in zip((a, b), map(list, expression.split("->")[0].split(","))) for one in pair]
                lists = [[*map(ord, one)] if isinstance(one, list) else one for one in lists]
                for other in (tenfold.einsum(expression, a, b, optimize=True), tenfold.contract(expression, a, b),
                              tenfold.einsum(expression, a, b, optimize=[(0, 1)]), tenfold.plan(expression, a, b)(a, b),
                              tenfold.einsum(expression, a, b, optimize=None, order=None),
                              tenfold.contract(expression, a, b, algorithm="auto"),
                              tenfold.einsum(*lists, [*map(ord, expression.split("->")[1])])):
                    self.expect_new(other, wanted)
                    self.assertEqual(other.strides, found.strides)

    def test_numpys_layouts(self):
        for expression, extents in LARGE:
            arrays = large_operands(expression, extents)
            arrays[0] = numpy.asfortranarray(arrays[0])
            for order in "K", "A", "C", "F":
                wanted = numpy.einsum(expression, *arrays, order=order)
                for optimize in (False, numpy.False_, True) if order != "K" else (False, numpy.False_):
                    with self.subTest(expression=expression, order=order, optimize=optimize):
                        found = tenfold.einsum(expression, *arrays, order=order, optimize=optimize)
                        self.expect_new(found, wanted)
                        self.assertEqual(found.strides, wanted.strides)
            wanted = numpy.einsum(expression, *arrays)
            for found in (tenfold.contract(expression, *arrays, optimize=False),
                          tenfold.plan(expression, *arrays, optimize=False)(*arrays)):
                self.assertEqual(found.strides, wanted.strides)
            for out in numpy.full(wanted.shape, numpy.nan), numpy.full(wanted.shape[::-1], numpy.nan).T:
                self.assertIs(tenfold.einsum(expression, *arrays, out=out), out)
                numpy.testing.assert_array_equal(out, wanted)

    def test_other_types(self):
        expression, extents = LARGE[0]
        for dtype in "float16", "int8", "int64", "bool", ">f8", "longdouble":
            with self.subTest(dtype=dtype):
                a, b = large_operands(expression, extents, dtype)
                found = tenfold.einsum(expression, a, b)
                self.expect_new(found, numpy.einsum(expression, a, b, dtype="f4").astype("f2") if dtype == "float16"
                                else numpy.einsum(expression, a, b))
        a, b = large_operands(expression, extents, "complex128")
        self.expect_new(tenfold.einsum(expression, tenfold.conj(a), b), numpy.einsum(expression, a.conj(), b))

    def test_the_choice_is_predicted_to_be_cheaper(self):
        chosen = 0
        with tenfold.settings(threads=1, calibration="off"):
            for expression, extents in LARGE:
                with self.subTest(expression=expression):
                    a, b = large_operands(expression, extents)
                    found, usual = tenfold.einsum(expression, a, b), tenfold.einsum(expression, a, b, optimize=False)
                    seconds, usual_seconds = (tenfold.plan(expression, a, b, out=out).summary["seconds"]
                                              for out in (found, usual))
                    if found.strides != usual.strides:
                        self.assertLess(seconds, 0.9 * usual_seconds)
                        chosen += 1
                    self.assertEqual(tenfold.explain(expression, a, b), tenfold.explain(expression, a, b, out=found))
        self.assertGreater(chosen, 0)

    def test_small_and_awkward_outputs(self):
        """Little work, one or three inputs, no modes, and products that numpy does not name lie as numpy's."""
        a, b = integers((60, 50, 40)), integers((50, 30))
        for arguments in (("ij,jk->ki", a[0], a[0].T), ("abc->cba", a), ("abc,bd,d->dca", a, b, integers((30,))),
                          ("abc,abc->", a, a), ("abc,abc->b", a, a)):
            wanted = numpy.einsum(*arguments)
            found = tenfold.einsum(*arguments)
            numpy.testing.assert_array_equal(found, wanted)
            if len(arguments) != 2:
                self.assertEqual(numpy.asarray(found).strides, numpy.asarray(wanted).strides)
        wide = numpy.broadcast_to(numpy.arange(40.0), (300, 40))
        found = tenfold.einsum("xk,kn->xn", wide, numpy.ones((40, 200)))
        numpy.testing.assert_array_equal(found, numpy.full((300, 200), 780.0))
        self.expect_new(tenfold.einsum("...ik,...kj->j...i", numpy.ones((4, 1, 60, 50)), numpy.ones((3, 50, 70))),
                        numpy.full((70, 4, 3, 60), 50.0))

    def test_matmul_and_tensordot_give_rows(self):
        a, b = numpy.asfortranarray(integers((130, 120))), integers((140, 120)).T
        self.assertTrue(tenfold.matmul(a, b, order="C").flags.c_contiguous)
        self.assertEqual(tenfold.matmul(a, b).strides, numpy.einsum("ij,jk->ik", a, b).strides)
        self.assertTrue(tenfold.tensordot(a, b, 1).flags.c_contiguous)

    def test_out_of_memory_is_told(self):
        """A choice that cannot be made leaves the error to the contraction."""
        constant = numpy.broadcast_to(numpy.float64(1), (2**30, 2**29))
        with self.assertRaises((MemoryError, ValueError)):
            tenfold.einsum("ij,kl->ijkl", constant, constant)


if __name__ == "__main__":
    unittest.main()
