import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { TraceId } from '../../domain/ids.ts'
import { instant, millis, seconds } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { attemptTo, NEVER_ABORTED, received, summary, TENANT } from './fixture.ts'
import { remoteTo, SECRET, serveHttp, setUpRemote } from './remote-fixture.ts'
import { SIGNATURE_HEADER, sign } from './signature.ts'

/** Recipient, attempt, outcome, number of receptions and reported states. */
const BEHAVIOURS = [
  ['+4712345678', 1, 'accepted', 1, ['delivered']],
  ['user:101', 1, 'accepted', 1, ['delivered']],
  ['+15005550001', 1, 'rejected INVALID_NUMBER', 0, []],
  ['+15005550002', 1, 'rejected NUMBER_BLOCKED', 0, []],
  ['+15005550003', 1, 'deferred SERVICE_UNAVAILABLE of the recipient', 0, []],
  ['+15005550003', 3, 'accepted', 1, ['delivered']],
  ['+15005550004', 9, 'deferred SERVICE_UNAVAILABLE of the recipient', 0, []],
  ['+15005550005', 1, 'unknown CONNECTION_LOST', 1, ['delivered']],
  ['+15005550006', 1, 'accepted', 1, []],
  ['+15005550007', 1, 'accepted', 1, ['bounced']],
  ['+15005550008', 1, 'accepted', 1, ['delivered', 'accepted', 'delivered', 'accepted']],
  ['+15005550009', 1, 'accepted', 1, ['delivered']],
] as const

test('every magic recipient behaves over HTTP as in process', async (t) => {
  const { remote, callbacks } = await setUpRemote(t)
  assert.equal(remote.capabilities.users, true)
  for (const [to, attempt, outcome, receptions, states] of BEHAVIOURS) {
    const sent = attemptTo(to, { attempt })
    assert.equal(summary(await remote.send(sent, NEVER_ABORTED)), outcome, to)
    const inbox = await received(remote, to)
    assert.equal(inbox.filter((id) => id === sent.id).length, receptions, to)
    const { messageId } = sent.ref
    await until(`the receipts of ${to}`, () => callbacks.statesOf(messageId).length >= states.length)
    assert.deepEqual(callbacks.statesOf(messageId), states, to)
    const found = await remote.lookup(sent.ref, sent.id)
    assert.equal(found.kind, receptions === 0 ? 'absent' : 'found', to)
  }
  assert.equal(callbacks.state.forged, 0)
})

test('a receipt, a lookup and the inbox describe the same attempt', async (t) => {
  const { remote, callbacks } = await setUpRemote(t)
  const attempt = attemptTo('+15005550007')
  const providerMessageId = `SIM${attempt.id.slice(0, 24)}`
  assert.deepEqual(await remote.send(attempt, NEVER_ABORTED), { kind: 'accepted', providerMessageId })
  const receipt: Receipt = {
    ref: attempt.ref,
    providerMessageId,
    state: 'bounced',
    reportId: `${providerMessageId}:bounced`,
    code: 'UNREACHABLE',
    detail: 'the simulated recipient bounces every message',
  }
  await until('its receipt', () => callbacks.receipts().length > 0)
  assert.deepEqual(callbacks.receipts(), [receipt])
  assert.deepEqual(await remote.lookup(attempt.ref, attempt.id), { kind: 'found', receipt })
  const [item, ...others] = await remote.inbox({ tenantId: TENANT, to: '+15005550007', limit: 10 })
  assert.ok(item && Math.abs(item.receivedAt - Date.now()) < 60_000)
  const { body } = attempt.content
  const { messageId } = attempt.ref
  const { receivedAt } = item
  const channel = 'sms'
  assert.deepEqual(item, { channel, to: '+15005550007', body, attemptId: attempt.id, messageId, receivedAt })
  assert.deepEqual(others, [])
})

test('the receipts of an attempt go to the worker that made it', async (t) => {
  const { remote, callbacks } = await setUpRemote(t)
  await remote.send(attemptTo('+4712345678', { worker: 'c0ffee' }), NEVER_ABORTED)
  await until('its receipt', () => callbacks.receipts().length > 0)
  assert.deepEqual([...callbacks.state.urls], ['/v1/callbacks/simulator?worker=c0ffee'])
})

test('noisy reports before its answer', async (t) => {
  const { remote, callbacks } = await setUpRemote(t, { receiptDelay: seconds(60) })
  await remote.send(attemptTo('+15005550008'), NEVER_ABORTED)
  assert.deepEqual(
    callbacks.receipts().map(({ state }) => state),
    ['delivered'],
  )
})

test('does not receive a message that expired during the call', async (t) => {
  const { remote } = await setUpRemote(t)
  const attempt = attemptTo('+15005550009', { expiresAt: instant(Date.now() + 20) })
  assert.equal(summary(await remote.send(attempt, NEVER_ABORTED)), 'rejected EXPIRED')
  assert.deepEqual(await received(remote), [])
})

test('a call aborted while the simulator waits is unknown here and not received there', async (t) => {
  const { remote } = await setUpRemote(t, { slow: seconds(60) })
  const attempt = attemptTo('+15005550009')
  const abort = new AbortController()
  const sent = remote.send(attempt, abort.signal)
  const kindOf = async (): Promise<string> => (await remote.lookup(attempt.ref, attempt.id)).kind
  await until('the call to be in progress', async () => (await kindOf()) === 'undetermined')
  abort.abort()
  assert.equal(summary(await sent), 'unknown ABORTED')
  await until('its end', async () => (await kindOf()) === 'absent')
  assert.deepEqual(await received(remote), [])
})

test('a wrong secret is rejected as a fault of the provider', async (t) => {
  const { server } = await setUpRemote(t)
  const stranger = remoteTo(t, { url: server.url, secret: 'another secret altogether' })
  const outcome = await stranger.send(attemptTo('+4712345678'), NEVER_ABORTED)
  assert.equal(summary(outcome), 'rejected UNAUTHENTICATED')
  assert.equal(outcome.kind === 'rejected' && outcome.blame, 'provider')
  const attempt = attemptTo('+4712345678')
  assert.equal((await stranger.lookup(attempt.ref, attempt.id)).kind, 'undetermined')
  await assert.rejects(stranger.inbox({ tenantId: TENANT, limit: 10 }), Unavailable)
})

test('carries the secret and the span of the attempt', async (t) => {
  const seen: (string | undefined)[] = []
  const url = await serveHttp(t, ({ headers }, response) => {
    seen.push(headers.authorization, headers['traceparent'] as string)
    response.writeHead(503).end()
  })
  const traceId = '0af7651916cd43dd8448eb211c80319c' as TraceId
  const attempt = attemptTo('+4712345678', { traceId })
  await remoteTo(t, { url: `${url}/` }).send(attempt, NEVER_ABORTED)
  assert.deepEqual(seen, [`Bearer ${SECRET}`, `00-${traceId}-${attempt.id.slice(0, 16)}-01`])
})

for (const [status, body, outcome] of [
  [201, '{"provider_message_id":"SIM1"}', 'accepted'],
  [201, '{"provider_message_id":""}', 'unknown HTTP_201'],
  [201, 'garbage', 'unknown HTTP_201'],
  [200, '{"provider_message_id":"SIM1"}', 'unknown HTTP_200'],
  [302, '', 'unknown HTTP_302'],
  [500, '{"code":"X","detail":"y"}', 'deferred X'],
  [502, '', 'deferred HTTP_502'],
  [504, '', 'unknown HTTP_504'],
  [404, '<html>', 'rejected HTTP_404'],
  [422, '{"code":"X","detail":"y"}', 'rejected X'],
  [503, '{"code":"X","detail":"y"}', 'deferred X'],
  [503, '', 'deferred HTTP_503'],
  [429, '', 'deferred HTTP_429'],
] as const) {
  test(`HTTP ${status} ${body} is ${outcome}`, async (t) => {
    const url = await serveHttp(t, (_request, response) => response.writeHead(status, { 'retry-after': '7' }).end(body))
    const result = await remoteTo(t, { url }).send(attemptTo('+4712345678'), NEVER_ABORTED)
    assert.equal(summary(result), outcome)
    assert.equal(result.kind === 'deferred' && result.retryAfter, result.kind === 'deferred' && 7000)
    assert.equal(result.kind === 'rejected' && result.blame, result.kind === 'rejected' && blameOf(status))
  })
}
const blameOf = (status: number): string => (status === 422 ? 'message' : 'provider')

test('a refused connection is deferred', async (t) => {
  const { server, remote } = await setUpRemote(t)
  await server[Symbol.asyncDispose]()
  const attempt = attemptTo('+4712345678')
  assert.equal(summary(await remote.send(attempt, NEVER_ABORTED)), 'deferred CONNECTION_REFUSED')
  assert.deepEqual(await remote.lookup(attempt.ref, attempt.id), { kind: 'undetermined' })
})

test('a missing answer is unknown', async (t) => {
  const hanging = remoteTo(t, { url: await serveHttp(t, () => {}), timeout: millis(50) })
  const attempt = attemptTo('+4712345678')
  assert.equal(summary(await hanging.send(attempt, AbortSignal.timeout(50))), 'unknown TIMEOUT')
  assert.deepEqual(await hanging.lookup(attempt.ref, attempt.id), { kind: 'undetermined' })

  const url = await serveHttp(t, ({ socket }) => socket.destroy())
  assert.equal(summary(await remoteTo(t, { url }).send(attempt, NEVER_ABORTED)), 'unknown CONNECTION_LOST')
})

test('only the simulator itself can report an attempt as absent', async (t) => {
  const attempt = attemptTo('+4712345678')
  for (const [status, body] of [
    [404, ''],
    [404, '{"kind":"absent"}'],
    [200, 'null'],
    [200, '{"kind":"found"}'],
  ] as const) {
    const url = await serveHttp(t, (_request, response) => response.writeHead(status).end(body))
    assert.deepEqual(await remoteTo(t, { url }).lookup(attempt.ref, attempt.id), { kind: 'undetermined' })
  }
})

test('a callback without a valid signature is forged', async (t) => {
  const remote = remoteTo(t, { url: 'http://127.0.0.1:1' })
  const read = (text: string, signature?: string) =>
    remote.readCallback({
      method: 'POST',
      url: '/',
      headers: new Headers(signature === undefined ? {} : { [SIGNATURE_HEADER]: signature }),
      body: Buffer.from(text),
    })
  const receipt = {
    message_id: 'm',
    cycle: 1,
    attempt: 1,
    provider_message_id: 'p',
    report_id: 'r',
    state: 'delivered',
  }
  const text = JSON.stringify([receipt])
  const ref = { messageId: 'm', cycle: 1, attempt: 1 }
  const expected = [{ ref, providerMessageId: 'p', reportId: 'r', state: 'delivered' }]
  assert.deepEqual(await read(text, sign(SECRET, text)), expected)
  assert.deepEqual(await read('[]', sign(SECRET, '[]')), [])

  assert.equal(await read(text), 'forged')
  assert.equal(await read(text, ''), 'forged')
  assert.equal(await read(text, sign('another secret altogether', text)), 'forged')
  assert.equal(await read(`${text} `, sign(SECRET, text)), 'forged')
  assert.equal(await read(text, sign(SECRET, text).replace('sha256=', '')), 'forged')
  assert.equal(await read(text, sign(SECRET, text).slice(0, -1)), 'forged')

  for (const garbage of ['', 'null', '{}', '[{}]', JSON.stringify([{ ...receipt, state: 'eaten' }])]) {
    assert.equal(await read(garbage, sign(SECRET, garbage)), 'forged', garbage)
  }
})
