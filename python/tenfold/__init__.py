"""Tenfold contracts dense tensors: numpy.einsum() and more, on all cores. See docs/python.md.

    import tenfold
    d = tenfold.einsum("aebf,dfce->abcd", a, b)
"""
from . import _core, _einsum
from ._contexts import settings, use
from ._core import Context, Operand, current_context, einsum
from ._errors import (Error, FileError, InvalidError, OutOfMemoryError, TypeMismatchError,
                      UnsupportedError)
from ._numpy import patch_numpy
from ._operands import bf16, conj
from ._paths import einsum_path
from ._plans import Plan, contract, explain, plan
from ._products import matmul, tensordot, transpose

__version__ = _core.version
__all__ = [
    "Context", "Error", "FileError", "InvalidError", "Operand", "OutOfMemoryError", "Plan",
    "TypeMismatchError", "UnsupportedError", "bf16", "conj", "contract", "current_context", "einsum",
    "einsum_path", "explain", "matmul", "patch_numpy", "plan", "settings", "tensordot", "transpose", "use",
]

_core.set_general_einsum(_einsum.einsum)
