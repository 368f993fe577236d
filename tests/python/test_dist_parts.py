"""Pairs of modes, worlds of some ranks, and tasks, against numpy on the whole arrays."""
import unittest

import numpy as np

import tenfold
import tenfold.dist as dist
from ranks import TYPES, RanksCase, integers


class Pairs(RanksCase):
    def test_packed_and_unpacked(self):
        for dtype in TYPES:
            x = integers(self.generator, (3, 5, 5, 2), dtype)
            a = self.world.from_array(x, distribution=dist.Distribution.on_rank(x.shape, self.world.size, self.last))
            back = self.world.zeros(x.shape, dtype)
            for antisymmetric in False, True:
                i, j = np.tril_indices(5, -1 if antisymmetric else 0)
                flipped = x.swapaxes(1, 2)
                wanted = (x - flipped if antisymmetric else x + flipped)[:, i, j]
                pairs = dist.pack_pairs(a, 1, antisymmetric)
                self.assert_equal(pairs, wanted)
                out = self.world.zeros(pairs.shape, dtype, dist.Distribution.on_rank(pairs.shape, self.world.size, 0))
                self.assertIs(dist.pack_pairs(a, -3, antisymmetric, out=out), out)
                self.assert_equal(out, wanted)
                self.assertIs(dist.unpack_pairs(pairs, back, 1, antisymmetric=antisymmetric), back)
            self.assert_equal(back, x)

    def test_wrong_arguments(self):
        mine = self.world.rank == self.last
        a, pairs = self.world.zeros((4, 4, 3)), self.world.zeros((10, 3))
        with self.assertRaisesRegex(ValueError, "modes 1 and 2 have extents 4 and 3"):
            dist.pack_pairs(a, 1)
        with self.assertRaisesRegex(TypeError, "not of int8"):
            dist.pack_pairs(self.world.zeros((4, 4), "i1"))
        with self.assertRaisesRegex(TypeError, "takes arrays"):
            dist.pack_pairs(np.zeros((4, 4)))
        with self.assertRaisesRegex(tenfold.InvalidError, "P mode 0 has extent 4"):
            dist.unpack_pairs(self.world.zeros((4, 3)), a)
        with self.raises_on_all(self.last, ValueError, ValueError, "axis 2"):
            dist.pack_pairs(a, 2 if mine else 0)
        with self.raises_on_all(self.last, TypeError, TypeError, "out is no distributed tensor, but ndarray"):
            dist.pack_pairs(a, out=np.zeros((10, 3)) if mine else pairs)


class Parts(RanksCase):
    def test_tensors_move_both_ways(self):
        first = self.world.split(None if self.world.rank == self.last and self.last > 0 else 0)
        self.assertEqual(first is None, self.world.rank == self.last and self.last > 0)
        x = integers(self.generator, (5, 4), "c8")
        a, s = self.world.from_array(x), None
        if first is not None:
            self.assertEqual((first.size, first.rank, first.threads),
                             (max(1, self.last), self.world.rank, self.world.threads))
            self.assertEqual(first.comm.size, first.size)
            s = first.zeros((5, 4), "c8", dist.Distribution.on_rank((5, 4), first.size, first.size - 1))
        a.copy_to_part(s)
        if s is not None:
            self.assert_equal(s, x)
            s.scale(2j)
        self.assertIs(a.copy_from_part(s), a)
        self.assert_equal(a, 2j * x)
        half = self.world.split(self.world.rank % 2)
        both = half.zeros((5, 4), "c8")
        a.copy_to_part(both)
        self.assert_equal(both, 2j * x)
        for world in first, half:
            if world is not None:
                world.comm.Free()

    def test_nodes(self):
        here = self.world.split_by_node()
        self.assertEqual((here.size, here.comm.size, here.comm.rank), (self.world.size, here.size, here.rank))
        here.comm.Free()

    def test_wrong_arguments(self):
        mine = self.world.rank == self.last
        a, other = self.world.zeros((5, 4)), self.world.zeros((5, 4), "f4")
        with self.raises_on_all(self.last, ValueError, ValueError, "group -2"):
            self.world.split(-2 if mine else 0)
        with self.raises_on_all(self.last, TypeError, TypeError, "elements of float32, the tensor of float64"):
            a.copy_to_part(other if mine else None)
        with self.raises_on_all(self.last, TypeError, TypeError, "but ndarray"):
            a.copy_from_part(np.zeros((5, 4)) if mine else None)
        with self.assertRaisesRegex(tenfold.InvalidError, "no rank has"):
            a.copy_from_part(None)


class Tasks(RanksCase):
    def test_each_is_done_once(self):
        for count in 0, 1, 30:
            for costs, falls in (None, False), (range(count), True), (np.arange(count)[::-1] / 7, False):
                done, order = np.zeros(count), []

                def compute(task):
                    done[task] += 1
                    order.append(task)

                self.world.for_each_task(count, compute, costs)
                np.testing.assert_array_equal(self.world.comm.allreduce(done), np.ones(count))
                self.assertEqual(order, sorted(order, reverse=falls))

    def test_what_raises_on_one_rank_raises_on_all(self):
        def divide(task):
            return 1 // (task - 5)

        with self.assertRaises((ZeroDivisionError, tenfold.Error)) as raised:
            self.world.for_each_task(12, divide)
        self.assertIn("by zero", str(raised.exception))
        with self.assertRaisesRegex(ValueError, "collective, on the world that hands the tasks out"):
            self.world.for_each_task(2 * self.world.size, lambda task: self.world.zeros(3))
        mine = self.world.rank == self.last
        with self.raises_on_all(self.last, TypeError, TypeError, "tasks are done by a function, not int"):
            self.world.for_each_task(3, 7 if mine else print)
        with self.raises_on_all(self.last, ValueError, ValueError, "2 costs of 3 tasks"):
            self.world.for_each_task(3, print, [1, 2] if mine else [1, 2, 3])
        with self.assertRaisesRegex(ValueError, "-1 tasks"):
            self.world.for_each_task(-1, print)


if __name__ == "__main__":
    unittest.main()
