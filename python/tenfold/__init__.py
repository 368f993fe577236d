"""Tenfold contracts dense tensors: numpy.einsum() and more, on all cores. See docs/python.md.

    import tenfold
    d = tenfold.einsum("aebf,dfce->abcd", a, b)
"""
from . import _core, _einsum, _plans
from ._contexts import calibrate, settings, use
from ._core import Context, Operand, contract, current_context, einsum
from ._epilogues import Epilogue
from ._errors import (Error, FileError, InvalidError, OutOfMemoryError, TypeMismatchError,
                      UnsupportedError)
from ._numpy import patch_numpy
from ._operands import bf16, conj
from ._paths import einsum_path
from ._plans import Plan, explain, plan
from ._progress import progress
from ._products import matmul, tensordot, transpose
from ._results import keep_results

__version__ = _core.version
__all__ = [
    "Context", "Epilogue", "Error", "FileError", "InvalidError", "Operand", "OutOfMemoryError", "Plan",
    "TypeMismatchError", "UnsupportedError", "bf16", "calibrate", "conj", "contract", "current_context", "einsum",
    "einsum_path", "explain", "keep_results", "matmul", "patch_numpy", "plan", "progress", "settings", "tensordot", "transpose", "use",
]

_core.set_general_einsum(_einsum.einsum)
_core.set_general_contract(_plans.contract)
