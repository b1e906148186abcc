"""What a program does with the installed client: the same as scenario.mjs. Prints what it saw as JSON."""

import json
import os
import random
import re
import sys
import time
import urllib.request
import uuid
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Optional, Set, TypeVar

from pombo_client import Pombo, PomboError, WaitError, WebhookVerificationError, verify_webhook
from pombo_client.types import BatchItem, WebhookEvent

URL, PROXY, KEY, HELPER = (os.environ[name] for name in ("POMBO_URL", "POMBO_PROXY", "POMBO_KEY", "HELPER"))
RUN = str(uuid.uuid4())
FAILS = "+15005550001"

pombo = Pombo(URL, KEY)
# Through the proxy that cuts connections.
shaky = Pombo(PROXY, KEY)

Found = TypeVar("Found")


def number(n: int) -> str:
    return f"+15553{n:06d}"


def cut_after(count: int) -> None:
    urllib.request.urlopen(urllib.request.Request(f"{HELPER}/cut/{count}", method="POST")).read()


def until(poll: Callable[[], Optional[Found]]) -> Found:
    for _ in range(300):
        found = poll()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("waited too long")


def error_of(call: Callable[[], object]) -> Dict[str, Any]:
    try:
        call()
        return {"name": "none"}
    except PomboError as error:
        fields = {
            "name": type(error).__name__,
            "code": error.code,
            "status": error.status,
            "details": error.details,
            "hasId": error.request_id is not None,
            "retryAfter": error.retry_after,
            "idempotencyKey": error.idempotency_key,
            "lastSeen": error.last_seen["status"] if isinstance(error, WaitError) else None,
            "isTyped": True,
        }
        return {name: value for name, value in fields.items() if value is not None}
    except (WebhookVerificationError, ValueError) as error:
        return {"name": type(error).__name__}


def sends_and_waits() -> Dict[str, Any]:
    sent = pombo.sms.send(to=number(1), message="Your parcel is here.", tags=[RUN])
    message = pombo.messages.wait_for(sent["id"], "delivered", timeout=20)
    return {
        "accepted": sent["status"],
        "segments": sent["segments"],
        "status": message["status"],
        "to": message["to"],
    }


def retries_without_doubles() -> Dict[str, Any]:
    """The connection breaks once the gateway has read the request, before its answer."""
    tag = f"once-{RUN}"
    cut_after(0)
    sent = shaky.sms.send(to=number(2), message="Your parcel is here.", tags=[tag])
    pombo.messages.wait_for(sent["id"], "delivered")
    items = until(lambda: pombo.messages.list(tag=tag).page()["items"])
    return {"messages": len(items), "isSame": items[0]["id"] == sent["id"]}


def does_not_repeat() -> Dict[str, Any]:
    """A resend has no idempotency key, so one that may have happened is not repeated."""
    id = pombo.sms.send(to=FAILS, message="Your parcel is here.")["id"]
    ended = error_of(lambda: pombo.messages.wait_for(id, "delivered"))
    cut_after(0)
    resent = error_of(lambda: shaky.messages.resend(id))
    until(lambda: pombo.messages.get(id)["cycle"] > 1)
    pombo.messages.wait_for(id, "failed")
    return {"ended": ended, "resent": resent, "cycle": pombo.messages.get(id)["cycle"]}


def lists_and_streams() -> Dict[str, Any]:
    """The stream breaks every few thousand bytes."""
    tag = f"many-{RUN}"
    stream = shaky.events.stream(event="sms.events.status.v1", last_event_id="0")
    items: List[BatchItem] = [
        {"to": number(100 + n), "message": "Your parcel is here.", "tags": [tag], "idempotency_key": f"{RUN}-{n}"}
        for n in range(250)
    ]
    missing = {result["id"] for result in pombo.messages.send_batch(items=items)["results"]}
    cuts = 0
    for seen, event in enumerate(stream, 1):
        if event["name"] != "sms.events.status.v1":
            raise AssertionError(f"not asked for: {event['name']}")
        if event["data"]["newStatus"] == "delivered":
            missing.discard(event["data"]["messageId"])
        if not missing:
            break
        if seen % 150 == 0 and cuts < 3:
            cuts += 1
            cut_after(1_000 + 37 * cuts)

    def listed() -> Optional[Set[str]]:
        ids = {message["id"] for message in pombo.messages.list(tag=tag, limit=100)}
        return ids if len(ids) == 250 else None

    total = pombo.messages.list(tag=tag, limit=1, total=True).page()["total"]
    return {
        "missed": len(missing),
        "cuts": cuts,
        "listed": len(until(listed)),
        "pages": len(list(pombo.messages.list(tag=tag, limit=100).pages())),
        "total": total and total["value"],
        "resumesAt": "string" if isinstance(stream.last_event_id, str) else "nothing",
    }


def verifies_webhooks() -> Dict[str, Any]:
    endpoint = pombo.endpoints.add(url=f"{HELPER}/hook", events=["message.delivered"])

    def receive(id: str) -> Dict[str, Any]:
        def poll() -> Optional[Dict[str, Any]]:
            received = json.load(urllib.request.urlopen(f"{HELPER}/received"))
            return next((one for one in received if id in one["body"]), None)

        return until(poll)

    first = pombo.sms.send(to=number(4), message="Your parcel is here.", metadata={"order": "1138"})
    got = receive(first["id"])
    body, headers = got["body"], got["headers"]
    event = verify_webhook(body.encode(), headers, endpoint["secret"])
    forged = error_of(lambda: verify_webhook(body.replace("1138", "1139"), headers, endpoint["secret"]))
    old = error_of(lambda: verify_webhook(body, headers, endpoint["secret"], now=time.time() + 3600))
    rotated = pombo.endpoints.rotate_secret(endpoint["id"])
    second = pombo.sms.send(to=number(5), message="Your parcel is here.")
    following = receive(second["id"])
    shouted = {name.upper(): value for name, value in following["headers"].items()}
    events: List[WebhookEvent] = [
        verify_webhook(following["body"], shouted, endpoint["secret"]),
        verify_webhook(following["body"], shouted, rotated["secret"]),
        verify_webhook(following["body"], shouted, [rotated["secret"], "whsec_b3RoZXI="]),
    ]
    pombo.endpoints.remove(endpoint["id"])
    if event["type"] != "message.delivered":
        raise AssertionError(event["type"])
    data = event["data"]
    return {
        "type": event["type"],
        "isOurs": data["message_id"] == first["id"],
        "order": data["metadata"]["order"],
        "fields": sorted(data),
        "isSameId": event["id"] == headers["webhook-id"],
        "forged": forged["name"],
        "old": old["name"],
        "rotated": sum(one["data"].get("message_id") == second["id"] for one in events),
    }


def explains_errors() -> Dict[str, Any]:
    stranger = Pombo(URL, "pk_live_nonsense")
    nobody = Pombo("http://127.0.0.1:1", max_retries=1)
    return {
        "invalid": error_of(lambda: pombo.sms.send(to="nonsense", message="Hi")),
        "unknown": error_of(lambda: pombo.messages.get("00000000-0000-4000-8000-000000000000")),
        "key": error_of(lambda: stranger.messages.list().page()),
        "unreachable": error_of(lambda: nobody.sms.send(to=number(6), message="Hi", idempotency_key="mine")),
        "traversal": error_of(lambda: pombo.messages.get(".."))["name"],
    }


def waits_for_limits() -> Dict[str, Any]:
    """The second send waits as long as the gateway says; a client without retries tells how long that is."""
    to = f"+15557{random.randrange(1_000_000):06d}"
    pombo.limits.set("recipient", to, limit=1, window_seconds=2, algorithm="sliding")
    pombo.sms.send(to=to, message="Your parcel is here.")
    impatient = Pombo(URL, KEY, max_retries=0)
    refused = error_of(lambda: impatient.sms.send(to=to, message="Your parcel is here."))
    begun_at = time.monotonic()
    sent = pombo.sms.send(to=to, message="Your parcel is here.")
    return {
        "code": refused["code"],
        "asked": refused["retryAfter"] >= 1,
        "status": sent["status"],
        "waited": time.monotonic() - begun_at > 0.7,
    }


def checks_codes() -> Dict[str, Any]:
    to = f"+15559{random.randrange(1_000_000):06d}"
    challenge = pombo.otp.generate(to=to)

    def read_code() -> Optional[str]:
        for message in pombo.simulator.list_inbox(to=to):
            found = re.search(r"\d{6}", message["body"] or "")
            return found.group() if found else None
        return None

    code = until(read_code)
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"

    def validate(tried: str) -> bool:
        return pombo.otp.validate(challenge_id=challenge["challenge_id"], code=tried)["valid"]

    return {"wrong": validate(wrong), "right": validate(code)}


def reads_long_answers() -> Dict[str, Any]:
    day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    lines = [json.loads(line) for line in pombo.messages.export(day=day)]
    template = f"t-{RUN}"
    pombo.templates.add(name=template, channel="sms", text="Hi {{ name }}")
    preview = pombo.templates.preview(name=template, data={"name": "Ana"})
    pombo.templates.remove(template)
    return {
        "isJson": all(isinstance(line, dict) for line in lines),
        "hasMany": len(lines) >= 250,
        "text": preview["text"],
        "status": pombo.request("GET", "/health/live")["status"],
    }


json.dump(
    {
        "sending": sends_and_waits(),
        "retrying": retries_without_doubles(),
        "repeating": does_not_repeat(),
        "reading": lists_and_streams(),
        "webhooks": verifies_webhooks(),
        "errors": explains_errors(),
        "limits": waits_for_limits(),
        "codes": checks_codes(),
        "long": reads_long_answers(),
    },
    sys.stdout,
)
