import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import { seconds } from '../../lib/time.ts'
import { attemptTo, NEVER_ABORTED, newPath, received, summary } from './fixture.ts'
import { openCallbackServer, remoteTo, SECRET, serveHttp, setUpRemote } from './remote-fixture.ts'

const refsOf = (receipts: readonly Readonly<{ ref: AttemptRef }>[]): string[] =>
  receipts.map(({ ref }) => ref.messageId).toSorted()

test('receives and reports a thousand concurrent sends, in few calls of bounded size', async (t) => {
  const { remote, callbacks, ask } = await setUpRemote(t)
  callbacks.state.status = 503
  const attempts = Array.from({ length: 1000 }, (_, index) => attemptTo(`+47${10_000_000 + index}`))
  const outcomes = await Promise.all(attempts.map((attempt) => remote.send(attempt, NEVER_ABORTED)))
  assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
  callbacks.state.status = 200
  await until('their receipts', () => new Set(refsOf(callbacks.receipts())).size >= 1000)
  assert.deepEqual(new Set(refsOf(callbacks.receipts())), new Set(refsOf(attempts)))
  assert.ok(callbacks.calls.every((call) => call.length <= 125))
  assert.ok(callbacks.calls.length < 40, `${callbacks.calls.length} calls`)
  assert.deepEqual(await (await ask('/v1/inbox/duplicates')).json(), {
    receptions: 1000,
    attempts: 0,
    messages: 0,
    late: 0,
  })
})

test('retries receipts until the callback accepts them', async (t) => {
  const { remote, callbacks, lines } = await setUpRemote(t)
  callbacks.state.status = 500
  const attempt = attemptTo('+4712345678')
  await remote.send(attempt, NEVER_ABORTED)
  await until('two calls', () => callbacks.state.refused >= 2)
  callbacks.state.status = 204
  await until('the recovery', () => lines.some(({ msg }) => msg === 'simulator: callback accepts receipts again'))
  assert.deepEqual(refsOf(callbacks.receipts()), [attempt.ref.messageId])
  const warnings = lines.filter(({ msg }) => msg === 'simulator: callback refuses receipts, retrying')
  assert.deepEqual(
    warnings.map(({ reason }) => reason),
    ['HTTP_500'],
  )

  // Receipts are in order, so no duplicate of the first can follow the second.
  const next = attemptTo('+4712345678')
  await remote.send(next, NEVER_ABORTED)
  await until('the next receipt', () => callbacks.statesOf(next.ref.messageId).length > 0)
  assert.deepEqual(refsOf(callbacks.receipts()), refsOf([attempt, next]))
})

test('an unreachable callback delays no other and gets its receipts later', async (t) => {
  const { server, remote, callbacks, path } = await setUpRemote(t)
  const failing = await openCallbackServer(t)
  failing.state.status = 500
  const pending = attemptTo('+4712345678')
  await remoteTo(t, { url: server.url, callbackUrl: failing.url }).send(pending, NEVER_ABORTED)
  for (const callbackUrl of [await serveHttp(t, () => {}), 'http://127.0.0.1:1/', 'http://nowhere.invalid/']) {
    await remoteTo(t, { url: server.url, callbackUrl }).send(attemptTo('+4712345678'), NEVER_ABORTED)
  }
  const attempt = attemptTo('+4712345678')
  await remote.send(attempt, NEVER_ABORTED)
  await until('the receipt', () => callbacks.receipts().length > 0)
  assert.deepEqual(refsOf(callbacks.receipts()), [attempt.ref.messageId])

  await server[Symbol.asyncDispose]()
  failing.state.status = 200
  await setUpRemote(t, { path })
  await until('the pending receipt', () => failing.receipts().length > 0)
  assert.deepEqual(refsOf(failing.receipts()), [pending.ref.messageId])
})

test('reports pending receipts to every callback after a restart', async (t) => {
  const path = await newPath(t)
  const first = await setUpRemote(t, { path, receiptDelay: seconds(2) })
  const receivers = await Promise.all(Array.from({ length: 12 }, () => openCallbackServer(t)))
  const attempts = receivers.map(() => attemptTo('+4712345678'))
  for (const [nth, attempt] of attempts.entries()) {
    const callbackUrl = receivers[nth]?.url ?? ''
    await remoteTo(t, { url: first.server.url, callbackUrl }).send(attempt, NEVER_ABORTED)
  }
  await first.server[Symbol.asyncDispose]()
  assert.ok(receivers.every(({ calls }) => calls.length === 0))

  await setUpRemote(t, { path })
  await until('their receipts', () => receivers.every(({ calls }) => calls.length > 0))
  assert.deepEqual(
    receivers.map(({ receipts }) => refsOf(receipts())),
    attempts.map(({ ref }) => [ref.messageId]),
  )
})

test('counts duplicate attempts, and messages within a cycle', async (t) => {
  const { remote, ask } = await setUpRemote(t)
  const attempt = attemptTo('+4712345678')
  const other = attemptTo('+4712345678')
  const again = attemptTo('+4712345678', { ref: { ...attempt.ref, attempt: 2 } })
  const resent = attemptTo('+4712345678', { ref: { ...other.ref, cycle: 2, attempt: 2 } })
  for (const one of [attempt, attempt, attempt, again, other, resent]) await remote.send(one, NEVER_ABORTED)
  assert.deepEqual(await (await ask('/v1/inbox/duplicates')).json(), {
    receptions: 6,
    attempts: 1,
    messages: 1,
    late: 0,
  })
})

test('refuses an attempt that it has reported as absent', async (t) => {
  const { remote, ask } = await setUpRemote(t)
  const attempt = attemptTo('+4712345678')
  assert.deepEqual(await remote.lookup(attempt.ref, attempt.id), { kind: 'absent' })
  assert.equal(summary(await remote.send(attempt, NEVER_ABORTED)), 'deferred TOO_LATE')
  assert.deepEqual(await received(remote), [])
  assert.deepEqual(await (await ask('/v1/inbox/duplicates')).json(), {
    receptions: 0,
    attempts: 0,
    messages: 0,
    late: 1,
  })
})

test('receives a found attempt again as a duplicate', async (t) => {
  const { remote } = await setUpRemote(t)
  const attempt = attemptTo('+4712345678')
  await remote.send(attempt, NEVER_ABORTED)
  assert.equal((await remote.lookup(attempt.ref, attempt.id)).kind, 'found')
  assert.equal(summary(await remote.send(attempt, NEVER_ABORTED)), 'accepted')
  assert.equal((await received(remote)).length, 2)
})

test('refuses invalid requests and keeps running', async (t) => {
  const { server, remote, ask } = await setUpRemote(t)
  const post = async (body: string, type = 'application/json'): Promise<number> => {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': type }
    return (await fetch(`${server.url}/v1/attempts`, { method: 'POST', body, headers })).status
  }
  for (const body of ['', '{', '{}', '[]', 'null']) assert.equal(await post(body), 400, body)
  assert.equal(await post('<a/>', 'application/xml'), 415)
  assert.equal(await post(JSON.stringify({ body: 'x'.repeat(42_000_000) })), 413)
  assert.equal(await postStream(server.url, 'x'.repeat(42_000_000)), 413)
  assert.equal((await ask('/v1/inbox')).status, 400)
  assert.equal((await ask('/v1/inbox?tenant=acme&limit=0')).status, 400)
  assert.equal((await ask('/nowhere')).status, 404)
  assert.equal((await fetch(`${server.url}/v1/inbox?tenant=acme`)).status, 401)
  assert.equal((await fetch(`${server.url}/health`)).status, 200)
  assert.equal(summary(await remote.send(attemptTo('+4712345678'), NEVER_ABORTED)), 'accepted')
})

/** A body without a length. */
async function postStream(url: string, text: string): Promise<number> {
  const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
  const init = { method: 'POST', body: new Blob([text]).stream(), headers, duplex: 'half' } as const
  return (await fetch(`${url}/v1/attempts`, init)).status
}

test('disposing ends the calls in flight', async (t) => {
  const { server, remote } = await setUpRemote(t, { slow: seconds(60), limbo: seconds(60) })
  const calls = ['+15005550009', '+15005550005'].map((to) => remote.send(attemptTo(to), NEVER_ABORTED))
  await until('the one in limbo to be received', async () => (await received(remote)).length === 1)
  await server[Symbol.asyncDispose]()
  assert.deepEqual((await Promise.all(calls)).map(summary), ['deferred ABORTED', 'unknown CONNECTION_LOST'])
})
