"""Contexts of Tenfold for the engine, which has a library of its own."""
import weakref

from .. import _core
from ._extension import engine

# The engine's, with the settings of the others.
_contexts: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def engine_context(context=None):
    """The engine's context with the settings of this one, or of `with tenfold.settings(..)`; None outside of such a
    block."""
    context = _core.current.get() if context is None else context
    if context is None:
        return None
    if not isinstance(context, _core.Context):
        raise TypeError(f"context is a tenfold.Context, not {type(context).__name__}")
    if context not in _contexts:
        _contexts[context] = engine.Context(context)
    return _contexts[context]
