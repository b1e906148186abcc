"""What the calls of the client raise."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from typing import Any, List, Literal, Mapping, Optional, Union

from .types import ErrorCode, FieldError, MessageDetails

ClientErrorCode = Literal[
    "CONNECTION_FAILED", "TIMEOUT", "HTTP_ERROR", "INVALID_RESPONSE", "MESSAGE_ENDED", "WAIT_TIMEOUT"
]
"""
Why a call failed that the gateway did not refuse. There was no answer (CONNECTION_FAILED), or none in time (TIMEOUT):
then the call may have happened. There was an error without a problem document, for example from a proxy (HTTP_ERROR),
or a success that is not what the API answers (INVALID_RESPONSE). `wait_for`: the message ended otherwise
(MESSAGE_ENDED), or did not get there in time (WAIT_TIMEOUT).
"""


class PomboError(Exception):
    """A call that failed."""

    code: Union[ErrorCode, ClientErrorCode]
    """Stable: program against it."""
    detail: str
    """Explains the error to a person."""
    status: Optional[int]
    """None if there was no answer."""
    details: List[FieldError]
    """The invalid fields."""
    request_id: Optional[str]
    """Finds the call in the log of the gateway."""
    trace_id: Optional[str]
    retry_after: Optional[float]
    """The seconds to wait before a retry."""
    idempotency_key: Optional[str]
    """The key of the send. Sending again with it is safe, even if this call happened."""

    def __init__(
        self,
        code: Union[ErrorCode, ClientErrorCode],
        detail: str,
        *,
        status: Optional[int] = None,
        details: Optional[List[FieldError]] = None,
        request_id: Optional[str] = None,
        trace_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code
        self.detail = detail
        self.status = status
        self.details = details or []
        self.request_id = request_id
        self.trace_id = trace_id
        self.retry_after = retry_after
        self.idempotency_key = idempotency_key


class WaitError(PomboError):
    """The message did not reach the status that was waited for."""

    last_seen: MessageDetails
    """The message as it was last seen."""

    def __init__(
        self, code: Literal["MESSAGE_ENDED", "WAIT_TIMEOUT"], detail: str, last_seen: MessageDetails
    ) -> None:
        super().__init__(code, detail)
        self.last_seen = last_seen


class WebhookVerificationError(Exception):
    """A webhook that is not from Pombo, or too old: answer it with 4xx."""


def to_error(status: int, headers: HTTPMessage, body: bytes, key: Optional[str]) -> PomboError:
    """The error of an answer that is none of success."""
    problem = _parse_problem(body)
    retry_after = problem.get("retry_after", _to_seconds(headers.get("retry-after")))
    return PomboError(
        problem.get("error_code", "HTTP_ERROR"),
        problem.get("detail", f"The server answered {status}"),
        status=status,
        details=problem.get("details"),
        request_id=headers.get("x-request-id"),
        trace_id=problem.get("trace_id"),
        retry_after=retry_after,
        idempotency_key=key,
    )


def _parse_problem(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) and "error_code" in value else {}


def _to_seconds(header: Optional[str]) -> Optional[float]:
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
