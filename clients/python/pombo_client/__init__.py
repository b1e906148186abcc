"""The client of Pombo, the self-hosted gateway for SMS, email and one-time codes."""

from ._call import NOT_GIVEN
from ._client import Pombo
from ._errors import ClientErrorCode, PomboError, WaitError, WebhookVerificationError
from ._events import EventStream
from ._pages import Pages
from ._version import VERSION as __version__
from ._webhooks import verify_webhook

__all__ = [
    "NOT_GIVEN",
    "ClientErrorCode",
    "EventStream",
    "Pages",
    "Pombo",
    "PomboError",
    "WaitError",
    "WebhookVerificationError",
    "__version__",
    "verify_webhook",
]
