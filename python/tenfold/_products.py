"""Products and permutations under numpy's names."""
import operator

import numpy

from . import _core, _engine
from ._einsum import einsum
from ._operands import Operand, array_of, checked_number, operand_of, output_of, plain, result_kind, shape_of


def tensordot(a, b, axes=2):
    """numpy.tensordot(): sums over the last modes of a and the first ones of b, or over pairs of modes."""
    shape_a, shape_b = (shape_of(array_of(one)) for one in (a, b))
    order_a, order_b = len(shape_a), len(shape_b)
    try:
        iter(axes)
    except TypeError:
        count = operator.index(axes)
        axes_a, axes_b = range(order_a - count, order_a), range(count)
    else:
        pair = list(axes)
        if isinstance(axes, str) or len(pair) != 2:
            raise ValueError(f"axes is a number of modes, or two lists of modes, one of a and one of b, not {axes!r}")
        axes_a, axes_b = (list(one) if hasattr(one, "__iter__") else [one] for one in pair)
    axes_a, axes_b = list(axes_a), list(axes_b)
    if len(axes_a) != len(axes_b):
        raise ValueError(f"tensordot sums over {len(axes_a)} modes of a, but {len(axes_b)} of b")
    axes_a = [mode_of(mode, order_a, "a") for mode in axes_a]
    axes_b = [mode_of(mode, order_b, "b") for mode in axes_b]
    for modes, name in (axes_a, "a"), (axes_b, "b"):
        if len(set(modes)) != len(modes):
            raise ValueError(f"axes names a mode of {name} twice: {modes}")
    for one, other in zip(axes_a, axes_b):
        if shape_a[one] != shape_b[other]:
            raise ValueError(f"a mode {one} has extent {shape_a[one]}, b mode {other} has extent {shape_b[other]}")
    labels_a = list(range(order_a))
    labels_b = list(range(order_a, order_a + order_b))
    for one, other in zip(axes_a, axes_b):
        labels_b[other] = labels_a[one]
    kept = [label for mode, label in enumerate(labels_a) if mode not in axes_a]
    kept += [label for mode, label in enumerate(labels_b) if mode not in axes_b]
    result = einsum(a, labels_a, b, labels_b, kept, order="C")
    return result if result_kind((a, b)) is not None else numpy.asarray(result)


def mode_of(mode, order, name):
    """A mode from 0, of one that may count from the end."""
    mode = operator.index(mode)
    if not -order <= mode < order:
        raise ValueError(f"{name} has {order} modes, and none of number {mode}")
    return mode % order


def matmul(a, b, out=None, *, dtype=None, order="K", casting="same_kind"):
    """numpy.matmul(): matrices in the last two modes, the others broadcast; vectors lose theirs."""
    if isinstance(out, tuple) and len(out) == 1:  # as ufuncs take it
        out, = out
    shape_a, shape_b = (shape_of(array_of(one)) for one in (a, b))
    if not shape_a or not shape_b:
        raise ValueError("matmul multiplies no scalars; use *")
    summed_b = shape_b[-2] if len(shape_b) > 1 else shape_b[0]
    if shape_a[-1] != summed_b:
        raise ValueError(f"a has {shape_a[-1]} columns, but b has {summed_b} rows")
    left = "...ij" if len(shape_a) > 1 else "j"
    right = "...jk" if len(shape_b) > 1 else "j"
    result = "..." + "i" * (len(shape_a) > 1) + "k" * (len(shape_b) > 1)
    if len(shape_a) == len(shape_b) == 1:
        result = ""
    return einsum(f"{left},{right}->{result}", a, b, out=out, optimize=False, dtype=dtype, order=order, casting=casting)


def transpose(a, axes=None, *, out=None, alpha=1.0, beta=0.0, dtype=None):
    """A new array in C order with a's modes permuted as by numpy.transpose(), and scaled.

    out = alpha permuted(a) + beta out. `dtype`, or out's type, converts and rounds once.
    """
    to_kind = result_kind((a,))
    one = operand_of(a)
    shape = shape_of(one)
    if axes is None:
        axes = range(len(shape))[::-1]
    axes = [mode_of(mode, len(shape), "a") for mode in axes]
    if sorted(axes) != list(range(len(shape))):
        raise ValueError(f"axes {axes} are no permutation of {len(shape)} modes")
    alpha, beta = checked_number(alpha, "alpha"), checked_number(beta, "beta")
    if beta != 0 and out is None:
        raise ValueError("beta without out: there is nothing that it multiplies")
    target = None if out is None else output_of(out)
    permuted = tuple(shape[mode] for mode in axes)
    if target is not None and shape_of(target) != permuted:
        raise ValueError(f"out has shape {shape_of(target)}, but the permuted array has {permuted}")
    if target is None:
        wanted = numpy.dtype(dtype) if dtype is not None else (
            numpy.dtype("f4") if isinstance(one, Operand) and one.is_bf16 else plain(one).dtype)
        is_number = wanted.kind in "fc" and wanted.isnative
        target = _core.new_array(permuted, wanted) if is_number else numpy.empty(permuted, wanted)
    elif dtype is not None and numpy.dtype(dtype) != target.dtype:
        raise TypeError(f"out has elements of {target.dtype}, not {numpy.dtype(dtype)}")
    result = target
    if _engine.overlap(target, [one]):
        result = target.copy()
    to = operand_of(result)
    if not isinstance(to, Operand) or not isinstance(one, Operand) or to.array is not result:
        if alpha != 1 or beta != 0:
            raise TypeError(f"Tenfold scales no arrays of {target.dtype}")
        target[...] = numpy.transpose(plain(one), axes)
    else:
        if to.array.dtype.kind != "c" and one.array.dtype.kind == "c":
            raise TypeError("complex numbers do not become real ones")
        _core.transpose(axes, one, to, alpha, beta)
        if result is not target:
            target[...] = result
    if out is not None:
        return out
    return target if to_kind is None else to_kind(target)
