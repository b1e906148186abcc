"""Makes calls: with the key, in time, and again where that is safe."""

from __future__ import annotations

import http.client
import json
import socket
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, TypeVar, Union

from ._call import Call
from ._connections import Connections
from ._errors import PomboError, to_error
from ._pages import Pages
from ._retry import RetryLimits, to_retry_delay

Answer = TypeVar("Answer")
Read = Callable[[http.client.HTTPResponse], Answer]
Key = Union[str, Callable[[], str], None]

_CHUNK = 64 * 1024


@dataclass(frozen=True)
class Opened:
    """An answer that is read while it arrives. Close the connection afterwards."""

    response: http.client.HTTPResponse
    connection: http.client.HTTPConnection


class Transport:
    def __init__(
        self, connections: Connections, key: Key, headers: Mapping[str, str], timeout: float, limits: RetryLimits
    ) -> None:
        self._connections = connections
        self._key = key
        self._headers = headers
        self._timeout = timeout
        self._limits = limits

    def json(self, call: Call) -> Any:
        return self.request(call, _read_json)

    def json_or_none(self, call: Call) -> Any:
        """None if the answer has no content."""
        return self.request(call, _read_json_or_none)

    def nothing(self, call: Call) -> None:
        self.request(call, lambda response: response.read())

    def content(self, call: Call) -> bytes:
        return self.request(call, lambda response: response.read())

    def text(self, call: Call) -> str:
        return self.request(call, lambda response: response.read().decode())

    def pages(self, call: Call) -> Pages[Any, Any]:
        def load(cursor: Optional[str]) -> Any:
            if cursor is None:
                return self.json(call)
            return self.json(replace(call, query={**(call.query or {}), "cursor": cursor}))

        return Pages(load)

    def lines(self, call: Call) -> Iterator[str]:
        """The lines of a long answer as they arrive."""
        opened = self.open(call)
        try:
            yield from read_lines(opened.response)
        except (OSError, http.client.HTTPException) as error:
            raise to_connection_error(error, None) from error
        finally:
            opened.connection.close()

    def open(self, call: Call) -> Opened:
        """Begins to read an answer without an end."""
        return self._repeat(call, lambda key: self._open(call, key))

    def request(self, call: Call, read: Read[Answer]) -> Answer:
        return self._repeat(call, lambda key: self._attempt(call, key, read))

    def close(self) -> None:
        self._connections.close()

    def _repeat(self, call: Call, attempt: Callable[[Optional[str]], Answer]) -> Answer:
        key = _to_key(call)
        retries = 0
        while True:
            try:
                return attempt(key)
            except PomboError as error:
                delay = to_retry_delay(error, call.repeatable, retries, self._limits)
                if delay is None:
                    raise
            time.sleep(delay)
            retries += 1

    def _attempt(self, call: Call, key: Optional[str], read: Read[Answer]) -> Answer:
        opened = self._open(call, key)
        try:
            answer = read(opened.response)
        except (OSError, http.client.HTTPException) as error:
            opened.connection.close()
            raise to_connection_error(error, key) from error
        except BaseException:
            opened.connection.close()
            raise
        self._connections.give_back(opened.connection)
        return answer

    def _open(self, call: Call, key: Optional[str]) -> Opened:
        headers = self._headers_of(call, key)
        timeout = self._timeout if call.timeout is None else call.timeout
        # The gateway may close an idle connection at any moment: no risk for a call that could not be repeated then.
        connection = self._connections.take(timeout, fresh=call.repeatable == "never")
        try:
            connection.request(call.method, self._connections.prefix + call.target, call.payload, headers)
            response = connection.getresponse()
            if 200 <= response.status < 300:
                return Opened(response, connection)
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise to_connection_error(error, key) from error
        except BaseException:
            connection.close()
            raise
        self._connections.give_back(connection)
        raise to_error(response.status, response.headers, body, key)

    def _headers_of(self, call: Call, key: Optional[str]) -> Dict[str, str]:
        headers = {"accept": "application/json, */*;q=0.5", **self._headers, **(call.headers or {})}
        credentials = self._key() if callable(self._key) else self._key
        if credentials is not None:
            headers["authorization"] = f"Bearer {credentials}"
        if call.body is not None:
            headers["content-type"] = "application/json"
        if key is not None and call.own_key is None:
            headers["idempotency-key"] = key
        return headers


def _to_key(call: Call) -> Optional[str]:
    if call.repeatable != "with-key":
        return None
    return call.own_key or call.idempotency_key or str(uuid.uuid4())


def _read_json(response: http.client.HTTPResponse) -> Any:
    body = response.read()
    try:
        return json.loads(body)
    except ValueError as error:
        detail = f"The server answered {response.status} with something else than JSON"
        raise PomboError("INVALID_RESPONSE", detail, status=response.status) from error


def _read_json_or_none(response: http.client.HTTPResponse) -> Any:
    return None if response.status == http.HTTPStatus.NO_CONTENT else _read_json(response)


def to_connection_error(error: Exception, key: Optional[str]) -> PomboError:
    if isinstance(error, (TimeoutError, socket.timeout)):
        return PomboError("TIMEOUT", "No answer in time", idempotency_key=key)
    detail = "The connection failed before the answer was complete"
    return PomboError("CONNECTION_FAILED", detail, idempotency_key=key)


def read_lines(response: http.client.HTTPResponse) -> Iterator[str]:
    rest = b""
    while True:
        chunk = response.read1(_CHUNK)
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode().rstrip("\r")
    if rest:
        yield rest.decode()
