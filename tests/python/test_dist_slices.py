"""Slices of tensors on ranks, read and written: compared with numpy's, and errors that all ranks raise."""
import unittest

import numpy as np

import tenfold
from ranks import RanksCase, integers


class Slices(RanksCase):
    def random_index(self, generator, shape):
        index = []
        for extent in shape:
            choice = generator.integers(4)
            ends = [None if generator.integers(3) == 0 else int(generator.integers(-extent - 1, extent + 2))
                    for _ in range(2)]
            step = int(generator.choice([-3, -2, -1, 1, 2, 3]))
            index.append(int(generator.integers(-extent, extent)) if choice == 0 else slice(*ends, step))
        if generator.integers(2):
            at = int(generator.integers(len(index) + 1))
            index[at:at + int(generator.integers(3))] = [Ellipsis]
        return tuple(index)

    def test_random(self):
        for shape in (7,), (5, 6), (3, 4, 5), (2, 3, 2, 4):
            array = integers(self.generator, shape, "f8")
            tensor = self.world.from_array(array)
            own = np.random.default_rng(self.world.rank)
            for _ in range(25):
                index = self.random_index(own, shape)  # another one on each rank
                found = tensor[index]
                np.testing.assert_array_equal(found, array[index], err_msg=str(index))
                self.assertEqual(np.shape(found), np.shape(array[index]))
            for _ in range(25):
                index = self.random_index(self.generator, shape)
                values = integers(self.generator, np.shape(array[index]), "f8")
                tensor[index] = values
                array[index] = values
                self.assert_equal(tensor, array)

    def test_values(self):
        array = np.zeros((4, 5), "f4")
        tensor = self.world.from_array(array)
        tensor[1:3] = 7
        array[1:3] = 7
        tensor[..., 2] = [1, 2, 3, 4]
        array[..., 2] = [1, 2, 3, 4]
        tensor[3, 4] = np.float64(9)
        array[3, 4] = 9
        self.assert_equal(tensor, array)
        with self.assertRaisesRegex(TypeError, "complex128 do not become float32"):
            tensor[...] = 1j
        with self.assertRaises(ValueError):
            tensor[1:3] = [1, 2]
        self.assert_equal(tensor, array)

    def test_own_boxes(self):
        size, rank = self.world.size, self.world.rank
        tensor = self.world.zeros((2 * size + 1, 3))
        tensor.write((slice(2 * rank, 2 * rank + 2), 1), [rank + 1, -rank - 1])
        wanted = np.zeros((2 * size + 1, 3))
        wanted[:-1, 1] = [x for one in range(1, size + 1) for x in (one, -one)]
        self.assert_equal(tensor, wanted)
        tensor.write(None if rank else (-1, slice(None)), np.array([4, 5, 6])[::-1])
        wanted[-1] = [6, 5, 4]
        self.assert_equal(tensor, wanted)
        with self.assertRaisesRegex(ValueError, "step 1"):
            tensor.write(slice(None, None, 2), 0)
        if size > 1:
            with self.assertRaises(tenfold.InvalidError) as raised:
                tensor.write((0, 0), 1.0)
            self.assertEqual(raised.exception.code, "overlap")
            self.assert_equal(tensor, wanted)

    def test_wrong_indices(self):
        tensor = self.world.zeros((2, 3))
        for index, kind in (((0, 0, 0), IndexError), ((5,), IndexError), ((-3,), IndexError),
                            ((..., ...), IndexError), (("a",), TypeError), ((None,), TypeError),
                            (([0, 1],), TypeError), ((slice(None, None, 0),), ValueError)):
            with self.assertRaises(kind, msg=str(index)):
                tensor[index]

    def test_wrong_on_one_rank(self):
        tensor = self.world.full((2, 3), 1.0)
        with self.raises_on_all(self.last, IndexError, ValueError, "position 9 is outside of mode 1"):
            tensor[0, 9 if self.world.rank == self.last else 0]
        with self.raises_on_all(0, TypeError, TypeError, "indexed by a number or a slice, not str"):
            tensor["a" if self.world.rank == 0 else 0] = 1
        with self.raises_on_all(0, ValueError, ValueError, "takes a number or a function, not an array"):
            tensor.fill([1, 2] if self.world.rank == 0 else 1)
        self.assertEqual(tensor.norm(), 6 ** 0.5)  # and ranks go on together


if __name__ == "__main__":
    unittest.main()
