"""Contexts: settings for the calls of a block."""
import contextlib

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
