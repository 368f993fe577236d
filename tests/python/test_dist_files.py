"""Distributed tensors in checkpoints, .npy and HDF5 files."""
import os
import shutil
import tempfile
import unittest

import numpy as np
from mpi4py import MPI

import tenfold
import tenfold.dist as dist
from ranks import TYPES, RanksCase, integers


class Files(RanksCase):
    def setUp(self):
        super().setUp()
        self.folder = MPI.COMM_WORLD.bcast(tempfile.mkdtemp() if self.world.rank == 0 else None)

    def tearDown(self):
        MPI.COMM_WORLD.barrier()
        if self.world.rank == 0:
            shutil.rmtree(self.folder)

    def file(self, name):
        return os.path.join(self.folder, name)

    def arrays(self):
        return {f"T{dtype}": integers(self.generator, (3 + k, 5, 2), dtype) for k, dtype in enumerate(TYPES)}

    def test_checkpoints(self):
        arrays = self.arrays()
        tensors = {name: self.world.from_array(array) for name, array in arrays.items()}
        file = self.file("checkpoint")
        dist.save(file, tensors)
        self.assertEqual(dist.stored(self.world, file),
                         {name: (array.dtype, array.shape) for name, array in arrays.items()})
        spread = dist.Distribution.on_rank((3, 5, 2), self.world.size, self.last)
        found = dist.load(self.world, file, distributions={"Tf4": spread})
        self.assertEqual(list(found), list(arrays))
        self.assertEqual(found["Tf4"].distribution, spread)
        for name, array in arrays.items():
            self.assert_equal(found[name], array)
        some = dist.load(self.world, file, ["Tc8"])
        self.assertEqual(list(some), ["Tc8"])
        again = {"Tf8": self.world.zeros((4, 5, 2))}
        self.assertIs(dist.load(self.world, file, out=again), again)
        self.assert_equal(again["Tf8"], arrays["Tf8"])
        with self.assertRaisesRegex(KeyError, "has no tensor 'T9'; it has 'Tf4'"):
            dist.load(self.world, file, ["T9"])
        with self.assertRaises(tenfold.InvalidError):
            dist.load(self.world, file, out={"Tf8": self.world.zeros((4, 5, 3))})
        dist.save(file, tensors["Tf8"])
        self.assert_equal(dist.load(self.world, file)[""], arrays["Tf8"])

    def test_npy(self):
        for name, array in self.arrays().items():
            file = self.file(name + ".npy")
            dist.save_npy(file, self.world.from_array(array))
            np.testing.assert_array_equal(np.load(file), array)
            self.assert_equal(dist.load_npy(self.world, file), array)
        if self.world.rank == 0:
            np.save(self.file("i.npy"), np.arange(12).reshape(3, 4))
            np.save(self.file("h.npy"), np.arange(12).reshape(3, 4).astype("f2"))
        MPI.COMM_WORLD.barrier()
        self.assertEqual(dist.stored_npy(self.world, self.file("i.npy")), (np.dtype("f8"), (3, 4)))
        for name, dtype in ("i", np.float64), ("h", np.float32):
            found = dist.load_npy(self.world, self.file(name + ".npy"))
            self.assertEqual(found.dtype, dtype)
            self.assert_equal(found, np.arange(12.0).reshape(3, 4).astype(dtype))
        self.assertEqual(dist.load_npy(self.world, self.file("i.npy"), "c16").dtype, np.complex128)

    def test_hdf5(self):
        arrays = self.arrays()
        file = self.file("tensors.h5")
        try:
            dist.save_hdf5(file, {f"ccsd/{name}": self.world.from_array(array) for name, array in arrays.items()})
        except tenfold.UnsupportedError as error:
            self.skipTest(str(error))
        for name, array in arrays.items():
            self.assertEqual(dist.stored_hdf5(self.world, file, f"ccsd/{name}"), (array.dtype, array.shape))
            self.assert_equal(dist.load_hdf5(self.world, file, f"ccsd/{name}"), array)
        found = dist.load_hdf5(self.world, file, ["ccsd/Tf4", "/ccsd/Tc16"])
        self.assert_equal(found["/ccsd/Tc16"], arrays["Tc16"])
        spread = dist.Distribution.on_rank((3, 5, 2), self.world.size, 0)
        self.assertEqual(dist.load_hdf5(self.world, file, "ccsd/Tf4", spread).distribution, spread)
        with self.assertRaises(tenfold.InvalidError):
            dist.load_hdf5(self.world, file, "ccsd/T9")
        try:
            import h5py
        except ImportError:
            return
        with h5py.File(file) as opened:
            for name, array in arrays.items():
                np.testing.assert_array_equal(opened["ccsd"][name][...], array)

    def test_errors(self):
        tensor = self.world.zeros((2, 3))
        for wrong in (lambda: dist.load(self.world, self.file("none")), lambda: dist.load_npy(self.world, self.file("none")),
                      lambda: dist.save(self.file("no/folder"), tensor), lambda: dist.save_npy(self.file("no/f.npy"), tensor)):
            with self.assertRaises(tenfold.FileError):
                wrong()
        for wrong in (lambda: dist.save(self.file("x"), {"a": np.zeros(3)}), lambda: dist.save(self.file("x"), {}),
                      lambda: dist.save(self.file("x"), {3: tensor}), lambda: dist.save_npy(7, tensor)):
            with self.assertRaises(TypeError):
                wrong()
        with self.raises_on_all(self.last, TypeError, TypeError, "is no distributed tensor"):
            dist.save(self.file("x"), {"a": tensor, "b": 3 if self.world.rank == self.last else tensor})
        self.assertFalse(os.path.exists(self.file("x")))


if __name__ == "__main__":
    unittest.main()
