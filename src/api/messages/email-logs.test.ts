import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import type { Fact } from '../../domain/message/events.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { someEmailMessage } from '../../ports/email-histories.contract.ts'
import { ACCEPTED, ATTEMPTED, append, createdEntry, retryAt } from '../../ports/samples.contract.ts'
import { type Call, openFixture } from '../server.fixture.ts'

const VALID: Fact = { kind: 'MessageValidated', checks: ['INTEGRITY', 'RECIPIENT', 'TEMPLATE'] }
const FAILED: Fact = {
  kind: 'HandoffFailed',
  code: 'SES_MESSAGE_REJECTED',
  originalCode: 'MessageRejected',
  detail: 'the content is refused',
}

async function open() {
  const api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() })
  const mail = async (facts: readonly Fact[] = [], wanted: Partial<EmailContent> = {}): Promise<string> => {
    const whose = { tenantId: 'acme' as TenantId, accountId: 'main' as AccountId }
    const message = someEmailMessage({ ...whose, createdAt: api.clock() })
    await append(api.deps.log, createdEntry(message, { ...CONTENT, ...wanted }))
    for (const fact of facts) {
      api.pass(seconds(1))
      await api.happen(message.id, fact)
    }
    await api.project()
    return message.id
  }
  return { ...api, mail, call: await api.caller(), [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const CONTENT: EmailContent = {
  channel: 'email',
  kind: 'email',
  to: 'ana@example.com' as EmailAddress,
  subject: 'Sua fatura',
  html: '<p>Olá</p>',
  recipientId: 'r-1' as RecipientId,
  metadata: {},
  tags: [],
}

async function logs(call: Call, query: string): Promise<Record<string, unknown>[]> {
  const answer = await call('GET', `/v1/email/logs?${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().items
}
const found = async (call: Call, query: string) => (await logs(call, query)).map((item) => item['outbox_id'])

test('shows a sent email', async () => {
  await using api = await open()
  const id = await api.mail([VALID, ATTEMPTED, ACCEPTED])
  assert.deepEqual(await logs(api.call, ''), [
    {
      outbox_id: id,
      request_id: id,
      http_request_id: null,
      company_id: 'acme',
      recipient_id: 'r-1',
      to: 'a***@example.com',
      subject: 'Sua fatura',
      status: 'SENT',
      ses_message_id: 'SM1',
      error_code: null,
      error_category: null,
      error_reason: null,
      attempts: 1,
      duration_ms: 3000,
      created_at: '2030-01-31T12:00:00.000Z',
      sent_at: '2030-01-31T12:00:03.000Z',
      failed_at: null,
    },
  ])
})

test('keeps the X-Request-Id of the call, given or ours', async () => {
  await using api = await open()
  const mail = { to: 'ana@example.com', subject: 'Sua fatura', html: '<p>Olá</p>' }
  for (const given of [{}, { 'x-request-id': 'checkout-1138' }]) {
    const sent = await api.call('POST', '/v1/email/send', { ...mail, idempotency_key: `k${Object.keys(given)}` }, given)
    const { id } = sent.json()
    await api.project()
    const kept = sent.headers['x-request-id']
    assert.equal(kept, given['x-request-id'] ?? kept)
    const [item] = await logs(api.call, `outbox_id=${id}`)
    const message = (await api.call('GET', `/v1/messages/${id}`)).json()
    assert.deepEqual([item?.['http_request_id'], message.http_request_id], [kept, kept])
  }
})

test('shows why and when an email failed, whatever happened since', async () => {
  await using api = await open()
  const id = await api.mail([VALID, ATTEMPTED, FAILED, { kind: 'MessageErased' }])
  const [item] = await logs(api.call, `request_id=${id}`)
  assert.deepEqual(
    [item?.['status'], item?.['error_code'], item?.['error_reason'], item?.['failed_at'], item?.['duration_ms']],
    ['FAILED', 'SES_MESSAGE_REJECTED', 'the content is refused', '2030-01-31T12:00:03.000Z', 3000],
  )
  assert.equal(item?.['error_category'], 'PERMANENT_ERROR')
  assert.deepEqual([item?.['to'], item?.['subject'], item?.['recipient_id']], [null, null, null])
})

test('finds an email by id, status, recipient and time, combined', async () => {
  await using api = await open()
  const sent = await api.mail([VALID, ATTEMPTED, ACCEPTED])
  const waiting = await api.mail([VALID, ATTEMPTED, retryAt(api.clock())], { to: 'bo@example.com' as EmailAddress })
  const failed = await api.mail([FAILED])
  const fresh = await api.mail()
  for (const [query, ids] of [
    ['', [fresh, failed, waiting, sent]],
    [`request_id=${sent}`, [sent]],
    [`outbox_id=${sent}`, [sent]],
    [`outbox_id=${sent.toUpperCase()}&request_id=${sent}`, [sent]],
    [`outbox_id=${sent}&request_id=${failed}`, []],
    [`request_id=${sent}&outbox_id=nobody`, []],
    [`request_id=${sent}&status=FAILED`, []],
    ['request_id=nobody', []],
    ['request_id=3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11', []],
    ['ses_message_id=SM1', [sent]],
    ['ses_message_id=SM2', []],
    ['status=SENT', [sent]],
    ['status=RETRY_SCHEDULED', [waiting]],
    ['status=FAILED', [failed]],
    ['status=RECEIVED', [fresh]],
    ['status=VALIDATED', []],
    ['to=bo@example.com', [waiting]],
    ['created_from=2030-01-31T12:00:06Z', [fresh, failed]],
    ['created_to=2030-01-31T12:00:01Z', [sent]],
  ] as const) {
    assert.deepEqual(await found(api.call, query), ids, query)
  }
  const listed = (await api.call('GET', '/v1/messages?provider_message_id=SM1')).json().items
  assert.deepEqual(
    listed.map((item: Record<string, unknown>) => item['id']),
    [sent],
  )
  assert.equal((await api.call('GET', '/v1/email/logs?status=GONE')).statusCode, 400)
})

test('refuses invalid values even when nothing could match', async () => {
  await using api = await open()
  for (const bad of ['to=nobody', 'created_from=soon', 'created_to=soon']) {
    for (const rest of ['', '&request_id=abc', '&status=VALIDATED']) {
      const answer = await api.call('GET', `/v1/email/logs?${bad}${rest}`)
      assert.equal(answer.statusCode, 400, bad + rest)
      assert.equal(answer.json().details[0].path, `/${bad.split('=')[0]}`)
    }
  }
})

test('pages through the results', async () => {
  await using api = await open()
  const one = await api.mail()
  api.pass(seconds(1))
  const two = await api.mail()
  const first = (await api.call('GET', '/v1/email/logs?limit=1')).json()
  assert.deepEqual(
    first.items.map(({ outbox_id: id }: { outbox_id: string }) => id),
    [two],
  )
  assert.deepEqual(await found(api.call, `limit=1&cursor=${encodeURIComponent(first.next_cursor)}`), [one])
})

test('lists each pipeline state with its details and the duration of the one before', async () => {
  await using api = await open()
  const id = await api.mail([VALID, ATTEMPTED, FAILED])
  const answer = await api.call('GET', `/v1/email/${id}/events`)
  assert.equal(answer.statusCode, 200, answer.body)
  const { items } = answer.json()
  assert.deepEqual(
    items.map(({ type }: { type: string }) => type),
    ['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'FAILED'],
  )
  assert.deepEqual(items[3], {
    email_log_id: id,
    type: 'FAILED',
    metadata: {
      attempt: 1,
      cycle: 1,
      duration_ms: 1000,
      error_code: 'SES_MESSAGE_REJECTED',
      error_category: 'PERMANENT_ERROR',
      error_message: 'the content is refused',
      original_code: 'MessageRejected',
      will_retry: false,
    },
    created_at: '2030-01-31T12:00:03.000Z',
  })
})

test('hides emails of other tenants and SMS, and needs the scope messages:read', async () => {
  await using api = await open()
  const id = await api.mail()
  const stranger = await api.caller({ tenant_id: 'other' })
  assert.deepEqual(await found(stranger, `request_id=${id}`), [])
  assert.equal((await stranger('GET', `/v1/email/${id}/events`)).statusCode, 404)
  const sms = createdEntry()
  await append(api.deps.log, {
    ...sms,
    event: { ...sms.event, state: { ...sms.event.state, tenantId: 'acme' as TenantId } },
  })
  await api.project()
  assert.deepEqual(await found(api.call, ''), [id])
  assert.equal((await api.call('GET', `/v1/email/${sms.event.state.id}/events`)).statusCode, 404)
  assert.equal((await api.call('GET', '/v1/email/nobody/events')).statusCode, 404)
  const sender = await api.caller({ scope: 'email:send' })
  for (const url of ['/v1/email/logs', `/v1/email/${id}/events`]) {
    assert.equal((await sender('GET', url)).statusCode, 403)
  }
})
