"""Connections to the gateway, kept open between calls. Threads may share them: each has its own while it calls."""

from __future__ import annotations

import http.client
import selectors
import ssl
import threading
from typing import List, Optional
from urllib.parse import urlsplit

_MOST_IDLE = 8


class Connections:
    def __init__(self, url: str, context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url} is not an http or https URL")
        self.prefix = parts.path.rstrip("/")
        self._host = parts.hostname
        self._port = parts.port
        is_secure = parts.scheme == "https"
        self._context = (context or ssl.create_default_context()) if is_secure else None
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def take(self, timeout: float, *, fresh: bool) -> http.client.HTTPConnection:
        """One that is still open, or a new one, which connects when it is used."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle and not fresh else None
            if connection is None:
                return self._open(timeout)
            if not _is_closed(connection):
                connection.timeout = timeout
                connection.sock.settimeout(timeout)
                return connection
            connection.close()

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        """After an answer was read to its end."""
        with self._lock:
            if connection.sock is not None and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)


def _is_closed(connection: http.client.HTTPConnection) -> bool:
    """The gateway says nothing on an idle connection, unless it closes it."""
    if connection.sock is None:
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return len(selector.select(0)) > 0
