"""Operations on distributed tensors beside contractions: sums, reductions, random numbers."""
import operator

import numpy

from .._errors import TypeMismatchError
from .._operands import INTEGER_TYPES
from ._arguments import check_operand, factor_of, is_tensor
from ._extension import engine
from ._futures import Future


class Operations:
    """What Tensor has of them."""

    def copy_from(self, other):
        """Collective. Sets all elements to those of another tensor of this shape and type, which may lie differently,
        and returns the tensor. A rank receives at most its block."""
        with self._world._preparing():
            check_operand(other, "the other tensor", self._world, self, "the tensor")
        self._engine.copy_from(other._engine)
        return self

    def copy_from_async(self, other):
        """Collective. Begins copy_from(), and returns a Future, whose wait() returns this tensor."""
        with self._world._preparing():
            check_operand(other, "the other tensor", self._world, self, "the tensor")
        return Future(engine.copy_async(self._engine, other._engine, (self, other)), lambda _: self)

    def copy_to_part(self, part):
        """Collective over this tensor's world. Sets a tensor of a world of some of its ranks (World.split()), which may
        lie in any way, to this one's elements. Ranks outside of that world pass None; those of several such worlds may
        pass tensors of theirs."""
        with self._world._preparing():
            part = self._handle_of_part(part)
        self._engine.copy_to_part(part)

    def copy_from_part(self, part):
        """Collective over this tensor's world. Sets all elements to those of a tensor of a world of some of its ranks,
        as copy_to_part() takes one, and returns this tensor."""
        with self._world._preparing():
            part = self._handle_of_part(part)
        self._engine.copy_from_part(part)
        return self

    def _handle_of_part(self, part):
        if part is None:
            return None
        if not is_tensor(part):
            raise TypeError(f"the part's tensor is no distributed tensor, but {type(part).__name__}")
        if part.dtype != self._dtype:
            raise TypeMismatchError(f"the part's tensor has elements of {part.dtype}, the tensor of {self._dtype}")
        return part._engine

    def axpy(self, alpha, other):
        """Collective. Adds alpha times another tensor of this shape and type, and returns the tensor."""
        with self._world._preparing():
            check_operand(other, "the other tensor", self._world, self, "the tensor")
            alpha = factor_of(alpha, self._dtype, "alpha")
        engine.combine([(1, self._engine), (alpha, other._engine)], self._engine)
        return self

    def scale(self, factor):
        """Collective. Multiplies all elements by a number, and returns the tensor. 0 sets NaNs to 0, too."""
        with self._world._preparing():
            factor = factor_of(factor, self._dtype, "the factor")
        engine.combine([(factor, self._engine)], self._engine)
        return self

    def sum(self):
        """Collective. The sum of all elements, with the same bits on any number of ranks; of integers modulo what
        their type holds."""
        return self._engine.sum()

    def norm(self, ord=None):
        """Collective. A norm of all elements, with the same bits on any number of ranks.

        ord: 2, or None: the square root of the sum of |x|^2; 1: the sum of |x|; numpy.inf: the largest |x|
        """
        with self._world._preparing():
            if ord not in (None, 1, 2, numpy.inf):
                raise ValueError(f"the norm {ord!r}: there are 1, 2 and numpy.inf")
        return self._engine.norm1() if ord == 1 else self._engine.norm_max() if ord == numpy.inf else self._engine.norm()

    def min(self):
        """Collective. The least element of a real tensor; NaN if there is one."""
        return self._extreme(False)[1]

    def max(self):
        """Collective. The greatest element of a real tensor; NaN if there is one."""
        return self._extreme(True)[1]

    def argmin(self):
        """Collective. The position of the least element, the first of equal ones, as a tuple."""
        return self._extreme(False)[0]

    def argmax(self):
        """Collective. The position of the greatest element, the first of equal ones, as a tuple."""
        return self._extreme(True)[0]

    def _extreme(self, is_greatest):
        with self._world._preparing():
            if self._dtype.kind == "c":
                raise TypeError("complex numbers have no order")
        return self._engine.extreme(is_greatest)

    def largest(self, n, where=None):
        """Collective. Values and positions of the n largest elements by magnitude, the largest first:

            values, (a, b, i, j) = t2.largest(10)

        Positions are a tuple of index arrays, one for each mode. Of equal elements the first one in the tensor, mode 0
        fastest, comes first; NaNs come before numbers. There are fewer if the tensor has fewer.

        where: a function of a position, a tuple, that says whether it counts; on all ranks or on none. If it raises on
        one rank, all ranks raise.
        """
        with self._world._preparing():
            n = int(numpy.int64(operator.index(n)))
            if where is not None and not callable(where):
                raise TypeError(f"where= takes a function, not {type(where).__name__}")
        found = self._engine.largest(n, where)
        values = numpy.array([value for _, value in found], self._dtype)
        positions = numpy.array([position for position, _ in found], numpy.int64).reshape(len(found), self.ndim)
        return values, tuple(positions.T)

    def item(self):
        """Collective. The only element of a tensor of order 0, or with extents of 1, as a number of Python's."""
        return self._engine.scalar()

    def fill_uniform(self, seed, low=0.0, high=1.0):
        """Collective. Sets all elements to uniform random numbers of [low, high), and returns the tensor.

        An element depends on the seed and on its place in the tensor only: it is the same on any number of ranks, in
        any distribution. Tensors that should be independent need different seeds, from 0 to 2**64 - 1.
        """
        return self._fill_randomly(self._engine.fill_uniform, seed, low, high)

    def fill_normal(self, seed, mean=0.0, deviation=1.0):
        """Collective. Sets all elements to normal random numbers, as fill_uniform() does."""
        return self._fill_randomly(self._engine.fill_normal, seed, mean, deviation)

    def _fill_randomly(self, fill, seed, *numbers):
        with self._world._preparing():
            if self._dtype in INTEGER_TYPES:
                raise TypeError(f"a tensor of {self._dtype} is not filled with random numbers")
            seed, numbers = operator.index(seed), [float(one) for one in numbers]
            if not 0 <= seed < 2**64:
                raise ValueError(f"seed {seed}: seeds are from 0 to 2**64 - 1")
        fill(seed, *numbers)
        return self
