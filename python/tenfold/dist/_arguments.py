"""Arguments of collective calls, which are checked before ranks talk to each other."""
import numpy

from .._errors import TypeMismatchError
from .._operands import usable
from ._extension import engine


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
    """The values as an array of a type; complex numbers do not become real ones."""
    values = numpy.asarray(values)
    if not numpy.can_cast(values.dtype, dtype, "same_kind"):
        raise TypeError(f"elements of {values.dtype} do not become {dtype}")
    return usable(values.astype(dtype, copy=False))


def factor_of(value, dtype, name):
    """A number as the engine takes it; complex ones do not multiply real tensors."""
    value = numpy.asarray(value)
    if value.ndim:
        raise ValueError(f"{name} is a number, not an array of shape {value.shape}")
    if value.dtype.kind not in "biufc":
        raise TypeError(f"{name} is a number, not {value.dtype}")
    return complex(same_kind(value, dtype))
