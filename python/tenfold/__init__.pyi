from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

__version__: str
__all__: list[str]

_Order = Literal["K", "A", "C", "F", "k", "a", "c", "f"]
_Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
_Path = Sequence[Sequence[int]]
_Optimize = bool | str | _Path | Sequence[Any] | None
_Number = complex | np.number[Any]
_File = str | bytes | PathLike[Any]
_Algorithm = Literal["auto", "direct", "gemm-loop", "ttgt", "fused", "loops", "reference", "leaves"]
_Tuning = Literal["estimate", "measure", "patient"]
_Backend = Literal["native", "blis"]
_Function = Literal["relu", "exp", "tanh", "sigmoid", "gelu_tanh", "gelu_erf"]

class Operand:
    def __init__(self, array: npt.NDArray[Any], conjugated: bool = ..., bf16: bool = ...) -> None: ...
    @property
    def array(self) -> npt.NDArray[Any]: ...
    @property
    def conjugated(self) -> bool: ...
    @property
    def is_bf16(self) -> bool: ...
    @property
    def type(self) -> str: ...

class _Settings(TypedDict):
    threads: int
    isa: str
    backend: str
    workspace_limit: int | None
    reproducible: bool
    plan_cache_limit: int
    wisdom: str
    calibration: str
    log_level: int
    watchdog_seconds: float
    presence_seconds: float

class _Calibration(TypedDict):
    cpu: str
    isa: str
    threads: int
    seconds: float
    file: str | None
    rates: dict[str, float]
    typical: dict[str, float]

class Context:
    def __init__(
        self,
        *,
        threads: int = ...,
        isa: str | None = ...,
        backend: _Backend = ...,
        workspace_limit: int | None = ...,
        reproducible: bool = ...,
        plan_cache_limit: int = ...,
        wisdom: _File | None = ...,
        calibration: _File | None = ...,
        log_level: int = ...,
        watchdog_seconds: float = ...,
        presence_seconds: float = ...,
    ) -> None: ...
    @property
    def settings(self) -> _Settings: ...
    @property
    def threads(self) -> int: ...
    @property
    def isa(self) -> str: ...
    @property
    def isa_reason(self) -> str: ...
    @property
    def rates_reason(self) -> str: ...

class _Fields(TypedDict):
    name: str
    mode: int | None
    extent: int | None
    order: int | None
    type: str | None

class Error(Exception):
    code: str
    label: str
    first: _Fields | None
    second: _Fields | None
    position: int | None
    least: int | None
    @property
    def operands(self) -> tuple[str, ...]: ...
    @property
    def modes(self) -> tuple[int | None, ...]: ...
    @property
    def extents(self) -> tuple[int | None, ...]: ...

class InvalidError(Error, ValueError): ...
class TypeMismatchError(Error, TypeError): ...
class OutOfMemoryError(Error, MemoryError): ...
class UnsupportedError(Error, RuntimeError): ...
class FileError(Error, OSError): ...

class Epilogue:
    def __init__(self) -> None: ...
    def scale(self, factor: _Number) -> Epilogue: ...
    def add(self, labels: str | Sequence[int], x: Any, factor: _Number = ...) -> Epilogue: ...
    def multiply(self, labels: str | Sequence[int], x: Any, factor: _Number = ...) -> Epilogue: ...
    def apply(self, function: _Function) -> Epilogue: ...
    def __len__(self) -> int: ...

class Plan:
    def __init__(
        self,
        *operands: Any,
        out: Any = ...,
        c: Any = ...,
        optimize: _Optimize = ...,
        epilogue: Epilogue | None = ...,
        **options: Any,
    ) -> None: ...
    def __call__(
        self,
        *arrays: Any,
        out: Any = ...,
        c: Any = ...,
        alpha: _Number = ...,
        beta: _Number = ...,
        epilogue: Epilogue | None = ...,
        workspace: Any = ...,
    ) -> Any: ...
    @property
    def workspace_size(self) -> int: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def path(self) -> list[tuple[int, ...]]: ...
    def explain(self) -> str: ...

def einsum(
    *operands: Any,
    out: Any = ...,
    optimize: _Optimize = ...,
    dtype: npt.DTypeLike = ...,
    order: _Order = ...,
    casting: _Casting = ...,
) -> Any: ...
def einsum_path(*operands: Any, optimize: _Optimize = ...) -> tuple[list[Any], str]: ...
def contract(
    *operands: Any,
    out: Any = ...,
    c: Any = ...,
    alpha: _Number = ...,
    beta: _Number | None = ...,
    optimize: _Optimize = ...,
    epilogue: Epilogue | None = ...,
    algorithm: _Algorithm = ...,
    tuning: _Tuning = ...,
    workspace_limit: int | None = ...,
    backend: _Backend = ...,
    threads: int = ...,
    reproducible: bool | None = ...,
    diagonal_output: bool = ...,
    broadcast: bool = ...,
) -> Any: ...
def plan(
    *operands: Any,
    out: Any = ...,
    c: Any = ...,
    optimize: _Optimize = ...,
    epilogue: Epilogue | None = ...,
    algorithm: _Algorithm = ...,
    tuning: _Tuning = ...,
    workspace_limit: int | None = ...,
    backend: _Backend = ...,
    threads: int = ...,
    reproducible: bool | None = ...,
    diagonal_output: bool = ...,
    broadcast: bool = ...,
) -> Plan: ...
def explain(*operands: Any, **options: Any) -> str: ...
def tensordot(a: Any, b: Any, axes: int | Sequence[int] | Sequence[Sequence[int]] = ...) -> Any: ...
def matmul(
    a: Any,
    b: Any,
    out: Any = ...,
    *,
    dtype: npt.DTypeLike = ...,
    order: _Order = ...,
    casting: _Casting = ...,
) -> Any: ...
def transpose(
    a: Any,
    axes: Iterable[int] | None = ...,
    *,
    out: Any = ...,
    alpha: _Number = ...,
    beta: _Number = ...,
    dtype: npt.DTypeLike = ...,
) -> Any: ...
def conj(value: Any) -> Any: ...
def bf16(array: npt.ArrayLike) -> Operand: ...
def settings(
    *,
    threads: int = ...,
    isa: str | None = ...,
    backend: _Backend = ...,
    workspace_limit: int | None = ...,
    reproducible: bool = ...,
    plan_cache_limit: int = ...,
    wisdom: _File | None = ...,
    calibration: _File | None = ...,
    log_level: int = ...,
    watchdog_seconds: float = ...,
    presence_seconds: float = ...,
) -> AbstractContextManager[Context]: ...
def keep_results(most: int) -> None: ...
def progress(after: float = ..., bar: Callable[..., Any] | None = ...) -> AbstractContextManager[None]: ...
def patch_numpy() -> AbstractContextManager[None]: ...
def use(context: Context) -> AbstractContextManager[Context]: ...
def current_context() -> Context: ...
def calibrate(seconds: float = ..., threads: int | None = ..., file: _File | None = ...) -> _Calibration: ...
