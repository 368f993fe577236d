"""tenfold.chem on ranks: blocks of integrals, DIIS of distributed tensors, the example."""
import os
import sys
import unittest

import numpy as np

import tenfold.dist as dist
from documents import SOURCE
from ranks import RanksCase
from tenfold import chem

WATER = os.path.join(SOURCE, "tests", "apps", "data", "h2o_sto3g.FCIDUMP")
sys.path.insert(0, os.path.join(SOURCE, "python", "examples"))
from lccd import in_one_process, on_ranks  # noqa: E402


class Chemistry(RanksCase):
    def test_blocks(self):
        integrals = chem.read_fcidump(WATER)
        o, v = slice(0, 5), slice(5, None)
        self.assert_equal(integrals.distributed(self.world, (v, o, v, o)), integrals[v, o, v, o])
        spread = dist.Distribution.on_rank((5, 5), self.world.size, self.last)
        self.assert_equal(integrals.distributed(self.world, (o, o), spread), integrals[o, o])
        self.assert_equal(integrals.distributed(self.world, (o, 3, v, 1)), integrals[o, 3:4, v, 1:2])
        with self.raises_on_all(self.last, IndexError, ValueError, "orbital 9 is not one of 7"):
            integrals.distributed(self.world, (o, 9 if self.world.rank == self.last else 0))

    def test_diis(self):
        """The same iterations as on arrays; every rank has the same coefficients."""
        generator = np.random.default_rng(7)
        matrix, wanted = np.eye(6) * 4 + generator.random((6, 6)), generator.random(6)
        x = self.world.zeros((6,))
        a, b = self.world.from_array(matrix), self.world.from_array(wanted)
        accelerate = chem.DIIS(8)
        for _ in range(8):
            error = b.copy().axpy(-1, dist.contract("i=ij*j", a, x)).scale(0.25)
            accelerate.extrapolate([x.axpy(1, error)], [error])
        self.assertLess(np.abs(matrix @ x[...] - wanted).max(), 1e-7)

    def test_example(self):
        np.testing.assert_allclose(on_ranks(WATER, self.world)[-1], in_one_process(WATER)[-1], rtol=0, atol=1e-10)


if __name__ == "__main__":
    unittest.main()
