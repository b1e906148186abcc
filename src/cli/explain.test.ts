import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EXPLANATION_EXAMPLE } from '../api/explain/explanation-example.ts'
import { PREFLIGHT_EXAMPLE } from '../api/explain/preflight-example.ts'
import { openTestGateway, refuseWith, run } from './test-world.ts'

const ID = '01978d5e-0000-7000-8000-00000000abcd'

describe('explain', () => {
  const explanation = { message_id: ID, ...EXPLANATION_EXAMPLE }

  test('tells why a message waits, what is next and what can be done', async () => {
    await using gateway = await openTestGateway(() => explanation)
    const { code, out } = await run(['explain', ID], gateway)
    assert.equal(gateway.requests[0]?.path, `/v1/messages/${ID}/explain`)
    assert.deepEqual(
      [code, out],
      [
        0,
        `Waiting for twilio: its circuit breaker has been open since 12:03:10 UTC; the next try is at 12:03:40 UTC or when it closes. (sending)

2030-01-31 12:03:09Z  Pombo accepted and stored the message.
2030-01-31 12:03:10Z  Attempt 1 with twilio failed: the provider is temporarily unavailable.
                      twilio cannot be called: its circuit breaker has been open since 12:03:10 UTC.

SERVICE_UNAVAILABLE: The provider is temporarily unavailable.
Pombo retries while attempts are left. If the message has failed, resend it later.

Next  2030-01-31 12:03:40Z  Pombo makes attempt 2 of 5 as soon as twilio can be called.

You can
  - Wait: Pombo goes on by itself.
  - Close the circuit breaker of twilio, if it works again. This concerns all tenants.
    POST /v1/providers/twilio/breaker {"action":"reset"}, which needs the scope operator
`,
      ],
    )
  })

  test('prints the answer with --json, and leaves out what a finished message lacks', async () => {
    await using gateway = await openTestGateway(() => explanation)
    const { out } = await run(['explain', ID, '--json'], gateway)
    assert.deepEqual(JSON.parse(out), explanation)
    const done = { status: 'delivered', summary: 'Delivered.', reasons: [], next: null, actions: [], error: null }
    await using other = await openTestGateway(() => done)
    assert.equal((await run(['explain', ID], other)).out, 'Delivered. (delivered)\n')
  })

  test('refuses what is no id, and repeats what the gateway refuses', async () => {
    assert.equal((await run(['explain', 'x'])).code, 2)
    await using gateway = await openTestGateway(refuseWith(404, `No message with id ${ID}`))
    const { code, err } = await run(['explain', ID], gateway)
    assert.deepEqual([code, err], [1, `pombo: the gateway answered 404: No message with id ${ID}\n`])
  })
})

describe('preflight', () => {
  const SMS = ['preflight', '--to', '+5511987654321', '--message', 'hi']

  test('describes a valid message and exits with 0', async () => {
    await using gateway = await openTestGateway(() => PREFLIGHT_EXAMPLE)
    const { code, out } = await run([...SMS, '--from', 'Acme', '--key', 'k1'], gateway)
    assert.deepEqual(gateway.requests[0]?.body, {
      to: '+5511987654321',
      message: 'hi',
      sender_id: 'Acme',
      idempotency_key: 'k1',
    })
    assert.deepEqual(
      [code, out],
      [
        0,
        `valid  Pombo would accept the message and send it by twilio at once.
recipient  phone, BR, mobile
sms        1 segment, gsm7
limit      recipient +*******4321: 1 of 5 in 3600 s
route      brazil: its prefix +55 matches
provider   twilio: first available provider
key        new
`,
      ],
    )
  })

  test('lists every problem and exits with 1', async () => {
    const report = {
      valid: false,
      problems: [
        { path: '/to', message: 'is suppressed', code: 'RECIPIENT_SUPPRESSED' },
        { path: '', message: 'Not accepted: no route matches', code: 'NO_ROUTE_FOUND' },
      ],
      warnings: [],
      sms: null,
      route: null,
      limits: [],
      would_send: { accepted: false, text: 'Pombo would answer 422: Not accepted: no route matches.' },
    }
    await using gateway = await openTestGateway(() => report)
    const argv = ['preflight', '--to', 'ana@example.com', '--subject', 'Hi', '--html', '-']
    const { code, out } = await run(argv, { ...gateway, readInput: async () => '<p>Hi</p>' })
    assert.deepEqual(gateway.requests[0]?.body, {
      channel: 'email',
      to: 'ana@example.com',
      subject: 'Hi',
      html: '<p>Hi</p>',
    })
    assert.equal(code, 1)
    assert.match(out, /^not valid {2}Pombo would answer 422/)
    assert.match(out, /problem {2}\/to is suppressed \(RECIPIENT_SUPPRESSED\)\nproblem {2}Not accepted: no route/)
    const { out: json } = await run([...SMS, '--json'], gateway)
    assert.deepEqual(JSON.parse(json), report)
  })

  test('checks a one-time code', async () => {
    await using gateway = await openTestGateway(() => PREFLIGHT_EXAMPLE)
    await run(['preflight', '--otp', '--to', '+5511987654321'], gateway)
    await run(['preflight', '--otp', '--to', 'ana@example.com'], gateway)
    assert.deepEqual(
      gateway.requests.map(({ body }) => body),
      [
        { kind: 'otp', to: '+5511987654321' },
        { kind: 'otp', to: 'ana@example.com', channel: 'email' },
      ],
    )
    const { code, err } = await run([...SMS, '--otp'], gateway)
    assert.equal(code, 2)
    assert.match(err, /--message does not apply to a one-time code/)
  })
})
