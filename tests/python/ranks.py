"""What tests on several ranks share."""
import contextlib
import unittest

import numpy as np
from mpi4py import MPI

import tenfold
import tenfold.dist as dist

TYPES = ("f4", "f8", "c8", "c16")


def integers(generator, shape, dtype):
    """Small integers, with which sums are exact."""
    values = generator.integers(-3, 4, shape).astype(dtype)
    return values + 1j * generator.integers(-3, 4, shape).astype(dtype) if values.dtype.kind == "c" else values


class RanksCase(unittest.TestCase):
    def setUp(self):
        self.world = dist.World(MPI.COMM_WORLD)
        self.last = self.world.size - 1
        self.generator = np.random.default_rng(7)  # the same on all ranks

    @contextlib.contextmanager
    def raises_on_all(self, at_fault, own, others, text):
        """The block raises `own` on one rank, and a tenfold.Error of class `others` with the text elsewhere."""
        wanted = own if self.world.rank == at_fault else others
        with self.assertRaises(wanted) as raised:
            yield
        self.assertIn(text, str(raised.exception))
        if self.world.rank != at_fault:
            self.assertIn(f"rank {at_fault}", str(raised.exception))
            self.assertIsInstance(raised.exception, tenfold.Error)

    def assert_equal(self, tensor, array):
        """Also that ranks' blocks are those of the array."""
        self.assertEqual(tensor.shape, array.shape)
        np.testing.assert_array_equal(tensor[...], array)
        if tensor.ndim:
            np.testing.assert_array_equal(tensor.local, array[tensor.local_slices])
