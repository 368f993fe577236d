"""Direct inversion in the iterative subspace."""
import numpy

from .._core import chem as engine


class DIIS:
    """Replaces tensors of an iteration by the combination of the last ones whose error is smallest (P. Pulay, Chem.
    Phys. Lett. 73, 393 (1980)):

        accelerate = tenfold.chem.DIIS(8)                # of at most eight iterations
        accelerate.extrapolate([t1, t2], [r1, r2])       # in each, after t1 += r1, t2 += r2

    Tensors are arrays of real numbers, or distributed tensors, of which all calls are collective. Keeps copies of
    tensors and errors.

    most: how many iterations are kept; 0 or 1: none
    inner: a function of two errors that returns their inner product, in any metric; of distributed tensors the same
        number on all ranks. If it is not given, the sum of the products of the elements.
    """

    def __init__(self, most=8, inner=None):
        self._most = most
        self._inner = inner
        self._subspace = engine.Subspace(max(most, 1))
        self._kept = {}  # tensors and errors by place

    def __len__(self):
        """The iterations that are kept."""
        return len(self._kept)

    def extrapolate(self, tensors, errors):
        """Keeps the tensors after this iteration's update, and their errors, usually the update itself. Replaces the
        elements of the tensors by those of the best combination. Where errors depend on one another the oldest
        iterations are forgotten; where a product is not finite the tensors stay as they are."""
        tensors, errors = list(tensors), list(errors)
        if len(tensors) != len(errors):
            raise ValueError(f"{len(tensors)} tensors, {len(errors)} errors: there is one for each")
        for one in (*tensors, *errors):
            if not is_distributed(one) and not (isinstance(one, numpy.ndarray) and one.dtype.kind == "f"):
                raise TypeError("DIIS extrapolates arrays of real numbers and distributed tensors, not "
                                f"{type(one).__name__}")
        if self._most < 2:
            return
        subspace = self._subspace
        place = subspace.make_room()
        products = [self._product(errors, self._kept[one][1]) for one in subspace.places()]
        subspace.add(place, [*products, self._product(errors, errors)])
        self._kept[place] = [one.copy() for one in tensors], [one.copy() for one in errors]
        coefficients = subspace.coefficients()
        while not coefficients and len(subspace.places()) > 1:
            del self._kept[subspace.forget_oldest()]
            coefficients = subspace.coefficients()
        if coefficients:
            for number, tensor in enumerate(tensors):
                combine(coefficients, [self._kept[one][0][number] for one in subspace.places()], tensor)

    def _product(self, xs, ys):
        return sum(float((self._inner or inner_product)(x, y)) for x, y in zip(xs, ys))


def is_distributed(one):
    return hasattr(one, "world") and hasattr(one, "distribution")


def inner_product(x, y):
    if is_distributed(x):
        from .. import dist
        return dist.dot(x, y)
    return numpy.vdot(x, y)


def combine(coefficients, kept, out):
    if is_distributed(out):
        from .. import dist
        dist.combine(zip(coefficients, kept), out=out)
        return
    numpy.multiply(kept[0], coefficients[0], out=out)
    for factor, one in zip(coefficients[1:], kept[1:]):
        out += factor * one
