/** The Python client against a live gateway, type-checked, and as its README says. */
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { missingPython } from '../support/python.ts'
import { skipUnavailable } from '../support/skip.ts'
import { run } from './node-client.ts'
import { installPythonClient } from './python-client.ts'
import { readBlocks } from './readme.ts'
import { checkSummary } from './scenario.ts'
import { openWorld } from './world.ts'

/** After the README: an endpoint for its server, a webhook of ours and a forged one. */
const README_EPILOGUE = `
import threading
import time
import urllib.error
import urllib.request

threading.Thread(target=server.serve_forever, daemon=True).start()
hook = f"http://127.0.0.1:{server.server_port}/hooks"
endpoint = pombo.endpoints.add(url=hook, events=["message.delivered"])
os.environ["WEBHOOK_SECRET"] = endpoint["secret"]
last = pombo.sms.send(to="+15554000002", message="Hi")
give_up_at = time.monotonic() + 20
while not pombo.endpoints.list_attempts(endpoint["id"]).page()["items"] and time.monotonic() < give_up_at:
    time.sleep(0.05)
print("last", last["id"])
try:
    urllib.request.urlopen(hook, data=b"{}")
except urllib.error.HTTPError as refused:
    print("forged", refused.code)
pombo.endpoints.remove(endpoint["id"])
`

/** Each ignored error must be one: mypy refuses comments that ignore nothing. */
const MISUSES = `
from pombo_client import Pombo
from pombo_client.types import WebhookEvent

pombo = Pombo("http://127.0.0.1:8080", "key")
pombo.sms.send(recipient="+5511987654321")  # type: ignore[call-arg]
pombo.messages.wait_for("id", "arrived")  # type: ignore[arg-type]
print(pombo.messages.list().page()["items"][0]["text"])  # type: ignore[typeddict-item]


def handle(event: WebhookEvent) -> None:
    if event["type"] == "message.failed":
        print(event["data"]["message_id"])
    if event["type"] == "quota.warning":
        print(event["data"]["message_id"])  # type: ignore[typeddict-item]
`

const PROGRAMS = ['scenario.py', 'python_parts.py']

const missing = missingPython()
if (missing !== undefined) test('the Python client', (t) => skipUnavailable(t, missing))
else await describe('the Python client', { timeout: 300_000 }, suite)

async function suite(): Promise<void> {
  const { env, folder } = await openWorld()
  const { python, system } = await installPythonClient(folder)
  const files = {
    'misuses.py': MISUSES,
    'readme.py': `${readBlocks('python', 'python').replace('3000', '0')}${README_EPILOGUE}`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  for (const name of PROGRAMS) cpSync(join(import.meta.dirname, name), join(folder, name))

  test('sends, waits, retries, lists, streams and verifies', async (t) => {
    const { out } = await run(python, ['scenario.py'], folder, env)
    checkSummary(JSON.parse(out))
    t.diagnostic((await run(python, ['--version'], folder)).out.trim())
  })

  test('resumes, retries, encodes and keeps connections', async () => {
    const { err } = await run(python, ['python_parts.py'], folder)
    assert.match(err, /^Ran [1-9]\d* tests .*\n\nOK$/m)
  })

  test('has types that mypy accepts and uses', async () => {
    const args = ['-m', 'mypy', '--strict', '--python-version', '3.9', '--python-executable', python]
    const modules = [...Object.keys(files), ...PROGRAMS].flatMap((file) => ['-m', file.replace('.py', '')])
    await run(system, [...args, '--cache-dir', join(folder, 'mypy'), '-p', 'pombo_client', ...modules], folder)
  })

  test('does what its README says', async () => {
    const { out } = await run(python, ['readme.py'], folder, env)
    const [, id] = /^last (\S+)$/m.exec(out) ?? []
    assert.ok(id !== undefined && out.includes(`${id} was delivered`), out)
    assert.match(out, /^delivered simulator$/m)
    assert.match(out, /^VALIDATION_ERROR 400 .+\n\/to /m)
    assert.match(out, /^forged 400$/m)
  })
}
