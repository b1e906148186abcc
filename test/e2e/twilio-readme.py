"""The examples of twilio-python's README, and a sign-in: only the addresses differ. Prints what happened as JSON."""
import json
import os
import sys
import time

from twilio.base.exceptions import TwilioRestException
from twilio.request_validator import RequestValidator
from twilio.rest import Client

account = os.environ["TWILIO_ACCOUNT_SID"]
token = os.environ["TWILIO_AUTH_TOKEN"]
url, to, service = sys.argv[1:4]

client = Client(account, token)
client.api.base_url = url
client.verify.base_url = url

message = client.messages.create(to=to, from_="+15555555555", body="Hello there!")
while client.messages(message.sid).fetch().status != "delivered":
    time.sleep(0.05)

listed = []
while message.sid not in listed:
    listed = [sms.sid for sms in client.messages.list(to=to)]

try:
    client.messages.create(to="nobody", from_="+15555555555", body="Hello there!")
    error = None
except TwilioRestException as e:
    error = {"status": e.status, "code": e.code, "message": e.msg}

verification = client.verify.services(service).verifications.create(to=to, channel="sms")
check = client.verify.services(service).verification_checks.create(to=to, code="0000")
canceled = client.verify.services(service).verifications(verification.sid).update(status="canceled")

callback = json.loads(sys.stdin.read())
is_valid = RequestValidator(token).validate(callback["url"], callback["params"], callback["signature"])

print(
    json.dumps(
        {
            "sid": message.sid,
            "created": message.date_created.isoformat(),
            "body": client.messages(message.sid).fetch().body,
            "listed": listed,
            "error": error,
            "verification": [verification.status, check.status, check.valid, canceled.status],
            "is_valid": is_valid,
        }
    )
)
