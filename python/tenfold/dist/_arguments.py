"""Arguments of collective calls, which are checked before ranks talk to each other."""
import importlib

import numpy

from .._errors import TypeMismatchError
from .._operands import FLOAT32, INT32, INTEGER_TYPES, is_bfloat16, usable
from ._extension import engine

_bfloat16 = None  # numpy's type, once a caller has passed it


def type_of(dtype):
    """A numpy.dtype that distributed tensors have. Raises TypeError for others."""
    global _bfloat16
    dtype = numpy.dtype(dtype)
    engine.check_type(dtype)
    if is_bfloat16(dtype):
        _bfloat16 = dtype
    return dtype


def type_named(name):
    """The numpy.dtype of the engine's name."""
    global _bfloat16
    if name != "bfloat16":
        return numpy.dtype(name)
    if _bfloat16 is None:
        try:
            _bfloat16 = numpy.dtype(importlib.import_module("ml_dtypes").bfloat16)
        except ImportError:
            raise TypeError("numpy has no bfloat16 of its own; the package ml_dtypes has one") from None
    return _bfloat16


def stored_type(dtype):
    """The type of arrays that the engine takes for elements of a type: of bfloat16, their bits."""
    return numpy.dtype(numpy.uint16) if is_bfloat16(dtype) else dtype


def type_of_sums(dtypes):
    """The type of what contract() computes from tensors of these types."""
    dtypes = [FLOAT32 if one == numpy.float16 or is_bfloat16(one) else one for one in dtypes]
    if all(one in INTEGER_TYPES for one in dtypes):
        return INT32
    return numpy.result_type(*dtypes)


def is_tensor(one):
    return isinstance(getattr(one, "_engine", None), engine.Tensor)


def check_operand(one, name, world, first=None, first_name="operand 0"):
    if not is_tensor(one):
        raise TypeError(f"{name} is no distributed tensor, but {type(one).__name__}")
    if one.world is not world:
        raise ValueError(f"{name} belongs to another world")
    if is_tensor(first) and one.dtype != first.dtype:
        raise TypeMismatchError(f"{name} has elements of {one.dtype}, {first_name} of {first.dtype}")


def same_kind(values, dtype):
    """The values as an array of a type; complex numbers do not become real ones, nor others integers."""
    values = numpy.asarray(values)
    if is_bfloat16(dtype) or is_bfloat16(values.dtype):
        fits = dtype == values.dtype or (dtype.kind if is_bfloat16(values.dtype) else values.dtype.kind) in "biufc"
        fits = fits and values.dtype.kind != "c" and dtype.kind not in "biu"
        if fits and values.dtype != dtype:
            values = values.astype(FLOAT32)  # with other types bfloat16 does not convert everywhere
    elif dtype.kind in "iu" and values.dtype.kind in "biu":
        ends = numpy.iinfo(dtype)
        if values.size and not ends.min <= int(values.min()) <= int(values.max()) <= ends.max:
            raise ValueError(f"{dtype} holds numbers from {ends.min} to {ends.max}; these are from {values.min()} to "
                             f"{values.max()}")
        fits = True
    else:
        fits = numpy.can_cast(values.dtype, dtype, "same_kind")
    if not fits:
        raise TypeError(f"elements of {values.dtype} do not become {dtype}")
    return usable(values.astype(dtype, copy=False))


def factor_of(value, dtype, name):
    """A number as the engine takes it, for tensors of a type; complex ones do not multiply real tensors, nor others
    integers."""
    value = numpy.asarray(value)
    if value.ndim:
        raise ValueError(f"{name} is a number, not an array of shape {value.shape}")
    if value.dtype.kind not in "biufc":
        raise TypeError(f"{name} is a number, not {value.dtype}")
    needed = type_of_sums([dtype])
    if needed == INT32 and value.dtype.kind == "f" and float(value).is_integer():
        value = numpy.asarray(int(value))
    return complex(same_kind(value, needed))
