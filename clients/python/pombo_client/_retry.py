"""When a call that failed is made again, and after which time."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional

from ._errors import PomboError

_FIRST_DELAY = 0.25
_UNAVAILABLE = (502, 503, 504)
_TOO_MANY = 429


@dataclass(frozen=True)
class RetryLimits:
    max_retries: int
    max_delay: float
    """In seconds. To wait for longer is the caller's decision."""


def to_retry_delay(error: PomboError, repeatable: str, retries: int, limits: RetryLimits) -> Optional[float]:
    """None if the call is not to be made again. `retries` is how often it was."""
    if not is_passing(error, repeatable):
        return None
    asked = error.retry_after or 0.0
    if retries >= limits.max_retries or asked > limits.max_delay:
        return None
    return max(asked, to_back_off(retries, limits.max_delay))


def is_passing(error: PomboError, repeatable: str) -> bool:
    """Whether the same call may succeed later, and may be made again."""
    may_have_happened = error.status in _UNAVAILABLE or error.code in ("CONNECTION_FAILED", "TIMEOUT")
    return error.status == _TOO_MANY or (may_have_happened and repeatable != "never")


def to_back_off(retries: int, max_delay: float) -> float:
    """Doubles each time. Half of it is random, so that clients that failed together do not come back together."""
    delay: float = min(_FIRST_DELAY * 2 ** min(retries, 16), max_delay)
    return delay * random.uniform(0.5, 1.0)
