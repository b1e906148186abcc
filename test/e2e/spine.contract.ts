/** The path of one message through a running gateway over HTTP: accepted, sent and tracked. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import type { Gateway } from '../support/gateway.ts'
import { freshNumber, inboxOf, kindsOf, magic, payloadField, post, send, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

export function spineContract(gateway: Gateway): void {
  describe('an ordinary message', () => {
    test('is accepted, handed off and delivered once, with every event', async () => {
      const sms = someSms({ message: 'Olá, your parcel is on its way.' })
      const { status, body } = await post(gateway, sms)
      assert.equal(status, 202)
      assert.deepEqual(
        { ...body, id: '', request_id: '', created_at: '' },
        {
          id: '',
          request_id: '',
          status: 'accepted',
          created_at: '',
          accepted_at: body.created_at,
          segments: 1,
          encoding: 'ucs2',
        },
      )
      const message = await untilStatus(gateway, body.request_id, 'delivered')
      assert.deepEqual(kindsOf(message), ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered'])
      const times = message.events.map(({ at }) => at)
      assert.deepEqual(times, times.toSorted())
      assert.equal(message.to, `+*******${sms.to.slice(-4)}`)

      const inbox = await inboxOf(gateway, sms.to)
      assert.deepEqual(
        inbox.map(({ body, attempt_id: attempt }) => [body, attempt]),
        [[sms.message, message.events.map((event) => payloadField(event, 'attempt_id'))[1]]],
      )
    })

    test('looks the same in /v1/sms and in /v1/messages', async () => {
      const id = await send(gateway)
      const { events, ...message } = await untilStatus(gateway, id, 'delivered')
      const { body } = await gateway.call<MessageDetails & { request_id: string }>('GET', `/v1/sms/${id}`)
      const { request_id: alias, ...same } = body
      assert.deepEqual([alias, same.events], [id, events])
      for (const [field, value] of Object.entries(same)) {
        if (field !== 'events') assert.deepEqual(value, message[field as keyof typeof message], field)
      }
    })

    test("has the caller's trace id in the response, the timeline and the logs", async () => {
      const traceId = '0af7651916cd43dd8448eb211c80319c'
      const traceparent = `00-${traceId}-b7ad6b7169203331-01`
      const { body, headers } = await gateway.call<MessageDetails>('POST', '/v1/sms/send', someSms(), { traceparent })
      assert.equal(headers.get('x-trace-id'), traceId)
      const message = await untilStatus(gateway, body.id, 'delivered')
      assert.equal(message.trace_id, traceId)
      assert.deepEqual([...new Set(message.events.map((event) => payloadField(event, 'trace_id')))], [traceId])
      const logged = await until('the log line of the delivery', () => {
        const lines = gateway
          .err()
          .split('\n')
          .filter((line) => line.includes(traceId))
        return (
          lines.filter((line) => line.includes('"event"')).length >= message.events.length &&
          lines.map((line) => JSON.parse(line))
        )
      })
      assert.deepEqual([...new Set(logged.map((line) => line.trace_id))], [traceId])
      // By several processes, whose lines come in any order.
      assert.deepEqual(logged.flatMap(({ event }) => event ?? []).toSorted(), kindsOf(message).toSorted())
    })

    test('that has expired is never handed off', async () => {
      const id = await send(gateway, {
        to: magic('0003'),
        sender_id: 'MuchLater',
        expires_at: new Date(Date.now() + 30_000).toISOString(),
      })
      const message = await untilStatus(gateway, id, 'expired')
      assert.deepEqual(kindsOf(message), ['MessageCreated', 'HandoffAttempted', 'MessageExpired'])
    })
  })

  describe('an idempotency key', () => {
    test('repeats the first answer byte for byte, by field or by header', async () => {
      const sms = someSms()
      const first = await post(gateway, sms)
      assert.equal(first.headers.get('idempotent-replayed'), null)
      await untilStatus(gateway, first.body.request_id, 'delivered')
      const { idempotency_key: key, ...rest } = sms
      const again = [
        await post(gateway, sms),
        await gateway.call('POST', '/v1/sms/send', rest, { 'idempotency-key': key }),
      ]
      for (const { status, text, headers } of again) {
        assert.deepEqual([status, text], [202, first.text])
        assert.equal(headers.get('idempotent-replayed'), 'true')
      }
      assert.equal((await inboxOf(gateway, sms.to)).length, 1)
    })

    test('gives one message for twenty concurrent calls', async () => {
      const sms = someSms()
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(gateway, sms)))
      assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1)
      assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1)
      await untilStatus(gateway, answers[0]?.body.request_id ?? '', 'delivered')
      assert.equal((await inboxOf(gateway, sms.to)).length, 1)
    })

    test('refuses another payload', async () => {
      const sms = someSms()
      await post(gateway, sms)
      for (const other of [{ to: freshNumber() }, { message: 'Something else' }, { tags: ['new'] }]) {
        const { status, headers, body } = await gateway.call<{ error_code: string }>('POST', '/v1/sms/send', {
          ...sms,
          ...other,
        })
        assert.equal(status, 422)
        assert.equal(headers.get('content-type'), 'application/problem+json')
        assert.equal(body.error_code, 'IDEMPOTENCY_MISMATCH')
      }
    })
  })

  type Result = Readonly<{
    index: number
    request_id?: string
    error?: Readonly<{ status: number; error_code: string }>
  }>

  test('a batch accepts its valid items and refuses the invalid ones individually', async () => {
    const good = [someSms({ lane: 'bulk' }), someSms()]
    const items = [good[0], { ...someSms(), to: '12' }, good[1], { to: 7 }, good[0], { ...good[1], message: 'Other' }]
    const { status, body } = await gateway.call<{ results: readonly Result[] }>('POST', '/v1/messages/batch', { items })
    assert.equal(status, 200)
    assert.deepEqual(
      body.results.map(({ index, error }) => [index, error?.status, error?.error_code]),
      [
        [0, undefined, undefined],
        [1, 400, 'VALIDATION_ERROR'],
        [2, undefined, undefined],
        [3, 400, 'VALIDATION_ERROR'],
        [4, undefined, undefined],
        [5, 422, 'IDEMPOTENCY_MISMATCH'],
      ],
    )
    const [first, , second, , repeated] = body.results.map(({ request_id: id }) => id)
    assert.equal(first, repeated)
    for (const id of [first, second]) await untilStatus(gateway, id ?? '', 'delivered')
    for (const { to } of good) assert.equal((await inboxOf(gateway, to)).length, 1)
  })
}
