"""Verification of webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Mapping, Optional, Sequence, Union, cast

from ._errors import WebhookVerificationError
from .types import WebhookEvent

_VERSION = "v1,"


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> WebhookEvent:
    """
    Returns the event if the webhook is from Pombo, and raises a WebhookVerificationError if not. `body` is what arrived,
    before anything has parsed it. `secret` may be several, while you change it. `tolerance` is how many seconds old, or
    ahead of your clock, a webhook may be.
    """
    webhook_id = _read_header(headers, "webhook-id")
    timestamp = _read_header(headers, "webhook-timestamp")
    signatures = _read_header(headers, "webhook-signature").split(" ")
    current = time.time() if now is None else now
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(current - int(timestamp)) > tolerance:
        raise WebhookVerificationError(f"The webhook is not of the last {tolerance:g} seconds")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{webhook_id}.{timestamp}.".encode() + raw
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not any([_is_signed(signed, signatures, one) for one in secrets]):
        raise WebhookVerificationError("No signature of the webhook is right")
    return cast(WebhookEvent, {**json.loads(raw), "id": webhook_id})


def _read_header(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise WebhookVerificationError(f"The header {name} is missing")


def _is_signed(signed: bytes, signatures: Sequence[str], secret: str) -> bool:
    digest = hmac.new(_to_key(secret), signed, hashlib.sha256).digest()
    expected = (_VERSION + base64.b64encode(digest).decode()).encode()
    return any([hmac.compare_digest(expected, one.encode()) for one in signatures])


def _to_key(secret: str) -> bytes:
    text = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("the secret is not that of a webhook")
    return key
