"""One contraction of operands, in the type that suits them."""
import numpy

from . import _core
from ._operands import (ENGINE_TYPES, INT32, Operand, are_byte_products, converted, dtype_of, integer_operands, plain,
                        shape_of)

FLOAT64 = numpy.dtype(numpy.float64)
HALF = numpy.dtype(numpy.float16)
EXACT_INTEGERS = 2**53  # of float64


def common_type(operands, out=None):
    """numpy's: arrays of order 0 count less than others."""
    kinds = [dtype_of(one) if shape_of(one) else plain(one) for one in operands]
    return numpy.result_type(*kinds, *([] if out is None else [out]))


def integers_are_exact(read, operands):
    """Whether products and sums of these integers are exact in float64, in any order."""
    bound = _core.multiply_adds(read, [plain(one) for one in operands])
    for one in operands:
        array = plain(one)
        if array.size:
            bound *= max(abs(int(array.min())), abs(int(array.max())), 1)
        if bound >= EXACT_INTEGERS:
            return False
    return True


def contract_into(read, operands, out, options):
    """Contracts operands of one type into an array that shares no memory with them."""
    _core.contract_operands(read, operands, None, Operand(out), [], options)


def contract_new(read, operands, dtype, order, options, given=None):
    """The contraction as a new array of the type, or None where Tenfold has no way: numpy has one then.

    Operands of half precision are multiplied as they are and summed in float32. Integers and booleans
    are exact, and wrap around as numpy's do: what int32 has modulo 2**32 is right modulo less.
    `order` is numpy's, or "cheapest": the planner's choice. It is that of the arrays `given`, which are those of the
    operands if they are not given.
    """
    given = [array_below(one) for one in operands] if given is None else given
    if dtype == numpy.float32 and all(isinstance(one, Operand) and one.is_bf16 for one in operands):
        compute = dtype
    elif dtype == HALF:
        operands, compute = [converted(one, HALF) for one in operands], numpy.dtype(numpy.float32)
    elif dtype in ENGINE_TYPES:
        operands, compute = [converted(one, dtype) for one in operands], dtype
    elif dtype.kind in "iu" and dtype.itemsize <= INT32.itemsize and are_byte_products(operands):
        operands, compute = integer_operands(operands), INT32
    elif dtype.kind in "biu":
        if dtype.kind == "b":  # numpy's sums of booleans are "or"
            operands = [plain(one).astype(bool) for one in operands]
        else:
            operands = [plain(one).astype(dtype) for one in operands]
        if integers_are_exact(read, operands):
            operands, compute = [Operand(one.astype(FLOAT64, order="K")) for one in operands], FLOAT64
        elif dtype.kind in "iu" and dtype.itemsize <= INT32.itemsize:
            operands, compute = integer_operands(operands), INT32
        else:
            return None
    else:
        return None
    result = _core.new_output(read, operands, given, compute, order)
    contract_into(read, operands, result, options)
    if dtype.kind == "b":
        return result != 0
    if dtype.kind in "iu" and compute == FLOAT64:
        result = result.astype(numpy.int64)
    return result.astype(dtype, copy=False)


def overlap(out, operands):
    """Whether the output may share memory with an operand."""
    return any(numpy.may_share_memory(out, array_below(one)) for one in operands)


def array_below(one):
    """The array of an operand, which is read."""
    return one.array if isinstance(one, Operand) else one
