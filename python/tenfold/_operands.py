"""Arguments as operands: arrays of numpy, of torch, and of all that numpy can read."""
import sys

import numpy

from . import _core

Operand = _core.Operand
FLOAT32 = numpy.dtype(numpy.float32)
ENGINE_TYPES = frozenset(map(numpy.dtype, ("f2", "f4", "f8", "c8", "c16")))
INT32 = numpy.dtype(numpy.int32)
BYTES = (numpy.dtype(numpy.int8), numpy.dtype(numpy.uint8))
HOST_DEVICES = (1, 3, 13)  # of DLPack: kDLCPU, kDLCUDAHost, kDLCUDAManaged
INTEGER_TYPES = frozenset((*BYTES, INT32))  # whose sums Tenfold has in int32, modulo 2**32


def is_bfloat16(dtype):
    """Whether it is ml_dtypes' type, which numpy knows once somebody has imported ml_dtypes."""
    return dtype.name == "bfloat16" and dtype.itemsize == 2


def usable(array):
    """The array, or a copy if its elements are byte-swapped, misaligned or at odd strides."""
    size = array.itemsize
    if array.flags.aligned and array.dtype.isnative and size and not any(s % size for s in array.strides):
        return array
    return array.astype(array.dtype.newbyteorder("="), order="K", copy=True)


def torch_of(value):
    """The module torch, if the value is one of its tensors. Tenfold never imports it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(value, getattr(torch, "Tensor", ())) else None


def from_dlpack(value):
    """An array over the memory of an object that has no other interface."""
    kind, _ = value.__dlpack_device__()
    if kind not in HOST_DEVICES:
        raise TypeError(f"an operand of {type(value).__name__} lies on a device of DLPack's type {int(kind)}: Tenfold reads "
                        "the processor's memory")
    return numpy.from_dlpack(value)


def array_of(value):
    """The value as a numpy array, without a copy where there is a way; bf16 gives an Operand."""
    if type(value) is numpy.ndarray or isinstance(value, Operand):
        return value
    torch = torch_of(value)
    if torch is not None:
        if value.requires_grad:
            raise TypeError("a tensor that requires gradients: detach() it first")
        conjugated, value = value.is_conj(), value.resolve_neg()
        value = value.conj() if conjugated else value
        if value.dtype == torch.bfloat16:
            return bf16(value.view(torch.int16).numpy().view(numpy.uint16))
        return conj(value.numpy()) if conjugated else value.numpy()
    if hasattr(value, "__dlpack__") and not isinstance(value, numpy.ndarray) and \
            not any(hasattr(value, way) for way in ("__array__", "__array_interface__")):
        return from_dlpack(value)
    return numpy.asarray(value)


def output_of(out):
    """The array that `out` is: numpy's, or the memory of a torch tensor. Raises TypeError for what would be copied, and
    the copy be written."""
    array = array_of(out) if torch_of(out) is not None else out
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"out is an array, not {type(out).__name__}")
    return array


def checked_number(value, name):
    """An argument that is a number of any kind, as the extension takes it."""
    try:
        if not isinstance(value, (str, bytes)):
            return complex(value)
    except TypeError:
        pass
    raise TypeError(f"{name} is a number, not {value!r}")


def operand_of(value):
    """The value as an Operand of a type that Tenfold has, or as an array of another type."""
    value = array_of(value)
    if isinstance(value, Operand):
        return value
    if value.dtype in ENGINE_TYPES:
        return Operand(usable(value))
    if is_bfloat16(value.dtype):
        return Operand(usable(value).view(numpy.uint16), bf16=True)
    if value.dtype.newbyteorder("=") in ENGINE_TYPES:
        return Operand(usable(value))
    return value


def has_integers(array):
    """Whether its elements, in either byte order, are of INTEGER_TYPES."""
    return array.dtype.newbyteorder("=") in INTEGER_TYPES


def are_byte_products(operands):
    """Whether Tenfold multiplies these arrays as they are: of int8, but for one that may be of uint8."""
    types = [one.dtype for one in operands if not isinstance(one, Operand)]
    return len(types) == len(operands) > 1 and all(one in BYTES for one in types) and types.count(BYTES[1]) <= 1


def integer_operands(operands):
    """Arrays of integers as operands whose sums are of int32, modulo 2**32."""
    if are_byte_products(operands):
        return [Operand(usable(one)) for one in operands]
    return [Operand(one if one.dtype == INT32 and usable(one) is one else one.astype(INT32, order="K"))
            for one in map(plain, operands)]


def bf16(array):
    """An operand whose elements of uint16 are the bits of bfloat16 numbers."""
    array = numpy.asarray(array)
    if array.dtype != numpy.uint16:
        raise TypeError(f"the bits of bf16 are in arrays of uint16, not {array.dtype}")
    return Operand(usable(array), bf16=True)


def conj(value):
    """An operand that is read conjugated; nothing is copied or computed for it."""
    one = operand_of(value)
    if isinstance(one, Operand):
        return Operand(one.array, not one.conjugated, one.is_bf16)
    if one.dtype.kind not in "biufc":
        raise TypeError(f"Tenfold has no arithmetic for {one.dtype}")
    return one if one.dtype.kind in "biu" else numpy.conj(one)


def dtype_of(one):
    """The type for numpy's rules: bf16 counts as float32, which its sums are."""
    if isinstance(one, Operand):
        return FLOAT32 if one.is_bf16 else one.array.dtype
    return one.dtype


def plain(one):
    """An operand's numbers as a numpy array, bf16 as float32."""
    if not isinstance(one, Operand):
        return one
    array = one.array
    if one.is_bf16:
        array = (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return numpy.conj(array) if one.conjugated else array


def shape_of(one):
    return one.array.shape if isinstance(one, Operand) else one.shape


def converted(one, dtype):
    """The operand with elements of the type, a numpy array unless nothing changes."""
    if isinstance(one, Operand) and not one.is_bf16 and one.array.dtype == dtype:
        return one
    if isinstance(one, Operand):
        array = plain(Operand(one.array, False, one.is_bf16)).astype(dtype, order="K")
        return Operand(array, one.conjugated and dtype.kind == "c")
    return Operand(one.astype(dtype, order="K"))


def result_kind(values):
    """A function that gives a result the kind of these arguments: torch's if one is torch's."""
    torch = next(filter(None, map(torch_of, values)), None)
    if torch is None:
        return None
    all_bf16 = all(torch_of(value) and value.dtype == torch.bfloat16 for value in values)

    def to_torch(result):
        tensor = torch.from_numpy(numpy.asarray(result))
        return tensor.to(torch.bfloat16) if all_bf16 else tensor
    return to_torch
