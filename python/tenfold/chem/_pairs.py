"""Pairs of orbitals as one index."""
import numpy

from .._core import chem as engine
from .._operands import usable


def pack_pairs(x, axis=0, antisymmetric=False):
    """An array in which one axis stands for the axes `axis` and `axis` + 1 of x, the pairs p >= q in the order of
    numpy.tril_indices(n):

        symmetric       P[pq] = x[p, q] + x[q, p], so that P[pp] = 2 x[p, p]
        antisymmetric   P[pq] = x[p, q] - x[q, p], for p > q: numpy.tril_indices(n, -1)
    """
    x = real(x)
    return engine.pack_pairs(x, axis_of(axis, x.ndim), bool(antisymmetric))


def unpack_pairs(packed, out, axis=0, antisymmetric=False):
    """Adds to `out`, an array of float64, what pack_pairs() took apart, with the factor 1/2 that makes the symmetric and
    the antisymmetric part add up to x, and returns it:

        symmetric       out[p, q] += P[pq] / 2 and, for p > q, out[q, p] += P[pq] / 2
        antisymmetric   out[p, q] += P[pq] / 2 and out[q, p] -= P[pq] / 2
    """
    if not isinstance(out, numpy.ndarray) or out.dtype != numpy.float64 or usable(out) is not out:
        raise TypeError("out is an array of float64 that can be used where it lies")
    if not out.flags.writeable:
        raise ValueError("output array is read-only")
    engine.unpack_pairs(real(packed), axis_of(axis, out.ndim), bool(antisymmetric), out)
    return out


def real(array):
    array = numpy.asarray(array)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"pairs are packed of real numbers, not of {array.dtype}")
    return usable(array.astype(numpy.float64, copy=False))


def axis_of(axis, order):
    """Of x, whose last axes are -2 and -1."""
    return axis + order if axis < 0 else axis
