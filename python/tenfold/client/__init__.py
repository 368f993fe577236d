"""A client of tenfold-server, for numpy's arrays. Needs the standard library and numpy only. See docs/server.md.

    import tenfold.client
    s = tenfold.client.connect()
    a, b = s.put(array), s.put(other)
    c = s.einsum("aebf,dfce->abcd", a, b)
    c.get()

    x = 2 * a.lazy() - b  # chains run later, as one program
    s.lazy("ij,kj->ik", x, x).get()
"""
from ._connection import ServerError
from ._lazy import Lazy
from ._session import ProgramResult, Session, connect
from ._tensor import Tensor

__all__ = ["Lazy", "ProgramResult", "ServerError", "Session", "Tensor", "connect"]
