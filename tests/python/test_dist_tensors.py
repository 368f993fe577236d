"""Worlds and tensors on ranks: blocks, functions over blocks, and errors that all ranks raise."""
import gc
import os
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock
from xml.etree import ElementTree

import numpy as np
from mpi4py import MPI

import tenfold
import tenfold.dist as dist
from ranks import TYPES, RanksCase, integers


class Worlds(RanksCase):
    def test_ranks(self):
        self.assertEqual((self.world.rank, self.world.size), (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size))
        self.assertEqual(self.world.threads, 1)
        self.assertIn(self.world.ranks_per_node, range(self.world.size))  # 0 on one node
        self.assertIn(f"rank {self.world.rank} of {self.world.size}", repr(self.world))
        self.assertNotEqual(self.world, dist.World(MPI.COMM_WORLD))  # with messages of their own
        self.assertEqual(dist.World().size, self.world.size)

    def test_contexts(self):
        context = tenfold.Context(threads=3, watchdog_seconds=30, presence_seconds=0, calibration="off")
        self.assertEqual((context.settings["watchdog_seconds"], context.settings["presence_seconds"]), (30, 0))
        self.assertEqual(dist.World(MPI.COMM_WORLD, context).threads, 3)
        self.assertEqual(dist.World(context=context).full((5,), 2.0).norm(), 20 ** 0.5)
        with tenfold.settings(threads=2, calibration="off"):
            self.assertEqual(dist.World().threads, 2)
            self.assertEqual(dist.World(context=context).threads, 3)
        self.assertEqual(dist.World().threads, 1)
        with self.assertRaisesRegex(TypeError, "context is a tenfold.Context, not int"):
            dist.World(MPI.COMM_WORLD, 3)
        with self.assertRaisesRegex(tenfold.InvalidError, "presence_seconds is -1"):
            tenfold.Context(presence_seconds=-1)

    def test_other_communicators(self):
        alone = dist.World(MPI.COMM_SELF)
        self.assertEqual((alone.rank, alone.size), (0, 1))
        self.assertEqual(alone.full((3, 4), self.world.rank)[...].sum(), 12 * self.world.rank)
        half = MPI.COMM_WORLD.Split(self.world.rank % 2)
        group = dist.World(half)
        half.Free()  # the world has a duplicate
        self.assertEqual(group.size, (self.world.size + 1 - self.world.rank % 2) // 2)
        self.assertEqual(group.full((5,), 2.0).norm(), 20 ** 0.5)

    def test_wrong_communicators(self):
        with self.assertRaisesRegex(TypeError, "communicator of mpi4py, not of int"):
            dist.World(7)
        with self.assertRaises(tenfold.InvalidError):
            dist.World(MPI.COMM_NULL)
        if self.world.size > 1:
            side = self.world.rank % 2
            half = MPI.COMM_WORLD.Split(side)
            both = half.Create_intercomm(0, MPI.COMM_WORLD, 1 - side)
            with self.assertRaisesRegex(tenfold.InvalidError, "intercommunicator"):
                dist.World(both)
            both.Free()
            half.Free()

    def test_another_mpi_library(self):
        """mpi4py is one for another library, or is not there: one error, and no handle is touched."""
        class Comm:
            pass

        def module(version, size):
            return mock.Mock(Comm=Comm, COMM_WORLD=Comm(), Get_library_version=lambda: version, _sizeof=lambda one: size,
                             _addressof=mock.Mock(side_effect=AssertionError))

        own = MPI.Get_library_version()
        for made, text in ((module("MPICH Version:\t4.0.2\nmore\0", 4), "mpi4py's is MPICH Version:\t4.0.2; Tenfold's is Open MPI"),
                           (module("MPICH Version:\t4.0.2\0", MPI._sizeof(MPI.Comm)), "Tenfold's is Open MPI .* Install mpi4py"),
                           # Open MPI's names, loaded before, stand for those of the library that Tenfold was built for
                           (module(own, MPI._sizeof(MPI.Comm) + 4), "have 12 bytes, of Tenfold's 8. Open MPI .* is loaded")):
            with mock.patch.dict(sys.modules, {"mpi4py.MPI": made}):
                for arguments in (), (made.COMM_WORLD,):
                    with self.assertRaisesRegex(tenfold.UnsupportedError, text):
                        dist.World(*arguments)
                with self.assertRaisesRegex(TypeError, "communicator of mpi4py, not of Intracomm"):
                    dist.World(MPI.COMM_WORLD)
        with mock.patch.dict(sys.modules, {"mpi4py.MPI": None}):
            with self.assertRaisesRegex(ImportError, "communicators of mpi4py, which .*Install mpi4py for Open MPI"):
                dist.World()
        self.assertEqual(dist.World().size, self.world.size)


class Tensors(RanksCase):
    def test_new_ones(self):
        for dtype in TYPES:
            tensor = self.world.zeros((4, 3), dtype)
            self.assertEqual((tensor.shape, tensor.ndim, tensor.size, tensor.dtype), ((4, 3), 2, 12, np.dtype(dtype)))
            self.assert_equal(tensor, np.zeros((4, 3), dtype))
        self.assertEqual(self.world.full((2,), 1j).dtype, np.complex128)
        self.assertEqual(self.world.full((2,), 3).dtype, np.float64)
        self.assertEqual(self.world.full((2,), np.float32(3)).dtype, np.float32)
        self.assertIs(tensor.world, self.world)

    def test_blocks_are_views(self):
        tensor = self.world.zeros((6, 5))
        self.assertTrue(tensor.local.flags.f_contiguous)
        tensor.local[...] = self.world.rank + 1
        owned = [tensor.distribution.block_of(rank)[1] for rank in range(self.world.size)]
        self.assertEqual(tensor[...].sum(), sum((rank + 1) * np.prod(one) for rank, one in enumerate(owned)))
        self.assertEqual(tensor.offsets, tensor.distribution.block_of(self.world.rank)[0])
        block = tensor.local
        del tensor
        gc.collect()
        np.testing.assert_array_equal(block, self.world.rank + 1.0)  # the memory lives as long

    def test_shapes(self):
        for shape in (), (0,), (1,), (3, 0, 2), (1, 1, 1, 1), (2, 3, 1, 2, 2):
            array = integers(self.generator, shape, "f8")
            self.assert_equal(self.world.from_array(array), array)
        number = self.world.full((), 5.0)
        self.assertEqual(number[()], 5)
        number.write(() if self.world.rank == self.last else None, 6)
        self.assertEqual(number[...], 6)
        number[...] = 7
        self.assertEqual(number.map(np.negative)[()], -7)
        blocks = MPI.COMM_WORLD.allgather(number.local.size)
        self.assertEqual((sum(blocks), number.local_slices), (1, ()))
        self.assertEqual(self.world.full(4, 2.0).shape, (4,))
        for shape, kind in (((-1, 2), tenfold.InvalidError), ((1 << 62, 8), tenfold.OutOfMemoryError),
                            ((1 << 50,), tenfold.OutOfMemoryError), ((1 << 70,), OverflowError), ((2.5,), TypeError)):
            with self.assertRaises(kind, msg=str(shape)):
                self.world.zeros(shape)

    def test_from_arrays(self):
        for dtype in TYPES:
            array = integers(self.generator, (5, 7, 3), dtype)
            for one in array, np.asfortranarray(array), array[::-1, ::2], array.T, np.broadcast_to(array[0], (4, 7, 3)):
                self.assert_equal(self.world.from_array(one), one)
                for root in 0, self.last:
                    tensor = self.world.from_array(one if self.world.rank == root else None, root)
                    self.assertEqual(tensor.dtype, one.dtype)
                    self.assert_equal(tensor, one)
        self.assertEqual(self.world.from_array([[1, 2]]).dtype, np.float64)
        self.assert_equal(self.world.from_array(array.astype(">c16")), array)
        with self.assertRaisesRegex(TypeError, "no element type float128; they have float32, float64, complex64"):
            self.world.from_array(array.real.astype("g"))

    def test_gather_and_scatter(self):
        array = integers(self.generator, (5, 6), "c8")
        tensor = self.world.zeros((5, 6), "c8")
        for root in range(self.world.size):
            array = array + 1
            self.assertIs(tensor.scatter(array.T.copy().T if self.world.rank == root else None, root), tensor)
            self.assert_equal(tensor, array)
            found = tensor.gather(root)
            if self.world.rank == root:
                np.testing.assert_array_equal(found, array)
            else:
                self.assertIsNone(found)
        with self.assertRaises(tenfold.InvalidError):
            tensor.gather(self.world.size)

    def test_distributions(self):
        array = integers(self.generator, (6, 9), "f8")
        tensor = self.world.from_array(array)
        size = self.world.size
        backwards = dist.Distribution((6, 9), (1, size), size, rank_of_cell=range(size)[::-1])
        for spread in (dist.Distribution((6, 9), (size, 1), size), backwards,
                       dist.Distribution.on_rank((6, 9), size, self.last)):
            moved = tensor.redistribute(spread)
            self.assertEqual(moved.distribution, spread)
            self.assert_equal(moved, array)
            self.assertEqual(moved.norm(), tensor.norm())  # every bit
            self.assertEqual(dist.dot(moved, tensor), dist.dot(tensor, moved))
            self.assert_equal(self.world.from_array(array, distribution=spread), array)
        copy = tensor.copy()
        copy.fill(1)
        self.assert_equal(tensor, array)
        self.assertEqual((backwards.shape, backwards.grid, backwards.ranks), ((6, 9), (1, size), size))
        self.assertEqual(backwards.rank_of_cell, tuple(range(size)[::-1]))
        self.assertEqual(backwards.block_of(self.last)[0], (0, 0))
        self.assertEqual(backwards == spread, size == 1)
        self.assertEqual(hash(backwards), hash(dist.Distribution((6, 9), [1, size], size, list(range(size))[::-1])))
        with self.assertRaises(IndexError):
            backwards.block_of(size)
        with self.assertRaises(tenfold.InvalidError):
            dist.Distribution((6, 9), (1,), size)
        with self.assertRaises(tenfold.InvalidError):
            self.world.zeros((6, 8), distribution=backwards)
        with self.assertRaisesRegex(TypeError, "a distribution is a Distribution, not tuple"):
            tensor.redistribute((1, size))

    def test_copies(self):
        """All copies are equal after whatever writes, and elements count once."""
        size = self.world.size
        spread = dist.Distribution.replicated((5, 4), size, size)
        self.assertEqual((spread.copies, spread.block_of(size - 1)), (size, ((0, 0), (5, 4))))
        values = np.arange(20.0).reshape(5, 4)
        tensor = self.world.zeros((5, 4), distribution=spread)
        tensor[...] = values
        self.assertEqual(tensor.local.tolist(), values.tolist())
        self.assertAlmostEqual(tensor.norm(), np.linalg.norm(values))
        doubled = tensor.map(np.add, tensor)
        tensor[1:3, 2] = 7
        values[1:3, 2] = 7
        self.assertEqual(tensor.local.tolist(), values.tolist())
        dist.contract("ij+=ij", tensor, out=doubled)
        self.assertEqual(doubled.local.tolist(), doubled[...].tolist())
        self.assertEqual(tensor.local.flags.writeable, size == 1)

    def test_writing_copies_by_hand(self):
        size = self.world.size
        spread = dist.Distribution.replicated((5, 4), size, size)
        values = np.arange(20.0).reshape(5, 4)
        tensor = self.world.zeros((5, 4), distribution=spread)
        with tensor.writing() as block:
            block[...] = values if self.world.rank == 0 else -1  # the first copy counts
        self.assertEqual(tensor.local.tolist(), values.tolist())
        self.assert_equal(tensor, values)
        self.assertEqual(block.flags.writeable, size == 1)
        with self.raises_on_all(self.last, ZeroDivisionError, ValueError, "division"):
            with tensor.writing() as block:
                block[...] = 7 // (self.last - self.world.rank)
        if size > 1:
            with self.assertRaisesRegex(tenfold.InvalidError, r"call refresh\(\)"):
                tensor.norm()
        tensor.refresh()
        self.assertEqual(tensor.local.tolist(), tensor[...].tolist())
        plain = self.world.zeros((5, 4))
        with plain.writing() as block:
            block[...] = values[plain.local_slices]
        self.assert_equal(plain, values)

    def test_who_has_what(self):
        spread = dist.Distribution((6, 9), (2, 1), 5, copies=2)
        self.assertEqual([spread.cell_of(rank) for rank in range(5)], [0, 1, 0, 1, None])
        self.assertEqual([spread.copy_of(rank) for rank in range(5)], [0, 0, 1, 1, None])
        self.assertEqual((spread.owner_of((2, 8)), spread.owner_of((3, 0))), (0, 1))
        for wrong in (lambda: spread.cell_of(5), lambda: spread.copy_of(-1), lambda: spread.owner_of((6, 0)),
                      lambda: spread.owner_of((0, 0, 0))):
            with self.assertRaises(IndexError):
                wrong()

    def test_norm_and_dot(self):
        a, b = (integers(self.generator, (7, 4), "c16") for _ in range(2))
        one, other = self.world.from_array(a), self.world.from_array(b)
        self.assertEqual(dist.dot(one, other), np.vdot(a, b))
        self.assertAlmostEqual(one.norm(), np.linalg.norm(a), places=12)
        self.assertIsInstance(dist.dot(self.world.full((2,), 1.0), self.world.full((2,), 1.0)), float)
        with self.assertRaisesRegex(TypeError, "b has elements of float32, a of complex128"):
            dist.dot(one, self.world.zeros((7, 4), "f4"))

    def test_no_array(self):
        tensor = self.world.zeros((2, 2))
        with self.assertRaisesRegex(TypeError, "a distributed tensor is no array"):
            np.asarray(tensor)
        with self.assertRaises(TypeError):
            iter(tensor)

    def test_text(self):
        text = repr(self.world.zeros((1, 8), "f4", dist.Distribution((1, 8), (1, self.world.size), self.world.size)))
        self.assertTrue(text.startswith(f"<tenfold.dist.Tensor float32[1, 8], grid 1x{self.world.size} of "), text)
        self.assertIn("here [0:1, ", text)
        html = self.world.zeros((4, 6), "f4")._repr_html_()
        self.assertTrue(html.startswith("<pre>&lt;tenfold.dist.Tensor float32[4, 6], grid "), html)
        self.assertEqual(html.count("<tr><td>"), self.world.size)
        ElementTree.fromstring(f"<p>{html}</p>")
        self.assertEqual(repr(dist.Distribution((4, 6), (2, 1), 3)),
                         "<tenfold.dist.Distribution extents (4, 6), grid 2x1 on 3 ranks>")

    def test_lock_is_released(self):
        """While a rank waits for others in a call, its other threads run: here, the one that lets them call."""
        place = MPI.COMM_WORLD.bcast(tempfile.mkdtemp() if self.world.rank == 0 else None)
        file = os.path.join(place, "begun")
        tensor = self.world.full((4,), 1.0)
        if self.world.rank == 0:
            def tell():
                time.sleep(0.2)  # the call below waits by then
                with open(file, "w"):
                    pass
            thread = threading.Thread(target=tell)
            thread.start()
        else:
            while not os.path.exists(file):
                time.sleep(0.01)
        self.assertEqual(tensor.norm(), 2)
        if self.world.rank == 0:
            thread.join()
            os.remove(file)
            os.rmdir(place)


class Functions(RanksCase):
    def refuse_last_row(self, i, j, x):
        if i == 2 * self.world.size - 1:
            raise ArithmeticError("an element of the last row")
        return x

    def test_fill(self):
        def positions(offsets, block):
            self.assertTrue(block.flags.writeable)
            where = np.indices(block.shape)
            block[...] = 10 * (where[0] + offsets[0]) + where[1] + offsets[1]

        wanted = 10.0 * np.arange(5)[:, None] + np.arange(4)
        tensor = self.world.zeros((5, 4))
        self.assertIs(tensor.fill(positions), tensor)
        self.assert_equal(tensor, wanted)
        self.assert_equal(self.world.from_function(positions, (5, 4), "c8"), wanted.astype("c8"))

    def test_map(self):
        array = integers(self.generator, (6, 5), "f8")
        tensor = self.world.from_array(array)
        self.assert_equal(tensor.map(np.square), array ** 2)
        elsewhere = tensor.redistribute(dist.Distribution.on_rank((6, 5), self.world.size, 0))
        self.assert_equal(tensor.map(np.subtract, elsewhere), array - array)
        self.assertEqual(tensor.map(np.subtract, elsewhere).distribution, tensor.distribution)
        self.assert_equal(tensor.map(lambda x, y, z: x * y + z, tensor, elsewhere), array * array + array)
        self.assert_equal(tensor.map(lambda x: 1j * x, dtype="c16"), 1j * array)
        self.assert_equal(self.world.from_array(array * 1j).map(np.abs, dtype="f8"), abs(array))
        self.assert_equal(tensor.map(lambda x: 3), np.full((6, 5), 3.0))
        columns = tensor.map(lambda offsets, x: x + offsets[1] + np.arange(x.shape[1]), offsets=True)
        self.assert_equal(columns, array + np.arange(5))
        banded = tensor.map(lambda i, j, x, y: np.where(abs(i - j) < 2, x + y, 10 * i + j), elsewhere, indices=True)
        rows, columns = np.indices((6, 5))
        self.assert_equal(banded, np.where(abs(rows - columns) < 2, 2 * array, 10 * rows + columns))
        self.assertEqual(self.world.full((), 3.0).map(lambda x: x + 1, indices=True)[()], 4)
        # A function of Python's numbers, and ufuncs of several tensors
        self.assert_equal(tensor.map(np.frompyfunc(lambda x, y: x * y + 1, 2, 1), elsewhere), array ** 2 + 1)
        self.assert_equal(tensor.map(np.frompyfunc(lambda x: complex(x, 1), 1, 1), dtype="c16"), array + 1j)
        self.assert_equal(tensor.map(np.vectorize(lambda x: x > 0)), (array > 0).astype("f8"))
        self.assertIs(tensor.map(np.negative, out=tensor), tensor)
        self.assert_equal(tensor, -array)
        tensor.map(np.add, tensor, out=elsewhere)
        self.assert_equal(elsewhere, -2 * array)

    def test_map_refuses(self):
        tensor = self.world.zeros((2, 3))
        for wrong, kind in ((lambda: tensor.map(3), TypeError), (lambda: tensor.map(np.add, np.zeros((2, 3))), TypeError),
                            (lambda: tensor.map(np.add, self.world.zeros((3, 2))), ValueError),
                            (lambda: tensor.map(np.add, dist.World().zeros((2, 3))), ValueError),
                            (lambda: tensor.map(np.abs, out=tensor, dtype="f4"), TypeError),
                            (lambda: tensor.map(lambda x: 1j * x), TypeError),
                            (lambda: tensor.map(np.frompyfunc(lambda x: complex(x, 1), 1, 1)), TypeError),
                            (lambda: tensor.map(np.frompyfunc(lambda x: "text", 1, 1)), TypeError),
                            (lambda: tensor.map(np.add, offsets=True, indices=True), TypeError),
                            (lambda: tensor.map(lambda x: np.zeros(7)), ValueError)):
            with self.assertRaises(kind):
                wrong()

    def test_one_rank_raises(self):
        tensor = self.world.zeros((2 * self.world.size, 2), distribution=dist.Distribution(
            (2 * self.world.size, 2), (self.world.size, 1), self.world.size))

        def at(rank, raised):
            def function(offsets, block):
                if self.world.rank == rank:
                    raise raised
                return block
            return function

        with self.raises_on_all(self.last, KeyError, ValueError, "nowhere"):
            tensor.fill(at(self.last, KeyError("nowhere")))
        with self.raises_on_all(0, MemoryError, MemoryError, "MemoryError: 3 apples" if self.world.rank else "3 apples"):
            tensor.map(at(0, MemoryError("3 apples")), offsets=True)
        with self.raises_on_all(self.last, ZeroDivisionError, ValueError, "modulo by zero"):
            tensor.map(lambda x: 1 // (self.world.rank - self.last) + x)
        with self.raises_on_all(self.last, ArithmeticError, ValueError, "element of the last row"):
            tensor.map(np.frompyfunc(self.refuse_last_row, 3, 1), indices=True)
        self.assertEqual(tensor.fill(2).norm(), (16 * self.world.size) ** 0.5)

    def test_one_rank_raises_what_has_no_text(self):
        """The others learn of it all the same."""
        class Silent(Exception):
            def __str__(self):
                raise RuntimeError("no text")

        class Index:
            def __index__(self):
                raise Silent

        def silent():
            raise Silent
        shape = (4 * self.world.size, 2)  # every rank owns elements
        tensor = self.world.full(shape, 1.0, distribution=dist.Distribution(shape, (self.world.size, 1), self.world.size))
        for call in (lambda: tensor[Index() if self.world.rank == self.last else 0, 0],
                     lambda: tensor.largest(2, where=lambda position: silent() if self.world.rank == self.last else True)):
            with self.assertRaises(Silent if self.world.rank == self.last else tenfold.Error) as raised:
                call()
            if self.world.rank != self.last:
                self.assertIn("Silent without a text", str(raised.exception))
        self.assertEqual(tensor.norm(), tensor.size ** 0.5)


if __name__ == "__main__":
    unittest.main()
