"""Distributed tensors that are symmetric or antisymmetric in two modes, stored once for each pair."""
import operator

from ._arguments import check_operand
from ._extension import engine
from ._tensors import Tensor, new_tensor

TYPES_OF_PAIRS = ("float32", "float64", "complex64", "complex128")


def pack_pairs(x, axis=0, antisymmetric=False, out=None):
    """Collective. A tensor in which one mode stands for the modes `axis` and `axis` + 1 of x, as
    tenfold.chem.pack_pairs() makes an array. With the other indices left out,

        symmetric       P[pq] = x[p, q] + x[q, p] for p >= q, so that P[pp] = 2 x[p, p]
        antisymmetric   P[pq] = x[p, q] - x[q, p] for p > q

    in the order of numpy.tril_indices(n), or of numpy.tril_indices(n, -1).

    out: a tensor for the result, which may lie in any way; a new one if it is not given
    """
    world = world_of(x, out, "pack_pairs()")
    with world._preparing():
        check_operand(x, "the tensor", world)
        axis, shape = packed(x, axis, antisymmetric)
        if out is not None:
            check_operand(out, "out", world, x, "the tensor")
    if out is None:
        out = new_tensor(world, shape, x.dtype)
    engine.pack_pairs(x._engine, axis, bool(antisymmetric), out._engine)
    return out


def unpack_pairs(packed_pairs, out, axis=0, antisymmetric=False):
    """Collective. Adds to `out` what pack_pairs() took apart, with the factor 1/2 that makes the symmetric and the
    antisymmetric part add up to x, and returns it:

        symmetric       out[p, q] += P[pq] / 2 and, for p > q, out[q, p] += P[pq] / 2
        antisymmetric   out[p, q] += P[pq] / 2 and out[q, p] -= P[pq] / 2
    """
    world = world_of(packed_pairs, out, "unpack_pairs()")
    with world._preparing():
        check_operand(out, "out", world)
        axis, _ = packed(out, axis, antisymmetric)
        check_operand(packed_pairs, "the tensor of pairs", world, out, "out")
    engine.unpack_pairs(packed_pairs._engine, axis, bool(antisymmetric), out._engine)
    return out


def world_of(one, other, name):
    known = [tensor for tensor in (one, other) if isinstance(tensor, Tensor)]
    if not known:
        raise TypeError(f"{name} takes distributed tensors; that of tenfold.chem takes arrays")
    return known[0].world


def packed(x, axis, antisymmetric):
    """The first one of the two modes, and the shape of the pairs' tensor."""
    axis = operator.index(axis)
    first = axis + x.ndim if axis < 0 else axis
    if x.dtype.name not in TYPES_OF_PAIRS:
        raise TypeError(f"pairs are packed of {', '.join(TYPES_OF_PAIRS)}, not of {x.dtype}")
    if not 0 <= first < x.ndim - 1:
        raise ValueError(f"axis {axis}: a tensor of {x.ndim} modes does not have this one and the next")
    n, m = x.shape[first:first + 2]
    if n != m:
        raise ValueError(f"modes {first} and {first + 1} have extents {n} and {m}, which are no pairs")
    pairs = n * (n - 1) // 2 if antisymmetric else n * (n + 1) // 2
    return first, (*x.shape[:first], pairs, *x.shape[first + 2:])
