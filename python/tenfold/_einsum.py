"""The general form of einsum(): all that is more than a contraction of arrays of one type."""
import operator

import numpy

from . import _core, _engine
from ._errors import InvalidError, OutOfMemoryError
from ._operands import Operand, array_of, is_bfloat16, operand_of, output_of, plain, result_kind, shape_of

numpy_einsum = numpy.einsum  # its own, whatever patch_numpy() does
STRATEGIES = ("greedy", "optimal")


def split_arguments(arguments):
    """The expression, a text or a pair of lists of labels, and the operands."""
    if not arguments:
        raise ValueError("there are no arguments: give an expression and operands, or operands and lists of labels")
    if isinstance(arguments[0], bytes):
        arguments = (arguments[0].decode("ascii"), *arguments[1:])
    if isinstance(arguments[0], str):
        if len(arguments) == 1:
            raise ValueError(f"{arguments[0]!r} comes without operands")
        return arguments[0], arguments[1:]
    if len(arguments) < 2:
        raise ValueError("each operand takes a list of labels")
    pairs = len(arguments) // 2
    inputs = [labels_of(labels) for labels in arguments[1:2 * pairs:2]]
    output = labels_of(arguments[-1]) if len(arguments) % 2 else None
    return (inputs, output), arguments[0:2 * pairs:2]


def labels_of(labels):
    """A list of labels, numbers and at most one Ellipsis, with -1 for the latter."""
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise TypeError(f"labels of an operand are a list of numbers, not {labels!r}")
    numbers = []
    for label in labels:
        if label is Ellipsis:
            numbers.append(-1)
            continue
        try:
            if isinstance(label, bool):
                raise TypeError
            number = operator.index(label)
        except TypeError:
            text = f"an array of shape {label.shape}" if isinstance(label, numpy.ndarray) else repr(label)
            raise TypeError(f"a label is a number or Ellipsis, not {text}: einsum(a, [0, 1], b, [1, 2]) has a list of "
                            "labels after each operand") from None
        if not 0 <= number < 2**31:
            raise ValueError(f"a label is a number from 0 to 2**31 - 1, not {label!r}")
        numbers.append(number)
    return numbers


def read(expression, operands):
    """What the expression says about operands of these orders."""
    orders = [len(shape_of(one)) for one in operands]
    if isinstance(expression, str):
        return _core.read_numpy(expression, orders)
    return _core.read_lists(*expression, orders)


def path_of(optimize):
    """A path that the caller gives, else None, and a limit of memory, in elements, else None."""
    if optimize is None or isinstance(optimize, (bool, numpy.bool_)):
        return None, None
    if isinstance(optimize, str):
        if optimize not in STRATEGIES:
            raise KeyError(f"there is no strategy {optimize!r}; there are {', '.join(STRATEGIES)}")
        return None, None
    if not isinstance(optimize, (list, tuple)) or not optimize:
        raise TypeError(f"optimize is a bool, a strategy or a path, not {optimize!r}")
    if isinstance(optimize[0], str) and optimize[0] == "einsum_path":
        if len(optimize) == 1:
            raise ValueError("the path has no steps; optimize=True lets Tenfold decide")
        return [list(step) for step in optimize[1:]], None
    if len(optimize) == 2 and isinstance(optimize[0], str) and isinstance(optimize[1], (int, float)):
        return path_of(optimize[0])[0], max(int(optimize[1]), 0)
    if all(isinstance(step, (list, tuple)) for step in optimize):
        return [list(step) for step in optimize], None
    raise TypeError(f"optimize is a bool, a strategy or a path, not {optimize!r}")


def lies_as_numpys(optimize):
    """Whether a new output lies as numpy.einsum() lays it out in one loop over all labels. What numpy's steps make when it
    optimizes may have any strides, too."""
    return isinstance(optimize, (bool, numpy.bool_)) and not optimize


def check_casting(operands, dtype, out, casting):
    """numpy's rule: operands are cast to the type of the computation, and that to the output's."""
    for number, one in enumerate(operands):
        if not numpy.can_cast(plain(one) if not shape_of(one) else plain_dtype(one), dtype, casting):
            raise TypeError(f"operand {number} of {plain_dtype(one)} cannot be cast to {dtype} "
                            f"with casting={casting!r}")
    if out is not None and not numpy.can_cast(dtype, out.dtype, casting):
        raise TypeError(f"the result of {dtype} cannot be cast to out of {out.dtype} with casting={casting!r}")


def plain_dtype(one):
    return plain(one).dtype if not isinstance(one, Operand) or not one.is_bf16 else numpy.dtype("f4")


def options_of(optimize, dtype):
    path, elements = path_of(optimize)
    options = {} if path is None else {"path": path}
    if elements is not None:
        options["workspace_limit"] = elements * dtype.itemsize
    return options


def einsum(*operands, out=None, optimize=True, dtype=None, order="K", casting="safe"):
    expression, values = split_arguments(operands)
    order = checked_order(order)
    if not isinstance(casting, str):
        raise TypeError(f"casting is no, equiv, safe, same_kind or unsafe, not {casting!r}")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting is no, equiv, safe, same_kind or unsafe, not {casting!r}")
    to_kind = result_kind(values)
    given = [array_of(value) for value in values]
    arrays = [operand_of(value) for value in given]
    refuse_others(arrays)
    target = None if out is None else output_of(out)
    if target is not None and not is_bfloat16(target.dtype):
        refuse_others([target])
    if target is not None and not target.flags.writeable:
        raise ValueError("output array is read-only")
    bf16 = None  # the type of all arrays, if it is numpy's bfloat16: that of the result, too
    if dtype is None and given and all(
            isinstance(one, numpy.ndarray) and is_bfloat16(one.dtype) for one in given):
        bf16 = given[0].dtype
    dtype = _engine.common_type(arrays, target) if dtype is None else numpy.dtype(dtype)
    if dtype.kind not in "biufc":
        raise TypeError(f"Tenfold has no arithmetic for {dtype}")
    rounds = bf16 is not None and target is not None and target.dtype == bf16
    check_casting(arrays, dtype, None if rounds else target, casting)
    what = read(expression, arrays)
    if what.has_diagonal_output:  # of lists: read_numpy() refuses texts
        raise InvalidError("a label stands more than once in the output, which einsum() does not write; "
                           "contract(.., out=.., diagonal_output=True) writes the diagonal")
    options = options_of(optimize, dtype)
    if target is None:
        if order == "K" and not lies_as_numpys(optimize) and "workspace_limit" not in options:
            order = "cheapest"
        result = compute(what, arrays, dtype, order, options, [_engine.array_below(one) for one in given])
        if bf16 is not None:
            result = result.astype(bf16)
        result = result[()] if not result.ndim else result
        return result if to_kind is None else to_kind(result)
    write(what, arrays, dtype, target, options)
    return out


def compute(what, operands, dtype, order, options, given=None):
    """The contraction as a new array, by numpy where Tenfold has no way. A workspace limit that is too small for any way
    gives way to the least. `given`: the arrays of which operands were made; theirs if they are not given."""
    try:
        result = _engine.contract_new(what, operands, dtype, order, options, given)
    except OutOfMemoryError as error:
        if error.least is None or "workspace_limit" not in options:
            raise
        options = {**options, "workspace_limit": error.least}
        result = _engine.contract_new(what, operands, dtype, order, options, given)
    if result is not None:
        return result
    order = "K" if order == "cheapest" else order
    result = numpy_einsum(*numpy_arguments(what, operands), dtype=dtype, order=order, casting="unsafe")
    # Of one operand, numpy's may be a view, which has the operand's type and strides.
    return numpy.array(result, dtype, order=order) if len(operands) == 1 else result


def write(what, operands, dtype, out, options):
    """Computes in the type and writes to `out`, which may share memory with operands."""
    target = operand_of(out)
    fits = isinstance(target, Operand) and target.array is out and dtype == out.dtype
    if fits and dtype != _engine.HALF and not _engine.overlap(out, operands):
        _engine.contract_into(what, [_engine.converted(one, dtype) for one in operands], out, options)
        return
    # Other outputs are written from a result of their own; its extents of 1 are broadcast.
    if len(what.output) != out.ndim:
        raise InvalidError(f"out has {out.ndim} modes, but the expression has {len(what.output)}")
    result = compute(what, operands, dtype, "K", options)
    for mode, (extent, wanted) in enumerate(zip(numpy.shape(result), out.shape)):
        if extent not in (1, wanted):
            raise InvalidError(f"out mode {mode} has extent {wanted}, but the expression has {extent}")
    numpy.copyto(out, result, casting="unsafe")


def checked_order(order):
    if order is None:
        return "K"
    if isinstance(order, bytes):
        order = order.decode("ascii", "replace")
    if not isinstance(order, str):
        raise TypeError(f"order is 'K', 'A', 'C' or 'F', not {order!r}")
    if order.upper() not in ("K", "A", "C", "F"):
        raise ValueError(f"order is 'K', 'A', 'C' or 'F', not {order!r}")
    return order.upper()


def refuse_others(operands):
    for number, one in enumerate(operands):
        if not isinstance(one, Operand) and one.dtype.kind not in "biufc":
            raise TypeError(f"operand {number} is an array of {one.dtype}, for which Tenfold has no arithmetic")


def numpy_arguments(what, operands):
    """The call of numpy.einsum() that the expression stands for, without ellipses."""
    arguments = []
    for one, labels in zip(operands, what.inputs):
        arguments += [plain(one), labels]
    return [*arguments, what.output]
