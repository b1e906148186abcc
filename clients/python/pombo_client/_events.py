"""The live stream of events, which survives connections that break."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any, Dict, Iterator, List, Optional, cast

from ._call import NOT_GIVEN, Call, Maybe
from ._errors import PomboError
from ._retry import is_passing, to_back_off
from ._transport import Opened, Transport, read_lines, to_connection_error
from .types import Channel, EventName, StreamEvent

_SILENT = 45.0
"""In seconds. The gateway writes something every 15 seconds."""
_MAX_DELAY = 30.0


class EventParser:
    """
    Server-sent events from their lines. An id counts only once the event that came with it is complete. It can also
    come alone: then the gateway has nothing to tell, but knows where to resume.
    """

    def __init__(self, last_event_id: Optional[str]) -> None:
        self.last_event_id = last_event_id
        self._id = last_event_id
        self._name = ""
        self._data: List[str] = []

    def push(self, line: str) -> Optional[Dict[str, Any]]:
        """The event that the line completes, if it does."""
        if line == "":
            return self._complete()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        return None

    def _complete(self) -> Optional[Dict[str, Any]]:
        self.last_event_id = self._id
        name, data = self._name, self._data
        self._name, self._data = "", []
        if not data:
            return None
        try:
            return {"id": self._id, "name": name, "data": json.loads("\n".join(data))}
        except ValueError as error:
            raise PomboError("INVALID_RESPONSE", "The stream has an event that is not JSON") from error


class EventStream:
    """
    Iterate over it. Once it was connected, it reconnects for as long as that takes: an event may be repeated then, but
    none is skipped. It raises a PomboError if the gateway refuses, for example because the key was revoked.
    """

    def __init__(self, transport: Transport, query: Dict[str, Any], last_event_id: Optional[str]) -> None:
        self._transport = transport
        self._query = query
        self._last_event_id = last_event_id

    @property
    def last_event_id(self) -> Optional[str]:
        """Where to resume. It also moves while no event passes the filter."""
        return self._last_event_id

    def __iter__(self) -> Iterator[StreamEvent]:
        # The first connection is retried as any call; what fails then is the caller's to know.
        opened = self._connect()
        failures = 0
        while True:
            parser = EventParser(self._last_event_id)
            try:
                for line in read_lines(opened.response):
                    event = parser.push(line)
                    self._last_event_id = parser.last_event_id
                    failures = 0
                    if event is not None:
                        yield cast(StreamEvent, event)
            except (OSError, http.client.HTTPException) as error:
                _raise_if_final(to_connection_error(error, None))
            finally:
                opened.connection.close()
            opened = self._reconnect(failures)
            failures += 1

    def _reconnect(self, failures: int) -> Opened:
        while True:
            time.sleep(to_back_off(failures, _MAX_DELAY))
            try:
                return self._connect()
            except PomboError as error:
                _raise_if_final(error)
            failures += 1

    def _connect(self) -> Opened:
        headers = {} if self._last_event_id is None else {"last-event-id": self._last_event_id}
        call = Call("GET", "/v1/events", "always", query=self._query, headers=headers, timeout=_SILENT)
        return self._transport.open(call)


def _raise_if_final(error: PomboError) -> None:
    if not is_passing(error, "always"):
        raise error


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def stream(
        self,
        *,
        channel: Maybe[Channel] = NOT_GIVEN,
        message_id: Maybe[str] = NOT_GIVEN,
        event: Maybe[EventName] = NOT_GIVEN,
        last_event_id: Optional[str] = None,
    ) -> EventStream:
        """
        The events of your tenant as they happen. Needs the scope `messages:read`. It starts after `last_event_id`,
        where "0" is before the oldest event in the log; by default it starts now.
        """
        query = {"channel": channel, "message_id": message_id, "event": event}
        return EventStream(self._transport, query, last_event_id)
