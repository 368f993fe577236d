"""Tenfold in place of numpy's functions."""
import contextlib

import numpy

from . import _core, _paths, _products

_OURS = {"einsum": _core.einsum, "einsum_path": _paths.einsum_path, "tensordot": _products.tensordot}


@contextlib.contextmanager
def patch_numpy():
    """Within the block, numpy.einsum, einsum_path and tensordot are Tenfold's, in all threads.

    For programs that call numpy and that you do not want to change. What imported numpy's functions
    by name before (`from numpy import einsum`) keeps numpy's. Blocks may be nested, but must not
    overlap in several threads.
    """
    before = {name: getattr(numpy, name) for name in _OURS}
    try:
        for name, ours in _OURS.items():
            setattr(numpy, name, ours)
        yield
    finally:
        for name, one in before.items():
            setattr(numpy, name, one)
