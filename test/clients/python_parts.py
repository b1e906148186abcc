"""What the Python client does without a gateway: resuming, retrying, encoding and verifying."""

import http.server
import threading
import unittest
from typing import Any, Dict, List, Optional, Tuple

from pombo_client import NOT_GIVEN, Pombo, PomboError, WebhookVerificationError, verify_webhook
from pombo_client._call import Call, path
from pombo_client._events import EventParser
from pombo_client._retry import RetryLimits, to_retry_delay

FRAMES = (
    ": listening\nid: start\n\n"
    'id: id-1\nevent: e\ndata: {"to": "a"}\n\n'
    # Two events at one position: the first has no id.
    'event: e\ndata: {"to": "b"}\n\n'
    'id: id-3\nevent: e\ndata: {"to": "ü"}\n\n'
    ": keep-alive\nid: id-4\n\n"
)
AFTER: Dict[Optional[str], List[str]] = {"start": ["a", "b", "ü"], "id-1": ["b", "ü"], "id-3": [], "id-4": [], None: ["a", "b", "ü"]}


class Events(unittest.TestCase):
    def test_misses_nothing_wherever_it_is_cut(self) -> None:
        for length in range(len(FRAMES) + 1):
            parser = EventParser(None)
            # Only complete lines count: the rest was not ended when the connection broke.
            events = [parser.push(line) for line in FRAMES[:length].split("\n")[:-1]]
            seen = [event["data"]["to"] for event in events if event is not None]
            self.assertEqual(sorted({*seen, *AFTER[parser.last_event_id]}), ["a", "b", "ü"], f"cut after {length}")


class Retries(unittest.TestCase):
    def test_what_may_have_happened_is_repeated_only_where_that_is_safe(self) -> None:
        limits = RetryLimits(2, 10.0)

        def retried(error: PomboError) -> List[bool]:
            return [to_retry_delay(error, how, 0, limits) is not None for how in ("always", "with-key", "never")]

        for error in (PomboError("TIMEOUT", ""), PomboError("UNAVAILABLE", "", status=503)):
            self.assertEqual(retried(error), [True, True, False])
        self.assertEqual(retried(PomboError("RATE_LIMITED", "", status=429)), [True, True, True])
        self.assertEqual(retried(PomboError("RATE_LIMITED", "", status=429, retry_after=11)), [False] * 3)
        for status in (400, 401, 404, 409, 422, 500):
            self.assertEqual(retried(PomboError("CONFLICT", "", status=status)), [False] * 3)
        self.assertIsNone(to_retry_delay(PomboError("TIMEOUT", ""), "always", 2, limits))


class Calls(unittest.TestCase):
    def test_paths_and_queries_are_encoded(self) -> None:
        self.assertEqual(path("/v1/limits/{scope}/{key}", scope="user", key="a/b?c"), "/v1/limits/user/a%2Fb%3Fc")
        for value in ("", ".", ".."):
            self.assertRaises(ValueError, path, "/v1/messages/{id}", id=value)
        query = {"tag": "a b", "total": True, "cursor": NOT_GIVEN}
        self.assertEqual(Call("GET", "/v1/messages", "always", query=query).target, "/v1/messages?tag=a+b&total=true")

    def test_none_is_sent_and_what_is_left_out_is_not(self) -> None:
        call = Call("PATCH", "/", "never", body={"description": None, "events": NOT_GIVEN})
        self.assertEqual(call.payload, b'{"description": null}')


class Server(http.server.BaseHTTPRequestHandler):
    """Says what it was sent, and closes each connection after the second request."""

    protocol_version = "HTTP/1.1"
    seen: List[Tuple[int, str, Optional[str]]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        port: int = self.client_address[1]
        self.seen.append((port, self.path, self.headers["idempotency-key"]))
        second = [one[0] for one in self.seen].count(port) == 2
        self.close_connection = second
        self.send_response(202)
        body = b'{"id": "a"}'
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Connections(unittest.TestCase):
    def test_they_are_kept_and_those_that_the_server_closed_are_not_used(self) -> None:
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with Pombo(f"http://127.0.0.1:{server.server_port}/base/", "key", max_retries=0) as pombo:
                for _ in range(6):
                    pombo.sms.send(to="+15005550006", message="Hi")
                pombo.sms.send(to="+15005550006", message="Hi", idempotency_key="mine")
            server.shutdown()
        self.assertEqual(len({port for port, _, _ in Server.seen}), 4)
        self.assertEqual({where for _, where, _ in Server.seen}, {"/base/v1/sms/send"})
        keys = [key for _, _, key in Server.seen]
        self.assertEqual(len({*keys}), 7)
        self.assertIsNone(keys[-1])


class Webhooks(unittest.TestCase):
    def test_what_is_incomplete_is_refused(self) -> None:
        headers: Dict[str, str] = {
            "webhook-id": "evt_1",
            "webhook-timestamp": "1896091203",
            "webhook-signature": "v1,x v1,é v2,",
        }
        for name in (None, *headers):
            given = {key: value for key, value in headers.items() if key != name}
            for now in (1896091203.0, 1896099999.0):
                with self.assertRaises(WebhookVerificationError):
                    verify_webhook(b"{}", given, "whsec_b3RoZXI=", now=now)
        for timestamp in ("", "-1", "1e9", "²", "yesterday"):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(b"{}", {**headers, "webhook-timestamp": timestamp}, "whsec_b3RoZXI=")
        for secret in ("", "whsec_", "whsec_%%%"):
            self.assertRaises(ValueError, verify_webhook, b"{}", headers, secret, now=1896091203.0)


if __name__ == "__main__":
    unittest.main()
