"""What a client asks of a server."""
from __future__ import annotations

import contextlib
import importlib
import os
import time
import urllib.parse
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable, Literal, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _bulk
from ._connection import Connection, ServerError, connection_file, read_connection_file
from ._lazy import Lazy, Program, contraction
from ._tensor import TYPES, Tensor, filling, scalar_json, tensor_path

if TYPE_CHECKING:
    from collections.abc import Sequence as _Sequence

WAIT = 30  # seconds that a request waits for its job; then it asks again
GLANCE = 0.2  # the same where a bar shows how far the job is


def connect(file: Union[str, os.PathLike[str], None] = None, *, url: Optional[str] = None, token: Optional[str] = None,
            fingerprint: Optional[str] = None) -> Session:
    """Connects by a connection file (TENFOLD_SERVER_FILE, or where a server of this user writes it), or by url and
    token; `fingerprint` is the SHA-256 of the certificate, in hexadecimal digits, of a server with TLS."""
    if url is None:
        file = connection_file() if file is None else file
        url, token, fingerprint = read_connection_file(file)
    elif token is None:
        raise ValueError("a server without a connection file needs url and token")
    else:
        file = None
    assert token is not None
    session = Session(Connection(url, token, fingerprint, file=file))
    session.info()  # so that a wrong address or token shows here
    return session


class Session:
    """A user's tensors on one server. Any thread may use it; requests of one session go one after the other."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._has_bulk: Optional[bool] = None  # not asked yet
        self._make_bar: Optional[Callable[..., Any]] = None
        self._after = 0.0

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. The tensors stay."""
        self.connection.close()

    def info(self) -> dict[str, Any]:
        """Ranks, threads, memory, jobs that wait, and which user this is."""
        return self.connection.json("GET", "/v1")

    # Tensors.

    def put(self, array: npt.ArrayLike, name: Optional[str] = None) -> Tensor:
        """A tensor with the elements of an array of float32, float64, complex64 or complex128, or of integers, which
        become float64. One of that name is replaced."""
        values = np.asarray(array)
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
        if values.dtype not in TYPES:
            if values.dtype.kind not in "biu":
                raise TypeError(f"elements of type {values.dtype}: expected {', '.join(map(str, TYPES))} or integers")
            values = values.astype(np.float64)
        return self._upload(tensor_path(name or _new_name()), values)

    def _takes_bulk(self, size: int) -> bool:
        """Whether so many bytes go to and from the ranks that own them."""
        if size < _bulk.LEAST_BYTES:
            return False
        if self._has_bulk is None:
            self._has_bulk = bool(self.info().get("bulk"))
        return self._has_bulk

    def _upload(self, path: str, values: npt.NDArray[Any], box: str = "", generation: int = 0) -> Tensor:
        """Of a box, of the tensor of this generation, or of all if there is none."""
        order: Literal["C", "F"] = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
        values = np.asarray(values, dtype=values.dtype.newbyteorder("<"), order=order)
        kind = TYPES[values.dtype.newbyteorder("=")]
        if self._takes_bulk(values.nbytes):
            what = {"slice": box, "generation": generation} if box else {"type": kind, "extents": list(values.shape)}
            result = _bulk.upload(self, path, values, {"order": order, **what})
            if result is not None:
                return self._tensor(result)
        flat = values.reshape(-1, order=order)
        extents = ",".join(map(str, values.shape))
        query = f"&slice={box}&generation={generation}" if box else ""
        answer = self.connection.upload(
            f"{path}/data?format=raw&type={kind}&extents={extents}&order={order}&wait={WAIT}{query}",
            flat.view(np.uint8).data, uuid.uuid4().hex if query else None)
        return self._tensor(self._finish(answer))

    def create(self, shape: Union[int, tuple[int, ...]], dtype: npt.DTypeLike = np.float64, name: Optional[str] = None,
               *, value: complex = 0, uniform: Optional[dict[str, float]] = None,
               normal: Optional[dict[str, float]] = None) -> Tensor:
        """A new tensor: of one value, of uniform (seed, low, high) or of normal (seed, mean, deviation) numbers."""
        extents = [shape] if isinstance(shape, (int, np.integer)) else list(shape)
        return self._tensor(self._run("/v1/tensors", {
            "name": name or _new_name(), "type": TYPES[np.dtype(dtype)], "extents": [int(one) for one in extents],
            "fill": filling(value, uniform, normal)}))

    def tensor(self, name: str) -> Tensor:
        """The tensor that has the name now; "ada:A" is the A of the user ada, who shares it with this one."""
        return Tensor(self, self.connection.json("GET", tensor_path(name))["tensor"])

    def tensors(self) -> list[Tensor]:
        """This user's, and behind them those that others share with this user."""
        return [Tensor(self, one) for one in self._list("tensors")]

    def _list(self, what: str) -> Iterator[dict[str, Any]]:
        """All of a list, which the server tells page by page."""
        after = ""
        while True:
            page = self.connection.json("GET", f"/v1/{what}{after}")
            yield from page[what]
            if "next" not in page:
                return
            after = "?after=" + urllib.parse.quote(page["next"], safe="")

    def from_file(self, file: str, name: Optional[str] = None, *, dataset: Optional[str] = None) -> Tensor:
        """A tensor from an .npy file below the server's --root, or from a dataset of an HDF5 file."""
        asked: dict[str, Any] = {"file": file}
        if dataset is not None:
            asked.update(self.describe_file(file, dataset), dataset=dataset)
        return self._tensor(self._run(f"{tensor_path(name or _new_name())}/import", asked))

    def describe_file(self, file: str, dataset: Optional[str] = None) -> dict[str, Any]:
        """Type and extents of an .npy file below the server's --root, or of a dataset of an HDF5 file."""
        named = {} if dataset is None else {"dataset": dataset}
        found = self._run("/v1/files/describe", {"file": file, **named})
        return {"type": found["type"], "extents": found["extents"]}

    def save_checkpoint(self) -> dict[str, Any]:
        """Saves all tensors of the server in its checkpoint, with which it starts the next time."""
        return self._run("/v1/checkpoint", None)

    def checkpoint(self) -> dict[str, Any]:
        """When the last checkpoint was saved ("saved": seconds since 1970, or None), and this user's tensors in it."""
        return self.connection.json("GET", "/v1/checkpoint")

    def restore(self, name: str) -> Tensor:
        """The tensor that has the name in the last checkpoint; a new tensor takes the name."""
        return self._tensor(self._run(f"{tensor_path(name)}/restore", None))

    # Jobs.

    def einsum(self, expression: str, *inputs: Tensor, name: Optional[str] = None, **options: Any) -> Tensor:
        """Contracts any number of tensors, in any of the four notations; a new tensor. Options are those of
        docs/server.md, such as alpha, reproducible and memory_per_rank."""
        return self.contract(expression, *inputs, output=name or _new_name(), **options)

    def contract(self, expression: str, *inputs: Tensor, output: Union[str, Tensor], **options: Any) -> Tensor:
        """The same into the tensor of a name, for instance to add to it ("ab+=ac*cb"): a new tensor takes the name."""
        return self._tensor(self._run("/v1/contract", _contraction(expression, inputs, output, options)))

    def explain(self, expression: str, *inputs: Tensor, **options: Any) -> dict[str, Any]:
        """Operations, bytes, memory and the plan of a contraction, which is not run."""
        return self.connection.json("POST", "/v1/explain", _contraction(expression, inputs, None, options))

    def program(self, text: str, inputs: Optional[dict[str, Union[Tensor, float]]] = None, *,
                outputs: Optional[dict[str, str]] = None, sizes: Optional[dict[str, int]] = None) -> ProgramResult:
        """Runs a program of equations (docs/programs.md). `inputs`: tensors, and numbers for scalars, by the program's
        names; an input that is not there is the server's tensor of its name. `outputs`: the names of tensors on the
        server, where they are to differ from the program's. `sizes`: of index ranges that no input has."""
        result = self._run("/v1/programs", _program(text, inputs, outputs, sizes))
        names = {gets: name for name, gets in (outputs or {}).items()}
        values: dict[str, Any] = {name: float(value) for name, value in result["scalars"].items()}
        for name, record in result["tensors"].items():
            values[names.get(name, name)] = Tensor(self, record)
        return ProgramResult(values, result["converged"], result["profile"])

    def explain_program(self, text: str, inputs: Optional[dict[str, Union[Tensor, float]]] = None, *,
                        outputs: Optional[dict[str, str]] = None,
                        sizes: Optional[dict[str, int]] = None) -> dict[str, Any]:
        """Seconds, bytes and memory of a program and of its lines. It is not run."""
        return self.connection.json("POST", "/v1/programs/explain", _program(text, inputs, outputs, sizes))

    def lazy(self, expression: str, *inputs: Union[Tensor, Lazy]) -> Lazy:
        """A contraction such as "ij,jk->ik" that runs later, with the chain that it is a part of."""
        return contraction(self, expression, inputs)

    def compute(self, *chains: Lazy, names: _Sequence[Optional[str]] = ()) -> list[Any]:
        """Runs chains as one program, in which what they share is computed once: new tensors, and numbers for chains
        of shape (). All of them are made, or, if there is an error, none. `names`: of the tensors."""
        written = Program(chains)
        outputs = {}
        for place, (result, chain) in enumerate(zip(written.results, chains)):
            if chain.shape:
                outputs[result] = (names[place] if place < len(names) else None) or _new_name()
        values = self.program(written.text, written.inputs, outputs=outputs)
        return [values[result] for result in written.results]

    def transpose(self, tensor: Tensor, axes: Optional[tuple[int, ...]] = None, name: Optional[str] = None) -> Tensor:
        order = tuple(range(tensor.ndim))[::-1] if axes is None else axes
        labels = [f"x{mode}" for mode in range(tensor.ndim)]
        expression = f"B[{','.join(labels[mode] for mode in order)}]=A[{','.join(labels)}]"
        return self.einsum(expression, tensor, name=name)

    def map(self, function: str, *inputs: Tensor, name: Optional[str] = None, **parameters: Any) -> Tensor:
        """A function of elements by its name: abs, add, clip, conj, denominators, divide, exp, imag, log, multiply,
        real, reciprocal, scale, sqrt, subtract."""
        if "factor" in parameters:
            parameters["factor"] = scalar_json(parameters["factor"])
        if "energies" in parameters:
            parameters["energies"] = [list(map(float, one)) for one in parameters["energies"]]
        return self._tensor(self._run("/v1/map", {
            "function": function, "inputs": [one.reference() for one in inputs], "output": name or _new_name(),
            **parameters}))

    def reduce(self, function: str, *inputs: Tensor) -> Any:
        """A number: sum, min, max, norm, norm1, norm_max, or dot, which conjugates the first tensor."""
        result = self._run("/v1/reduce", {"function": function, "inputs": [one.reference() for one in inputs]})
        value = result["value"]
        return complex(*map(float, value)) if isinstance(value, list) else float(value)

    def dot(self, a: Tensor, b: Tensor) -> Any:
        return self.reduce("dot", a, b)

    def jobs(self) -> list[dict[str, Any]]:
        """The jobs that wait and run, and those that ended lately."""
        return list(self._list("jobs"))

    def events(self, job: Optional[str] = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """What happens, as it happens: ("job", a job as jobs() has it) when its state or progress is another one,
        ("tensors", {}) when the list of tensors is another one, ("memory", what each rank uses) from time to time.
        With the id of a job, that job only, until it has ended."""
        path = "/v1/events" if job is None else f"/v1/jobs/{urllib.parse.quote(job, safe='')}/events"
        return self.connection.events(path)

    def memory(self) -> dict[str, Any]:
        """The memory of all ranks in the last quarter of an hour."""
        return self.connection.json("GET", "/v1/memory")

    def cancel(self, job: str) -> dict[str, Any]:
        return dict(self.connection.json("DELETE", f"/v1/jobs/{urllib.parse.quote(job, safe='')}")["job"])

    @contextlib.contextmanager
    def progress(self, after: float = 1.0, bar: Optional[Callable[..., Any]] = None) -> Iterator[None]:
        """Shows a bar for each job of the block that takes more than `after` seconds, as tenfold.progress() does for
        contractions on this machine: tqdm's, in terminals and in notebooks, or lines of text on a terminal. `bar` makes
        another one: bar(total=1.0, desc=title), with update(share) and close()."""
        before = self._make_bar, self._after
        self._make_bar, self._after = bar or _default_bar(), after
        try:
            yield
        finally:
            self._make_bar, self._after = before

    def _run(self, path: str, request: Optional[dict[str, Any]]) -> dict[str, Any]:
        key = uuid.uuid4().hex
        try:
            wait = GLANCE if self._make_bar else WAIT
            answer = self.connection.json("POST", f"{path}?wait={wait}", request, key)
        except KeyboardInterrupt:
            # The server may have the job: the same key tells which it is, and runs nothing twice.
            try:
                self.cancel(self.connection.json("POST", f"{path}?wait=0", request, key)["job"]["id"])
            except ServerError:
                pass
            raise
        return self._finish(answer)

    def _finish(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Waits until a job has ended. Ctrl-C cancels it."""
        job = answer["job"]
        bar: Any = None
        shown = 0.0
        begin = time.monotonic()
        try:
            while job["state"] in ("queued", "running"):
                wait = GLANCE if self._make_bar else WAIT
                job = self.connection.json("GET", f"/v1/jobs/{job['id']}?wait={wait}")["job"]
                if bar is None and self._make_bar and job["state"] == "running" and \
                        time.monotonic() - begin >= self._after:
                    bar = self._make_bar(total=1.0, desc=job.get("expression") or job["kind"])
                if bar is not None:
                    bar.update(max(job["progress"] - shown, 0.0))
                    shown = max(job["progress"], shown)
        except KeyboardInterrupt:
            self.cancel(job["id"])
            raise
        finally:
            if bar is not None:
                bar.close()
        if job["state"] != "done":
            error = dict(job["error"])
            raise ServerError(error.pop("status"), error)
        # The first answer has a ticket beside the job, if that was done so soon.
        return {**job["result"], **({"ticket": answer["transfer"]} if "transfer" in answer else {})}

    def _tensor(self, result: dict[str, Any]) -> Tensor:
        return Tensor(self, result["tensor"])


class ProgramResult(dict[str, Any]):
    """A program's outputs by their names: tensors and numbers."""

    def __init__(self, values: dict[str, Any], converged: bool, profile: str) -> None:
        super().__init__(values)
        self.converged = converged
        self.profile = profile  # a table of the lines: seconds, bytes, memory


def _program(text: str, inputs: Optional[dict[str, Union[Tensor, float]]], outputs: Optional[dict[str, str]],
             sizes: Optional[dict[str, int]]) -> dict[str, Any]:
    return {"program": text, "outputs": outputs or {}, "sizes": sizes or {},
            "inputs": {name: one.reference() if isinstance(one, Tensor) else float(one)
                       for name, one in (inputs or {}).items()}}


def _contraction(expression: str, inputs: tuple[Tensor, ...], output: Union[str, Tensor, None],
                 options: dict[str, Any]) -> dict[str, Any]:
    conj = options.pop("conj", [False] * len(inputs))
    for name in ("alpha", "beta"):
        if name in options:
            options[name] = scalar_json(options[name])
    request = {"expression": expression, **options,
               "inputs": [one.reference(bool(is_conj)) for one, is_conj in zip(inputs, conj)]}
    if output is not None:
        request["output"] = output.name if isinstance(output, Tensor) else output
    return request


def _default_bar() -> Optional[Callable[..., Any]]:
    """That of tenfold.progress(), where the client is a part of the package tenfold; None where nobody would see it."""
    above = (__package__ or "").rpartition(".")[0]
    try:
        make: Optional[Callable[..., Any]] = importlib.import_module(f"{above}._progress").default_bar() if above else None
    except ImportError:
        return None
    return make


def _new_name() -> str:
    return "t-" + uuid.uuid4().hex[:16]

