"""HTTP with a tenfold-server: one connection that is made anew where it was lost."""
from __future__ import annotations

import hashlib
import hmac
import http.client
import itertools
import json
import os
import socket
import ssl
import threading
import time
import urllib.parse
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional, Union

ATTEMPTS = 4
CONNECT_TIME = 10.0  # seconds, of connections beside HTTP
PATIENCE = 30.0  # seconds until a server that died is started again, while its connection file is there


class ServerError(Exception):
    """What the server refuses: the status of HTTP, the library's code, and the fields of the error."""

    def __init__(self, status: int, error: dict[str, Any]) -> None:
        super().__init__(error.get("message", f"the server answered with status {status}"))
        self.status = status
        self.code = error.get("code", "")
        self.fields = {name: value for name, value in error.items() if name not in ("code", "message")}


def connection_file() -> Path:
    """TENFOLD_SERVER_FILE, or where a server of this user puts its file."""
    if "TENFOLD_SERVER_FILE" in os.environ:
        return Path(os.environ["TENFOLD_SERVER_FILE"])
    if "XDG_RUNTIME_DIR" in os.environ:
        return Path(os.environ["XDG_RUNTIME_DIR"], "tenfold-server.json")
    return Path.home() / ".tenfold-server.json"


def read_connection_file(file: Union[str, os.PathLike[str]]) -> tuple[str, str, Optional[str]]:
    """A server's url, token and, with TLS, its certificate's fingerprint."""
    with open(file, encoding="utf-8") as found:
        known = json.load(found)
    return known["url"], known["token"], known.get("certificate_sha256")


def _pinned_context() -> ssl.SSLContext:
    """For a certificate that _check_certificate() knows, whoever signed it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _check_certificate(wire: ssl.SSLSocket, fingerprint: str) -> None:
    certificate = wire.getpeercert(True) or b""
    if not hmac.compare_digest(hashlib.sha256(certificate).hexdigest(), fingerprint):
        wire.close()
        raise ssl.SSLCertVerificationError("the server has another certificate than the connection file says")


class _PinnedConnection(http.client.HTTPSConnection):
    """Talks to the certificate with one fingerprint; nothing is sent to another."""

    def __init__(self, host: str, port: int, timeout: float, fingerprint: str) -> None:
        super().__init__(host, port, timeout=timeout, context=_pinned_context())
        self._fingerprint = fingerprint

    def connect(self) -> None:
        super().connect()
        _check_certificate(self.sock, self._fingerprint)


class Connection:
    """Sends requests, one at a time; any thread may. `timeout` is in seconds, for each read and write. `file`: the
    connection file, in which the server that is started in the place of one that died is found."""

    def __init__(self, url: str, token: str, fingerprint: Optional[str] = None, timeout: float = 700,
                 file: Union[str, os.PathLike[str], None] = None) -> None:
        self._timeout, self._file = timeout, file
        self._lock = threading.Lock()
        self._http: Optional[http.client.HTTPConnection] = None
        self._turn_to(url, token, fingerprint)

    def _turn_to(self, url: str, token: str, fingerprint: Optional[str]) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None or parts.port is None:
            raise ValueError(f"{url!r}: expected http://ADDRESS:PORT or https://ADDRESS:PORT")
        self.url = url
        self._host, self._port, self._is_tls = parts.hostname, parts.port, parts.scheme == "https"
        self._token, self._fingerprint = token, fingerprint

    def _may_come_back(self, end: float) -> bool:
        return self._find_again() is not None and time.monotonic() < end

    def _find_again(self) -> Optional[bool]:
        """Whether the connection file has another server, to which this turns; None where there is no file."""
        if self._file is None:
            return None
        try:
            url, token, fingerprint = read_connection_file(self._file)
        except (OSError, ValueError, KeyError):
            return None
        if token == self._token:
            return False
        self._drop()
        self._turn_to(url, token, fingerprint)
        return True

    def close(self) -> None:
        with self._lock:
            self._drop()

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json",
                key: Optional[str] = None, into: Optional[memoryview] = None) -> tuple[int, bytes]:
        """Status and body of the response. A request whose answer was lost is sent again, with the same key, so
        that nothing runs twice. A body of status 200 is read into memory that `into` gives."""
        headers = {}
        if key is not None or method == "POST":
            headers["Idempotency-Key"] = key or uuid.uuid4().hex
        if body is not None:
            headers["Content-Type"] = content_type
            headers["Content-Length"] = str(len(body))
        end = time.monotonic() + PATIENCE
        ending: Optional[tuple[int, bytes]] = None  # the answer of a server that ends
        with self._lock:
            for attempt in itertools.count():
                headers["Authorization"] = f"Bearer {self._token}"
                try:
                    status, answer = self._send(method, path, body, headers, into)
                    if status == 401 and self._find_again():
                        continue
                    if status == 429 and time.monotonic() < end:
                        pause = _read_json(answer).get("error", {}).get("retry_after")
                        if pause is not None:
                            time.sleep(pause)
                            continue
                    if status != 503:
                        return status, answer
                    ending = status, answer
                except (ConnectionError, http.client.HTTPException):
                    self._drop()
                    if ending is None and attempt + 1 >= ATTEMPTS and not self._may_come_back(end):
                        raise
                except BaseException:
                    self._drop()  # what was not read yet is no answer to the next request
                    raise
                if ending is not None and not self._may_come_back(end):
                    return ending
                self._find_again()
                time.sleep(0.1 * min(attempt, ATTEMPTS))
        raise AssertionError("the loop returns or raises")

    def open_beside(self, host: Optional[str], port: int, timeout: float) -> socket.socket:
        """A connection of its own, with TLS where this one has it; `host`: None for this one's. Raises OSError."""
        name = self._host if host is None else host
        wire = socket.create_connection((name, port), timeout=CONNECT_TIME)
        wire.settimeout(timeout)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._is_tls:
            return wire
        context = ssl.create_default_context() if self._fingerprint is None else _pinned_context()
        secure = context.wrap_socket(wire, server_hostname=name)
        if self._fingerprint is not None:
            _check_certificate(secure, self._fingerprint)
        return secure

    def json(self, method: str, path: str, value: Any = None, key: Optional[str] = None) -> dict[str, Any]:
        """The response's object. Raises ServerError for what is refused."""
        body = None if value is None else json.dumps(value).encode()
        status, answer = self.request(method, path, body, key=key)
        result = _read_json(answer)
        if status >= 400:
            raise ServerError(status, result.get("error", {}))
        return result

    def upload(self, path: str, body: Any, key: Optional[str] = None) -> dict[str, Any]:
        """The response's object. Raises ServerError for what is refused. A whole tensor needs no key, for which the
        server would read the body once more: to replace it twice by the same does no harm."""
        status, answer = self.request("PUT", path, body, "application/octet-stream", key)
        result = _read_json(answer)
        if status >= 400:
            raise ServerError(status, result.get("error", {}))
        return result

    def download(self, path: str, into: memoryview) -> None:
        """Reads the response's body, which has as many bytes. Raises ServerError for what is refused."""
        status, answer = self.request("GET", path, into=into)
        if status != 200:
            raise ServerError(status, _read_json(answer).get("error", {}))

    def events(self, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Server-sent events, as they come, by a connection of their own: their names and data. Ends when the server
        ends them. Raises ServerError for what is refused."""
        wire = self._make()
        try:
            wire.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
            response = wire.getresponse()
            if response.status != 200:
                raise ServerError(response.status, _read_json(response.read()).get("error", {}))
            name = ""
            for line in response:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    yield name, json.loads(value)
        finally:
            wire.close()

    def _send(self, method: str, path: str, body: Any, headers: dict[str, str],
              into: Optional[memoryview]) -> tuple[int, bytes]:
        if self._http is None:
            self._http = self._make()
        try:
            self._http.request(method, path, body=body, headers=headers)
        except (BrokenPipeError, ConnectionResetError):
            pass  # a refusal of the body may be there to read
        response = self._http.getresponse()
        if into is None or response.status != 200:
            answer = response.read()
        else:
            answer = b""
            _read_into(response, into)
        if response.will_close:
            self._drop()
        return response.status, answer

    def _make(self) -> http.client.HTTPConnection:
        if not self._is_tls:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        if self._fingerprint is None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout)
        return _PinnedConnection(self._host, self._port, self._timeout, self._fingerprint)

    def _drop(self) -> None:
        if self._http is not None:
            self._http.close()
        self._http = None


def _read_into(response: http.client.HTTPResponse, into: memoryview) -> None:
    if response.length != len(into):
        raise http.client.HTTPException(f"the server sends {response.length} bytes instead of {len(into)}")
    done = 0
    while done < len(into):
        size = response.readinto(into[done:])
        if size == 0:
            raise http.client.IncompleteRead(b"", len(into) - done)
        done += size
    response.read()  # nothing: the response is complete


def _read_json(answer: bytes) -> dict[str, Any]:
    try:
        value = json.loads(answer)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
