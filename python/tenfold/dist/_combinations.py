"""Sums of distributed tensors, and slices that become slices of others."""
from ._arguments import check_operand, factor_of
from ._extension import engine
from ._slices import Selection
from ._tensors import Tensor, new_tensor


def combine(terms, out=None):
    """Collective. Computes a sum of tensors with factors, and returns it:

        mixed = tenfold.dist.combine([(0.7, t1), (0.3, t2)])
        tenfold.dist.combine([(1, t), (-0.5, u), (2, w)], out=t)

    Tensors have one shape and type and may lie differently. The terms are added in their order, but for `out`, which
    may be a term and is the first one then. Terms with factor 0 are not read.

    out: a tensor for the sum; a new one that lies as the first term if it is not given
    """
    terms = [tuple(one) if isinstance(one, (tuple, list)) else (one,) for one in terms]
    known = [one for one in (*(part for term in terms for part in term), out) if isinstance(one, Tensor)]
    if not known:
        raise TypeError("combine() takes pairs of a factor and a distributed tensor")
    world, dtype = known[0].world, known[0].dtype
    with world._preparing():
        added = []
        for number, term in enumerate(terms):
            if len(term) != 2:
                raise TypeError(f"term {number} is no pair of a factor and a tensor")
            factor, one = term
            check_operand(one, f"the tensor of term {number}", world, known[0], "another tensor")
            added.append((factor_of(factor, dtype, f"the factor of term {number}"), one._engine))
        if out is not None:
            check_operand(out, "out", world, known[0], "a term")
    if out is None:
        out = new_tensor(world, known[0].shape, dtype, known[0].distribution)
    engine.combine(added, out._engine)
    return out


def transpose(expression, tensor, out, of=..., to=..., alpha=1.0, beta=None):
    """Collective. Computes out[to] = alpha tensor[of], its modes permuted, + beta out[to], and returns out:

        tenfold.dist.transpose("ba=ab", t, u, of=np.s_[0:4, 2:], to=np.s_[:, 0:4], alpha=-1)

    expression  the labels of out and of the tensor; "+=", "-=" and a leading number as in contract()
    of, to      indices, the same on all ranks, with slices of step 1; of a mode with a number one position
    alpha       0: the tensor is not read
    beta        0: out[to] is not read; if it is not given, 0, or 1 where the expression says "+=" or "-=", which takes
                no other beta

    out may be the tensor if the slices have no element in common. A rank receives at most its part of out[to].
    """
    known = [one for one in (out, tensor) if isinstance(one, Tensor)]
    if not known:
        raise TypeError("transpose() takes distributed tensors; tenfold.transpose() takes arrays")
    world = known[0].world
    with world._preparing():
        if not isinstance(expression, str):
            raise TypeError(f"the expression is a text, not {type(expression).__name__}")
        check_operand(tensor, "the tensor", world)
        check_operand(out, "out", world, tensor, "the tensor")
        from_box, to_box = box_of(of, tensor.shape), box_of(to, out.shape)
        alpha = factor_of(alpha, out.dtype, "alpha")
        beta = None if beta is None else factor_of(beta, out.dtype, "beta")
    engine.transpose(expression, tensor._engine, from_box, out._engine, to_box, alpha, beta)
    return out


def box_of(index, shape):
    """Offsets and extents of an index."""
    chosen = Selection(index, shape)
    if not chosen.is_box:
        raise ValueError("transpose() takes slices of step 1")
    return chosen.offsets or [0] * len(shape), chosen.extents
