"""A handle of a tensor that lives in the server."""
from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._session import Session as _Session

DTYPES: dict[str, np.dtype[Any]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64),
                                    "c32": np.dtype(np.complex64), "c64": np.dtype(np.complex128)}
TYPES: dict[np.dtype[Any], str] = {dtype: name for name, dtype in DTYPES.items()}


class Tensor:
    """Refers to one tensor: its name and its generation. Where another tensor has the name since, uses of the handle
    raise ServerError with code "stale"."""

    def __init__(self, session: _Session, record: dict[str, Any]) -> None:
        self.session = session
        self._take(record)

    def _take(self, record: dict[str, Any]) -> None:
        self.name: str = record["name"]
        self.generation: int = record["generation"]
        self.shape: tuple[int, ...] = tuple(record["extents"])
        self.dtype: np.dtype[Any] = DTYPES[record["type"]]
        self.nbytes: int = record["bytes"]
        self.bytes_per_rank: list[int] = record["bytes_per_rank"]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def T(self) -> Tensor:
        return self.session.transpose(self)

    def get(self) -> npt.NDArray[Any]:
        """The elements, as an array of numpy's."""
        _, body = self.session.connection.data("GET", f"{self._path}/data?format=npy&generation={self.generation}")
        return np.asarray(np.load(io.BytesIO(body), allow_pickle=False))

    def __array__(self, dtype: Optional[npt.DTypeLike] = None) -> npt.NDArray[Any]:
        return self.get() if dtype is None else self.get().astype(dtype, copy=False)

    def rename(self, name: str) -> Tensor:
        """Gives the tensor another name, which no other tensor may have."""
        self._take(self.session.connection.json(
            "PATCH", f"{self._path}?generation={self.generation}", {"name": name})["tensor"])
        return self

    def delete(self) -> None:
        self.session.connection.json("DELETE", f"{self._path}?generation={self.generation}")

    def conj(self) -> Tensor:
        return self.session.map("conj", self)

    def sum(self) -> Any:
        return self.session.reduce("sum", self)

    def norm(self) -> float:
        return float(self.session.reduce("norm", self))

    def __add__(self, other: Any) -> Tensor:
        if not isinstance(other, Tensor):
            return NotImplemented
        return self.session.map("add", self, other)

    def __sub__(self, other: Any) -> Tensor:
        if not isinstance(other, Tensor):
            return NotImplemented
        return self.session.map("subtract", self, other)

    def __mul__(self, other: Any) -> Tensor:
        if isinstance(other, Tensor):
            return self.session.map("multiply", self, other)
        if np.isscalar(other):
            return self.session.map("scale", self, factor=other)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        if not isinstance(other, Tensor):
            return NotImplemented
        return self.session.map("divide", self, other)

    def __repr__(self) -> str:
        return f"<Tensor {self.name!r}: shape {self.shape}, {self.dtype}, generation {self.generation}>"

    @property
    def _path(self) -> str:
        return f"/v1/tensors/{self.name}"

    def reference(self, conj: bool = False) -> dict[str, Any]:
        """As requests name the tensor."""
        named: dict[str, Any] = {"name": self.name, "generation": self.generation}
        if conj:
            named["conj"] = True
        return named
