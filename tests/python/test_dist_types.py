"""Distributed tensors of types that are not multiplied as they are: half precision, bfloat16, integers."""
import os
import shutil
import tempfile
import unittest

import numpy as np
from mpi4py import MPI

import tenfold.dist as dist
from ranks import RanksCase


class StoredTypes(RanksCase):
    """Types that are not multiplied as they are."""

    def types(self):
        try:
            import ml_dtypes
            brain = ml_dtypes.bfloat16
        except ImportError:
            import bfloat16_type  # of the same protocol
            brain = bfloat16_type.bfloat16
        return [np.dtype(one) for one in ("f2", brain, "i1", "u1", "i4")]

    def values(self, dtype, shape=(5, 7), seed=3):
        values = np.random.default_rng(seed).integers(0, 5, shape)
        return values.astype("f4").astype(dtype)

    def assert_equal(self, tensor, array):
        self.assertEqual(tensor[...].dtype, tensor.dtype)
        np.testing.assert_array_equal(tensor[...].astype("f8"), array.astype("f8"))
        self.assertEqual(tensor.local.dtype, tensor.dtype)
        np.testing.assert_array_equal(tensor.local.astype("f8"), array[tensor.local_slices].astype("f8"))

    def test_elements(self):
        for dtype in self.types():
            with self.subTest(dtype=str(dtype)):
                array = self.values(dtype)
                for root in None, self.last:
                    tensor = self.world.from_array(array if root in (None, self.world.rank) else None, root)
                    self.assertEqual(tensor.dtype, dtype)
                    self.assert_equal(tensor, array)
                self.assert_equal(tensor.redistribute(dist.Distribution.on_rank((5, 7), self.world.size, self.last)), array)
                self.assert_equal(self.world.zeros((5, 7), dtype).copy_from(tensor), array)
                tensor[1:3, 2] = 4
                array[1:3, 2] = np.array(4, "f4").astype(dtype)
                self.assert_equal(tensor, array)
                tensor.write((0, 6) if self.world.rank == 0 else None, 2)
                array[0, 6] = 2
                found = tensor.gather(self.last)
                if self.world.rank == self.last:
                    np.testing.assert_array_equal(found.astype("f8"), array.astype("f8"))
                tensor.scatter(found, self.last)
                self.assert_equal(tensor, array)
                self.assertEqual(tensor.read_elements(([0, 4], [6, 1])).astype("f8").tolist(),
                                 [2, float(array[4, 1])])
                tensor.write_elements((4, 1) if self.world.rank == 0 else None, 1)
                tensor.add_elements((4, 1) if self.world.rank == 0 else None, 3)
                self.assertEqual(float(tensor[4, 1]), 4)
                part, = tensor.export_boxes([np.s_[2:, 1:3]])
                self.assertEqual(part.dtype, dtype)
                tensor.import_boxes([(np.s_[0:3, 1:3], part)] if self.world.rank == 0 else [])
                self.assertEqual(tensor[0:3, 1:3].tolist(), part.tolist())
                self.assertIn(f"{dtype}[5, 7]", repr(tensor))
                with tensor.writing() as block:
                    block[...] = np.array(3, "f4").astype(dtype)
                self.assertEqual(float(tensor[4, 6]), 3)

    def test_operations(self):
        for dtype in self.types():
            with self.subTest(dtype=str(dtype)):
                array, other = self.values(dtype), self.values(dtype, seed=4)
                wide, more = array.astype("f8"), other.astype("f8")
                tensor, second = self.world.from_array(array), self.world.from_array(other)
                self.assertEqual((tensor.sum(), tensor.norm(1), tensor.max(), tensor.min()),
                                 (wide.sum(), wide.sum(), wide.max(), wide.min()))
                self.assertEqual(tensor.norm(), np.linalg.norm(wide))
                self.assertEqual(float(tensor[tensor.argmax()]), wide.max())
                values, (rows, columns) = tensor.largest(3)
                self.assertEqual(values.dtype, dtype)
                self.assertEqual(values.astype("f8").tolist(), wide[rows, columns].tolist())
                self.assertEqual(self.world.full((), 6, dtype).item(), 6)
                found = dist.combine([(2, tensor), (3, second)])
                self.assertEqual(found.dtype, dtype)
                self.assert_equal(found, 2 * wide + 3 * more)
                self.assert_equal(found.axpy(1, tensor).scale(2), 6 * wide + 6 * more)
                self.assert_equal(dist.transpose("ba=ab", tensor, self.world.zeros((7, 5), dtype)), wide.T)
                doubled = tensor.map(lambda block: (block.astype("f4") * 2).astype(block.dtype))
                self.assert_equal(doubled, 2 * wide)
                if dtype.kind in "iu":
                    for wrong in lambda: tensor.fill_uniform(1), lambda: tensor.scale(0.5), lambda: tensor.fill(0.5):
                        self.assertRaises(TypeError, wrong)
                    self.assertRaisesRegex(ValueError, "holds numbers from", tensor.fill, 2 ** 31)
                else:
                    uniform = self.world.zeros((5, 7)).fill_uniform(3)
                    self.assert_equal(tensor.fill_uniform(3), uniform[...].astype("f4").astype(dtype))

    def test_contractions(self):
        for dtype in self.types():
            with self.subTest(dtype=str(dtype)):
                array, other = self.values(dtype), self.values("i1" if dtype == "u1" else dtype, (7, 4), 4)
                wide = array.astype("f8") @ other.astype("f8")
                one, two = self.world.from_array(array), self.world.from_array(other)
                result = dist.contract("ab=ak*kb", one, two)
                self.assertEqual(result.dtype, np.int32 if dtype.kind in "iu" else np.float32)
                np.testing.assert_array_equal(result[...], wide)
                report = dist.Report()
                dist.contract("ab+=ak*kb", one, two, out=result, report=report)
                np.testing.assert_array_equal(result[...], 2 * wide)
                facts = dist.plan("ab=ak*kb", one, two, out=result).summary
                self.assertEqual(report.plan.summary["bytes_received_per_rank"], facts["bytes_received_per_rank"])
                if dtype.kind not in "iu":
                    narrow = self.world.zeros((5, 4), dtype)
                    dist.contract("ab=ak*kb", one, two, out=narrow)
                    self.assert_equal(narrow, wide)
        real, complex_one = self.world.full((2, 3), 2.0), self.world.full((3, 2), 1j)
        self.assertEqual(dist.contract("ab=ak*kb", real, complex_one)[0, 0], 6j)

    def test_files(self):
        place = MPI.COMM_WORLD.bcast(tempfile.mkdtemp() if self.world.rank == 0 else None)
        file = os.path.join(place, "a")
        for dtype in self.types():
            with self.subTest(dtype=str(dtype)):
                array = self.values(dtype)
                tensor = self.world.from_array(array)
                dist.save(file, {"a": tensor})
                self.assertEqual(dist.stored(self.world, file), {"a": (dtype, (5, 7))})
                self.assert_equal(dist.load(self.world, file)["a"], array)
                dist.save_hdf5(file + ".h5", {"a": tensor})
                self.assertEqual(dist.stored_hdf5(self.world, file + ".h5", "a"), (dtype, (5, 7)))
                self.assert_equal(dist.load_hdf5(self.world, file + ".h5", "a"), array)
                dist.save_npy(file + ".npy", tensor)
                self.assert_equal(dist.load_npy(self.world, file + ".npy", dtype), array)
        MPI.COMM_WORLD.Barrier()
        if self.world.rank == 0:
            shutil.rmtree(place)


if __name__ == "__main__":
    unittest.main()
