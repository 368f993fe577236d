"""A handle of a tensor that lives in the server."""
from __future__ import annotations

import operator
import urllib.parse
from typing import TYPE_CHECKING, Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from . import _bulk

if TYPE_CHECKING:
    from ._lazy import Lazy as _Lazy
    from ._session import Session as _Session

DTYPES: dict[str, np.dtype[Any]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64),
                                    "c32": np.dtype(np.complex64), "c64": np.dtype(np.complex128)}
TYPES: dict[np.dtype[Any], str] = {dtype: name for name, dtype in DTYPES.items()}


def tensor_path(name: str) -> str:
    """Of a request: a name is one part of it, whatever it is."""
    return "/v1/tensors/" + urllib.parse.quote(name, safe="")


def scalar_json(value: Any) -> Any:
    number = complex(value)
    return number.real if number.imag == 0 else [number.real, number.imag]


def filling(value: complex, uniform: Optional[dict[str, float]], normal: Optional[dict[str, float]]) -> dict[str, Any]:
    """What a request fills a tensor with."""
    if uniform is not None:
        return {"uniform": uniform}
    return {"value": scalar_json(value)} if normal is None else {"normal": normal}


class Box:
    """What an index of numpy's means for a tensor of this shape: a range in each mode."""

    def __init__(self, shape: tuple[int, ...], index: Any) -> None:
        parts = list(index) if isinstance(index, tuple) else [index]
        dots = [place for place, part in enumerate(parts) if part is Ellipsis]
        if len(dots) > 1:
            raise IndexError("an index has one '...' at most")
        place = dots[0] if dots else len(parts)
        missing = len(shape) - len(parts) + len(dots)
        if missing < 0:
            raise IndexError(f"the tensor has {len(shape)} modes, the index {len(parts) - len(dots)}")
        parts[place:place + len(dots)] = [slice(None)] * missing
        ranges = []
        kept: list[Any] = []
        for mode, (part, extent) in enumerate(zip(parts, shape)):
            if isinstance(part, slice):
                first, last, step = part.indices(extent)
                if step != 1:
                    raise IndexError(f"mode {mode}: slices have step 1")
                ranges.append((first, max(first, last)))
                kept.append(slice(None))
            else:
                position = operator.index(part)
                if not -extent <= position < extent:
                    raise IndexError(f"mode {mode} has extent {extent}, the index is {position}")
                ranges.append((position % extent, position % extent + 1))
                kept.append(0)
        self.extents = tuple(last - first for first, last in ranges)
        self.shape = tuple(last - first for (first, last), part in zip(ranges, kept) if part != 0)
        self.kept = tuple(kept)
        self.text = ",".join(f"{first}:{last}" for first, last in ranges)


class Tensor:
    """Refers to one tensor: its name and its generation. Where another tensor has the name since, uses of the handle
    raise ServerError with code "stale". Another user's tensor is named OWNER:NAME. `access` is what this user may do
    with it: "own", "write" or "read"."""

    def __init__(self, session: _Session, record: dict[str, Any]) -> None:
        self.session = session
        self._take(record)

    def _become(self, other: Tensor) -> None:
        self.__dict__.update(other.__dict__)

    def _take(self, record: dict[str, Any]) -> None:
        self.name: str = record["name"]
        self.generation: int = record["generation"]
        self.shape: tuple[int, ...] = tuple(record["extents"])
        self.dtype: np.dtype[Any] = DTYPES[record["type"]]
        self.nbytes: int = record["bytes"]
        self.time_to_live: float = record["time_to_live"]
        self.bytes_per_rank: list[int] = record["bytes_per_rank"]
        self.owner: str = record["owner"]
        self.access: str = record.get("access", "own")  # older servers have none

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def T(self) -> Tensor:
        return self.session.transpose(self)

    def get(self, index: Any = ...) -> npt.NDArray[Any]:
        """The elements, or those of a box, as an array of numpy's: get(np.s_[:, 2:5, 0]). An index has integers,
        slices of step 1 and "..."."""
        box = Box(self.shape, index)
        array: npt.NDArray[Any] = np.empty(box.extents, self.dtype.newbyteorder("<"), order="F")
        done = self.session._takes_bulk(array.nbytes) and _bulk.download(
            self.session, self._path, array, {"slice": box.text, "generation": self.generation})
        if not done:
            self.session.connection.download(
                f"{self._path}/data?format=raw&order=F&generation={self.generation}&slice={box.text}",
                array.reshape(-1, order="F").view(np.uint8).data)
        kept: npt.NDArray[Any] = array[box.kept]
        return kept.astype(self.dtype, copy=False)

    def __getitem__(self, index: Any) -> npt.NDArray[Any]:
        return self.get(index)

    def __setitem__(self, index: Any, values: npt.ArrayLike) -> None:
        """Replaces the elements of a box, all of them or, if there is an error, none. The handle then refers to the
        new tensor; other handles of the former one are stale."""
        box = Box(self.shape, index)
        given = np.asarray(values)
        if not np.can_cast(given.dtype, self.dtype, "same_kind"):
            raise TypeError(f"elements of type {given.dtype} do not become {self.dtype}")
        given = np.broadcast_to(given, box.shape).reshape(box.extents).astype(self.dtype, copy=False)
        self._become(self.session._upload(self._path, given, box.text, self.generation))

    def fill(self, value: complex = 0, *, uniform: Optional[dict[str, float]] = None,
             normal: Optional[dict[str, float]] = None) -> Tensor:
        """Replaces all elements: by one value, by uniform (seed, low, high) or by normal (seed, mean, deviation) numbers.
        The handle then refers to the new tensor."""
        self._take(self.session._run(f"{self._path}/fill", {"fill": filling(value, uniform, normal)})["tensor"])
        return self

    def __array__(self, dtype: Optional[npt.DTypeLike] = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        return self.get() if dtype is None else self.get().astype(dtype, copy=False)

    def to_file(self, file: str, dataset: Optional[str] = None) -> None:
        """Writes an .npy file below the server's --root, such as "results/T2.npy", which replaces one of that name; or
        a dataset, such as "ccsd/T2", of an HDF5 file, whose other content stays."""
        named = {} if dataset is None else {"dataset": dataset}
        self.session._run(f"{self._path}/export", {"file": file, **named})

    def rename(self, name: str) -> Tensor:
        """Gives the tensor another name, which no other tensor may have."""
        self._take(self.session.connection.json(
            "PATCH", f"{self._path}?generation={self.generation}", {"name": name})["tensor"])
        return self

    def keep(self, seconds: float = 0) -> Tensor:
        """Says after how many seconds without a use the server deletes the tensor; 0: never."""
        self._take(self.session.connection.json(
            "PATCH", f"{self._path}?generation={self.generation}", {"time_to_live": seconds})["tensor"])
        return self

    def share(self, user: str, access: Literal["read", "write"] = "read") -> Tensor:
        """Lets another user of the server read the tensor, or write it, too: fill and upload it, and give its name to
        results. Only the owner renames, shares and deletes it. Who replaces the tensor keeps its shares."""
        self._take(self.session.connection.json(
            "POST", f"{self._path}/shares?generation={self.generation}", {"user": user, "access": access})["tensor"])
        return self

    def unshare(self, user: Optional[str] = None) -> Tensor:
        """Takes a user's right back, or those of all. With whom another user shares a tensor may so decline."""
        named = "" if user is None else "&user=" + urllib.parse.quote(user, safe="")
        self._take(self.session.connection.json(
            "DELETE", f"{self._path}/shares?generation={self.generation}{named}")["tensor"])
        return self

    def shared_with(self) -> dict[str, str]:
        """The users with whom the tensor is shared now, and whether to "read" or to "write"; only its owner is told."""
        record = self.session.connection.json("GET", f"{self._path}?generation={self.generation}")["tensor"]
        return dict(record.get("shares", {}))

    def delete(self) -> None:
        self.session.connection.json("DELETE", f"{self._path}?generation={self.generation}")

    def lazy(self) -> _Lazy:
        """The beginning of a chain of operations that run later, as one program."""
        from ._lazy import lazy_of
        return lazy_of(self)

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
        return tensor_path(self.name)

    def reference(self, conj: bool = False) -> dict[str, Any]:
        """As requests name the tensor."""
        named: dict[str, Any] = {"name": self.name, "generation": self.generation}
        if conj:
            named["conj"] = True
        return named
