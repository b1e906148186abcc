"""The client: `pombo.sms.send(…)`, `pombo.messages.list(…)`, and so on for every call of the API."""

from __future__ import annotations

import ssl
from types import TracebackType
from typing import Any, Mapping, Optional, Type

from ._call import Call
from ._connections import Connections
from ._events import Events
from ._messages import Messages
from ._resources import Resources
from ._retry import RetryLimits
from ._transport import Key, Transport
from ._version import VERSION


class Pombo(Resources):
    """
    `url` is where the gateway is, such as `https://pombo.example`. `key` is an API key or a JWT, or a function that
    returns one for each attempt. `timeout` is how many seconds to wait for a connection and for each part of an answer.
    A call is retried up to `max_retries` times; one that is to be retried only after more than `max_retry_delay` seconds
    fails instead. Threads may share a client.
    """

    messages: Messages

    def __init__(
        self,
        url: str,
        key: Key = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 4,
        max_retry_delay: float = 20.0,
        headers: Optional[Mapping[str, str]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._transport = Transport(
            Connections(url, ssl_context),
            key,
            {"user-agent": f"pombo-client-python/{VERSION}", **(headers or {})},
            timeout,
            RetryLimits(max_retries, max_retry_delay),
        )
        super().__init__(self._transport)
        self.messages = Messages(self._transport)
        self.events = Events(self._transport)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        repeatable: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """
        For calls of a newer gateway. Returns the JSON of the answer, or None if it has no content. `repeatable` tells
        whether it may be made again if it may have happened; by default only a GET, PUT or DELETE is.
        """
        if not path.startswith("/"):
            raise ValueError(f"the path {path} does not begin with a slash")
        may_repeat = method not in ("POST", "PATCH") if repeatable is None else repeatable
        call = Call(method, path, "always" if may_repeat else "never", query=query, body=body, timeout=timeout)
        return self._transport.json_or_none(call)

    def close(self) -> None:
        """Closes connections that are open and idle."""
        self._transport.close()

    def __enter__(self) -> Pombo:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()
