"""Messages, and waiting for one."""

from __future__ import annotations

import time

from ._errors import WaitError
from ._resources import MessagesCalls
from .types import MessageDetails, MessageStatus

_FIRST_DELAY = 0.2
_MAX_DELAY = 5.0

_ON_THE_WAY = ("queued", "sending", "sent", "delivered")
"""A message passes these in this order."""
_ENDED = ("delivered", "failed", "expired")


class Messages(MessagesCalls):
    def wait_for(self, id: str, status: MessageStatus, *, timeout: float = 60.0) -> MessageDetails:
        """
        Returns the message once it has this status, or a later one on the way to `delivered`. Raises a WaitError if it
        ended otherwise, or did not get there within `timeout` seconds. A provider that sends no delivery reports leaves
        messages at `sent`.
        """
        give_up_at = time.monotonic() + timeout
        delay = _FIRST_DELAY
        while True:
            message = self.get(id, events_limit=1)
            if _has_reached(message["status"], status):
                return message
            if message["status"] in _ENDED:
                raise WaitError("MESSAGE_ENDED", _to_reason(message, status), message)
            left = give_up_at - time.monotonic()
            if left <= 0:
                detail = f"The message was not {status} within {timeout} s: it is {message['status']}"
                raise WaitError("WAIT_TIMEOUT", detail, message)
            time.sleep(min(delay, left))
            delay = min(delay * 1.5, _MAX_DELAY)


def _has_reached(current: MessageStatus, wanted: MessageStatus) -> bool:
    if current == wanted:
        return True
    return wanted in _ON_THE_WAY and current in _ON_THE_WAY and _ON_THE_WAY.index(current) > _ON_THE_WAY.index(wanted)


def _to_reason(message: MessageDetails, wanted: MessageStatus) -> str:
    code = "" if message["error_code"] is None else f" ({message['error_code']})"
    return f"The message is {message['status']}{code} and will not be {wanted}"
