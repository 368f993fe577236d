"""Memory of results."""
import operator

from . import _core


def keep_results(most):
    """Lets the memory of freed large results (32 MiB and more) stay for the next ones of the same sizes, up to `most` bytes
    in all, those that were freed last. A 32nd of the memory of the machine or container at the start; 0 keeps nothing, and frees
    what is kept.
    """
    most = operator.index(most)
    if most < 0:
        raise ValueError(f"most is {most}: a number of bytes")
    _core.keep_results(min(most, 2**62))
