"""Contexts: settings for the calls of a block."""
import contextlib
import operator

from . import _core


@contextlib.contextmanager
def use(context):
    """Makes a Context the current one of this thread, or asyncio task, within a block."""
    if not isinstance(context, _core.Context):
        raise TypeError(f"context is a tenfold.Context, not {type(context).__name__}")
    token = _core.current.set(context)
    try:
        yield context
    finally:
        _core.current.reset(token)


@contextlib.contextmanager
def settings(**changes):
    """Changes settings within a block:

        with tenfold.settings(threads=1, workspace_limit=64 * 2**20, reproducible=True):
            tenfold.einsum("ij,jk->ik", a, b)

    Settings are threads, isa, backend, workspace_limit (bytes), reproducible, plan_cache_limit
    (bytes), wisdom (a file), calibration (a file, or "off"), log_level, and for worlds of tenfold.dist
    watchdog_seconds and presence_seconds (0: off). Each block starts with no plans; to keep them, make a Context once and `use()` it.
    """
    with use(_core.Context(**changes)) as context:
        yield context


def calibrate(seconds=10.0, threads=None, file=None):
    """Measures how fast this machine is, so that plans are priced by its own speeds rather than typical ones: once per
    machine, while nothing else runs. Contexts that have made no plan yet, and later processes, use them.

    seconds: how long it may take, roughly; less is noisier
    threads: of the measurement; the current context's if it is not given
    file: where the speeds are kept; the one that the current context reads if it is not given. Where that is "off",
    nothing is written.

    Takes 0.4 to 2 GiB of memory, at most a quarter of the machine's. Returns the fields of `tenfold calibrate --json`,
    as a dict. Raises tenfold.FileError if the file cannot be written, or if other programs kept the cores so busy that
    what was measured is no machine's.
    """
    return _core.calibrate(0 if threads is None else operator.index(threads), float(seconds), file)
