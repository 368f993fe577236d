"""Elements that go to and from the ranks that own them, beside HTTP: docs/server.md describes tickets and frames."""
from __future__ import annotations

import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np
import numpy.typing as npt

from ._connection import ServerError

if TYPE_CHECKING:
    from ._session import Session as _Session

LEAST_BYTES = 8 << 20  # of an array; to open and commit a transfer takes some ms
STREAMS = 4  # to all ranks together, or one to each of more ranks
MOST_STREAMS = 16
SLOWEST = 4 << 20  # bytes in a second, for which a ticket asks
MOST_SECONDS = 3600
PATIENCE = 60.0  # seconds for each read and write

HELLO, ANSWER, PIECE, REQUEST, END = 1, 2, 3, 4, 5
HEAD = struct.Struct("<IIQQ")  # kind, checksum, number, size
COLUMNS = 1021
ROW = 8 * COLUMNS  # bytes


class _Broken(OSError):
    """A rank refused a frame, or sent a wrong one."""


def checksum(kind: int, number: int, size: int, content: Any = b"") -> int:
    """CRC-32 of the head and, if bytes follow, of the sums of 64-bit words by columns of rows of 1021."""
    crc = zlib.crc32(HEAD.pack(kind, 0, number, size))
    if len(content) == 0:
        return crc
    full = len(content) // ROW
    words = np.frombuffer(content, "<u8", full * COLUMNS).reshape(full, COLUMNS)
    sums = np.add.reduce(words, axis=0, dtype=np.uint64)
    if full * ROW < len(content):
        sums = sums + np.frombuffer(bytes(content[full * ROW:]).ljust(ROW, b"\0"), "<u8")
    return zlib.crc32(sums.astype("<u8", copy=False), crc)


class _Box:
    """What one rank has of an array, in pieces."""

    def __init__(self, ticket: dict[str, Any], told: dict[str, Any], array: npt.NDArray[Any]) -> None:
        self.host: Optional[str] = told["host"]
        self.port: int = told["port"]
        self.count: int = told["pieces"]
        self._array = array
        self._order = ticket["order"]
        self._offsets, self._extents, self._piece = told["offsets"], told["extents"], told["piece"]
        self._cells = [-(-extent // piece) for extent, piece in zip(self._extents, self._piece)]
        self.largest = int(np.prod(self._piece, dtype=np.int64)) * array.itemsize

    def part(self, number: int) -> npt.NDArray[Any]:
        """The place of a piece in the array; mode 0 of the grid of pieces is the fastest."""
        index: list[Any] = [...]  # so that a number is an array, too
        for offset, extent, piece, cells in zip(self._offsets, self._extents, self._piece, self._cells):
            first = number % cells * piece
            index.insert(-1, slice(offset + first, offset + min(extent, first + piece)))
            number //= cells
        part: npt.NDArray[Any] = self._array[tuple(index)]
        return part

    def in_place(self, part: npt.NDArray[Any]) -> Optional[memoryview]:
        """The bytes of a part whose elements lie in the array as in a frame, else None."""
        flat = part if self._order == "C" else part.T
        return flat.reshape(-1).view(np.uint8).data if flat.flags.c_contiguous else None

    def elements(self, frame: bytearray, part: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The elements of a frame, as an array like the part."""
        return np.frombuffer(frame, part.dtype, part.size).reshape(part.shape, order=self._order)


def _wait_in_system(wire: socket.socket) -> None:
    """Reads and writes then move a whole piece in one call. With a timeout of Python's they move what there is at a time,
    and each part waits for Python's lock, which other streams hold."""
    patience = struct.pack("ll", int(PATIENCE), 0)  # timeval
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, patience)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
    wire.settimeout(None)


class _Stream:
    """A connection to a rank."""

    def __init__(self, wire: socket.socket, ticket: dict[str, Any], most: int) -> None:
        self._wire = wire
        self._joins = hasattr(wire, "sendmsg") and not isinstance(wire, ssl.SSLSocket)
        if self._joins:
            _wait_in_system(wire)
        self._head = bytearray(HEAD.size)
        self._most = most
        self._frame = bytearray()  # of a part that has to be copied
        secret = ticket["secret"].encode()
        number = ticket["number"]
        self._send(HELLO, number, len(secret), secret)
        self._answer()

    def _send(self, kind: int, number: int, size: int, content: Any = b"") -> None:
        parts = [memoryview(HEAD.pack(kind, checksum(kind, number, size, content), number, size)), memoryview(content)]
        sent = self._wire.sendmsg(parts) if self._joins else 0
        for part in parts:
            if sent < len(part):
                self._wire.sendall(part[sent:])
            sent = max(0, sent - len(part))

    def _receive(self, into: memoryview) -> None:
        while len(into) > 0:
            got = self._wire.recv_into(into, len(into), socket.MSG_WAITALL if self._joins else 0)
            if got == 0:
                raise _Broken("a rank ended the connection")
            into = into[got:]

    def _receive_head(self, content: Optional[memoryview] = None) -> tuple[tuple[int, int, int, int], int]:
        """A head, and how many bytes of the content that may follow have been read with it."""
        head = memoryview(self._head)
        got = 0
        if self._joins and content is not None:
            got = self._wire.recvmsg_into([head, content], 0, socket.MSG_WAITALL)[0]
        self._receive(head[got:])
        kind, crc, number, size = HEAD.unpack(head)
        return (kind, crc, number, size), max(0, got - HEAD.size)

    def _room(self, size: int) -> memoryview:
        if not self._frame:
            self._frame = bytearray(self._most)
        return memoryview(self._frame)[:size]

    def _answer(self) -> int:
        """What the rank counts. Raises _Broken for anything but ok."""
        (kind, crc, number, size), _ = self._receive_head()
        if kind != ANSWER or number != 0 or crc != checksum(kind, number, size):
            raise _Broken(f"a rank refused a frame ({kind}, {number})")
        return int(size)

    def send(self, box: _Box, pieces: range) -> None:
        for number in pieces:
            part = box.part(number)
            content = box.in_place(part)
            if content is None:
                content = self._room(part.nbytes)
                np.copyto(box.elements(self._frame, part), part)
            self._send(PIECE, number, part.nbytes, content)
        self._send(END, 0, 0)
        if self._answer() != len(pieces):
            raise _Broken("a rank lacks pieces")

    def receive(self, box: _Box, pieces: range) -> None:
        self._send(REQUEST, pieces.start, len(pieces))
        for number in pieces:
            part = box.part(number)
            in_place = box.in_place(part)
            content = self._room(part.nbytes) if in_place is None else in_place
            (kind, crc, got, size), done = self._receive_head(content)
            if kind != PIECE or got != number or size != part.nbytes:
                raise _Broken(f"a rank sent another frame ({kind}, {got})")
            self._receive(content[done:])
            if crc != checksum(kind, got, size, content):
                raise _Broken("a frame was damaged on its way")
            if in_place is None:
                np.copyto(part, box.elements(self._frame, part))


def _shares(boxes: list[_Box]) -> Iterator[tuple[_Box, range]]:
    """A box, and the pieces of it, for each stream."""
    each = max(1, STREAMS // max(1, len(boxes)))
    for box in boxes:
        count = min(each, box.count)
        for share in range(count):
            yield box, range(share * box.count // count, (share + 1) * box.count // count)


def _move(session: _Session, ticket: dict[str, Any], array: npt.NDArray[Any],
          work: Callable[[_Stream, _Box, range], None]) -> None:
    """Moves all pieces. Raises OSError if a rank cannot be reached or refuses a frame; then no stream is left."""
    shares = list(_shares([_Box(ticket, told, array) for told in ticket["boxes"]]))
    wires: set[socket.socket] = set()
    lock = threading.Lock()
    failed = threading.Event()

    def run(share: tuple[_Box, range]) -> None:
        box, pieces = share
        if failed.is_set():
            return
        try:
            with session.connection.open_beside(box.host, box.port, PATIENCE) as wire:
                with lock:
                    wires.add(wire)
                work(_Stream(wire, ticket, box.largest), box, pieces)
                with lock:
                    wires.discard(wire)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(min(MOST_STREAMS, max(1, len(shares)))) as pool:
        running = [pool.submit(run, share) for share in shares]
        try:
            for one in running:
                one.result()
        except BaseException:
            failed.set()
            with lock:  # the others end, too
                for wire in wires:
                    try:
                        wire.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
            raise


def _transfer(session: _Session, path: str, request: dict[str, Any], array: npt.NDArray[Any],
              work: Callable[[_Stream, _Box, range], None]) -> Optional[str]:
    """The id of a transfer whose pieces have all been moved; None if it has to be done by /data."""
    request["seconds"] = min(MOST_SECONDS, 60 + array.nbytes // SLOWEST)
    try:
        done = session._run(path, request)
        name: str = done["transfer"]
        ticket = done.get("ticket") or session.connection.json("GET", f"/v1/transfers/{name}")["transfer"]
    except ServerError as problem:
        if problem.code in ("no_bulk", "no_transfer", "too_many_transfers"):
            return None
        raise
    try:
        _move(session, ticket, array, work)
    except BaseException as problem:
        end(session, name)
        if isinstance(problem, OSError):
            return None
        raise
    return name


def end(session: _Session, name: str) -> None:
    """The server frees what the transfer held, if it has it still."""
    try:
        session.connection.json("DELETE", f"/v1/transfers/{name}")
    except (ServerError, OSError):
        pass


def upload(session: _Session, path: str, values: npt.NDArray[Any],
           request: dict[str, Any]) -> Optional[dict[str, Any]]:
    """The result of the job that commits the array, which has little-endian elements, dense in the order of the
    request; None if nothing was changed and the array has to go by /data."""
    name = _transfer(session, f"{path}/upload", request, values, _Stream.send)
    if name is None:
        return None
    try:
        return session._run(f"/v1/transfers/{name}/commit", None)
    except ServerError as problem:
        if problem.code == "no_transfer":
            return None
        raise


def download(session: _Session, path: str, into: npt.NDArray[Any], request: dict[str, Any]) -> bool:
    """Whether the array, of little-endian elements, was filled; False if it has to come by /data."""
    name = _transfer(session, f"{path}/download", request, into, _Stream.receive)
    if name is None:
        return False
    end(session, name)
    return True
