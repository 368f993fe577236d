"""The examples of docs/python-distributed.md, run as they stand by all ranks together."""
import doctest
import os
import tempfile
import unittest

from mpi4py import MPI

import tenfold.dist
from documents import FLAGS, SOURCE, examples_of, functions_without_example

PAGE = os.path.join(SOURCE, "docs", "python-distributed.md")


class Documents(unittest.TestCase):
    def test_page(self):
        comm = MPI.COMM_WORLD
        folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
        os.chdir(folder)
        failed, tried = doctest.testfile(PAGE, module_relative=False, optionflags=FLAGS)
        comm.barrier()
        if comm.rank == 0:
            for name in os.listdir(folder):
                os.remove(name)
            os.chdir("/")
            os.rmdir(folder)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 30)

    def test_readme(self):
        with open(os.path.join(SOURCE, "README.md")) as file:
            blocks = [block for block in examples_of(file.read()) if "mpi4py" in block]
        self.assertTrue(blocks)
        for block in blocks:
            exec(compile(block, "README.md", "exec"), {})

    def test_everything_is_documented(self):
        with open(PAGE) as file:
            page = file.read()
        for name in tenfold.dist.__all__:
            self.assertTrue(getattr(tenfold.dist, name).__doc__, name)
            self.assertIn(name, page)
        # HDF5 may be missing.
        self.assertEqual(functions_without_example(tenfold.dist, PAGE), ["load_hdf5", "save_hdf5", "stored_hdf5"])


if __name__ == "__main__":
    unittest.main()
