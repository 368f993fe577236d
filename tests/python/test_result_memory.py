"""Memory of large results, which later results have again."""
import threading
import unittest

import numpy
import tenfold
from tenfold import _core

ROWS = 2100  # a square of float64 takes 34 MiB


def address(array):
    return array.__array_interface__["data"][0]


def product(factor=1.0):
    return tenfold.einsum("i,j->ij", numpy.full(ROWS, factor), numpy.arange(float(ROWS)))


class ResultMemory(unittest.TestCase):
    def setUp(self):
        tenfold.keep_results(0)  # frees what other tests have left
        tenfold.keep_results(1 << 28)

    def tearDown(self):
        tenfold.keep_results(1 << 28)

    def test_large_results_have_the_memory_of_freed_ones(self):
        ones = numpy.ones(ROWS)
        plan = tenfold.plan("ij=i*j", ones, ones)
        makers = (product, lambda: tenfold.contract("ij=i*j", ones, ones), lambda: plan(ones, ones),
                  lambda: tenfold.transpose(numpy.ones((ROWS, ROWS))))
        first = product()
        place, size = address(first), first.nbytes
        del first
        for make in makers:
            self.assertEqual(_core.kept_results(), size)
            self.assertEqual(address(make()), place)
        self.assertEqual(_core.kept_results(), size)

    def test_results_are_right_in_used_memory(self):
        for factor in 1.0, 2.0, -3.0:
            numpy.testing.assert_array_equal(product(factor), factor * numpy.ones((ROWS, 1)) * numpy.arange(ROWS))

    def test_results_in_use_are_left_alone(self):
        first, second = product(1.0), product(2.0)
        self.assertNotEqual(address(first), address(second))
        view = second[1:]
        del second
        self.assertEqual(_core.kept_results(), 0)
        third = product(3.0)
        numpy.testing.assert_array_equal(view[-1], 2 * numpy.arange(ROWS))
        numpy.testing.assert_array_equal(third[-1], 3 * numpy.arange(ROWS))

    def test_results_own_their_memory(self):
        result = product()
        self.assertTrue(result.flags.owndata and result.flags.writeable)
        self.assertIsNone(result.base)
        self.assertEqual(address(result) % 64, 0)
        result.resize((2 * ROWS, ROWS), refcheck=False)
        numpy.testing.assert_array_equal(result[ROWS - 1], numpy.arange(ROWS))
        self.assertEqual(numpy.count_nonzero(result[ROWS:]), 0)
        result.resize((3, ROWS), refcheck=False)
        numpy.testing.assert_array_equal(result[2], numpy.arange(ROWS))
        del result
        self.assertEqual(product()[5, 7], 7)

    def test_what_is_kept_has_a_bound(self):
        size = product().nbytes
        self.assertEqual(_core.kept_results(), size)
        tenfold.keep_results(size - 1)
        self.assertEqual(_core.kept_results(), 0)
        product()
        self.assertEqual(_core.kept_results(), 0)
        tenfold.keep_results(2 * size)
        several = [product() for _ in range(3)]
        several.clear()
        self.assertEqual(_core.kept_results(), 2 * size)
        tenfold.keep_results(0)
        self.assertEqual(_core.kept_results(), 0)

    def test_small_arrays_are_numpys(self):
        small = tenfold.einsum("i,j->ij", numpy.ones(20), numpy.ones(30))
        del small
        self.assertEqual(_core.kept_results(), 0)
        numpy.empty((ROWS, ROWS))
        self.assertEqual(_core.kept_results(), 0)

    def test_threads_free_and_take(self):
        wrong = []

        def work(factor):
            for _ in range(10):
                found = product(factor)
                if not (found[:, 1] == factor).all():
                    wrong.append(factor)

        threads = [threading.Thread(target=work, args=(float(one + 1),)) for one in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(wrong, [])

    def test_bounds_are_numbers_of_bytes(self):
        tenfold.keep_results(2**80)
        with self.assertRaises(ValueError):
            tenfold.keep_results(-1)
        with self.assertRaises(TypeError):
            tenfold.keep_results("1 GiB")
