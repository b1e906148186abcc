/** Twilio's API, by the library for Python that Debian packages. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { openFakeHttp } from '../support/fake-http.ts'
import { findPythonTwilio } from '../support/python-twilio.ts'
import { shareEmbedded } from '../support/shared-gateway.ts'
import { skipUnavailable } from '../support/skip.ts'
import { freshNumber } from '../support/sms.ts'
import { clientOf, createAccount, PATIENT } from '../support/twilio-client.ts'
import { until } from '../support/until.ts'

const SCRIPT = new URL('twilio-readme.py', import.meta.url).pathname
const SERVICE = `VA${'0'.repeat(32)}`

test("twilio-python's README runs, and its validator accepts our signature", async (t) => {
  const python = findPythonTwilio()
  if (python === undefined) return skipUnavailable(t, 'python3-twilio is not installed')
  const gateway = await shareEmbedded({ env: { POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  const account = await createAccount(gateway, ['sms:send', 'messages:read', 'content:read', 'otp'])
  const receiver = await openFakeHttp(() => ({ status: 204, body: '' }))
  after(() => receiver[Symbol.asyncDispose]())
  const statusCallback = `${receiver.url}/status?order=A%2017`
  await clientOf(gateway, account).messages.create({ to: freshNumber(), body: 'Hi', statusCallback })
  const called = await until('a callback', () => receiver.requests[0], PATIENT)

  const callback = {
    url: statusCallback,
    params: Object.fromEntries(new URLSearchParams(called.body)),
    signature: called.headers['x-twilio-signature'],
  }
  const env = { TWILIO_ACCOUNT_SID: account.sid, TWILIO_AUTH_TOKEN: account.key }
  const { sid, created, body, listed, error, verification, is_valid } = await run(python, env, callback, gateway.url)
  assert.match(sid, /^SM[0-9a-f]{32}$/)
  assert.ok(Math.abs(Date.parse(created) - Date.now()) < 60_000)
  assert.deepEqual([body, listed], ['Hello there!', [sid]])
  assert.deepEqual([error.status, error.code], [400, 21211])
  assert.deepEqual(verification, ['pending', 'pending', false, 'canceled'])
  assert.equal(is_valid, true)
})

type Output = Readonly<{
  sid: string
  created: string
  body: string
  listed: readonly string[]
  error: Readonly<{ status: number; code: number }>
  verification: readonly unknown[]
  is_valid: boolean
}>

const run = (python: string, env: NodeJS.ProcessEnv, callback: object, url: string): Promise<Output> =>
  new Promise((resolve, reject) => {
    const child = execFile(python, [SCRIPT, url, freshNumber(), SERVICE], { env, timeout: 60_000 }, (error, out) =>
      error === null ? resolve(JSON.parse(out)) : reject(error),
    )
    child.stdin?.end(JSON.stringify(callback))
  })
