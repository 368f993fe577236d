"""A client of tenfold-server, for numpy's arrays. Needs the standard library and numpy only. See docs/server.md.

    import tenfold.client
    s = tenfold.client.connect()
    a, b = s.put(array), s.put(other)
    c = s.einsum("aebf,dfce->abcd", a, b)
    c.get()
"""
from ._connection import ServerError
from ._session import ProgramResult, Session, connect
from ._tensor import Tensor

__all__ = ["ProgramResult", "ServerError", "Session", "Tensor", "connect"]
