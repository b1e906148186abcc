import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import { attemptTo, IDLE, newPath, received, summary } from './fixture.ts'
import { openWebhook, remoteTo, SECRET, serveHttp, setUpRemote } from './remote-fixture.ts'

const refsOf = (receipts: readonly Readonly<{ ref: AttemptRef }>[]): string[] =>
  receipts.map(({ ref }) => ref.messageId).toSorted()

test('a thousand concurrent sends are all received and all reported, in few calls of a bounded size', async (t) => {
  const { remote, webhook, ask } = await setUpRemote(t)
  webhook.state.status = 503
  const attempts = Array.from({ length: 1000 }, (_, index) => attemptTo(`+47${10_000_000 + index}`))
  const outcomes = await Promise.all(attempts.map((attempt) => remote.send(attempt, IDLE)))
  assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
  webhook.state.status = 200
  await until('their receipts', () => new Set(refsOf(webhook.receipts())).size >= 1000)
  assert.deepEqual(new Set(refsOf(webhook.receipts())), new Set(refsOf(attempts)))
  assert.ok(webhook.calls.every((call) => call.length <= 125))
  assert.ok(webhook.calls.length < 40, `${webhook.calls.length} calls`)
  assert.deepEqual(await (await ask('/v1/inbox/doubles')).json(), {
    receptions: 1000,
    attempts: 0,
    messages: 0,
    late: 0,
  })
})

test('receipts that are not taken come again, until they are', async (t) => {
  const { remote, webhook, lines } = await setUpRemote(t)
  webhook.state.status = 500
  const attempt = attemptTo('+4712345678')
  await remote.send(attempt, IDLE)
  await until('two calls', () => webhook.state.refused >= 2)
  webhook.state.status = 204
  await until('the end of the trouble', () => lines.some(({ msg }) => msg === 'callback takes receipts again'))
  assert.deepEqual(refsOf(webhook.receipts()), [attempt.ref.messageId])
  const told = lines.filter(({ msg }) => msg === 'callback does not take receipts')
  assert.deepEqual(
    told.map(({ reason }) => reason),
    ['HTTP_500'],
  )

  // They come in order, so nothing of the first can come after the second.
  const next = attemptTo('+4712345678')
  await remote.send(next, IDLE)
  await until('the next receipt', () => webhook.statesOf(next.ref.messageId).length > 0)
  assert.deepEqual(refsOf(webhook.receipts()), refsOf([attempt, next]))
})

test('a callback that hangs or is away holds up no other, and is paid when it is back', async (t) => {
  const { server, remote, webhook, path } = await setUpRemote(t)
  const away = await openWebhook(t)
  away.state.status = 500
  const owed = attemptTo('+4712345678')
  await remoteTo(t, { url: server.url, callbackUrl: away.url }).send(owed, IDLE)
  for (const callbackUrl of [await serveHttp(t, () => {}), 'http://127.0.0.1:1/', 'http://nowhere.invalid/']) {
    await remoteTo(t, { url: server.url, callbackUrl }).send(attemptTo('+4712345678'), IDLE)
  }
  const attempt = attemptTo('+4712345678')
  await remote.send(attempt, IDLE)
  await until('the receipt', () => webhook.receipts().length > 0)
  assert.deepEqual(refsOf(webhook.receipts()), [attempt.ref.messageId])

  await server[Symbol.asyncDispose]()
  away.state.status = 200
  await setUpRemote(t, { path })
  await until('what was owed', () => away.receipts().length > 0)
  assert.deepEqual(refsOf(away.receipts()), [owed.ref.messageId])
})

test('receipts owed to many callbacks at the end are reported to each after a restart', async (t) => {
  const path = await newPath(t)
  const first = await setUpRemote(t, { path, receiptDelay: millis(300) })
  const webhooks = await Promise.all(Array.from({ length: 12 }, () => openWebhook(t)))
  const attempts = webhooks.map(() => attemptTo('+4712345678'))
  for (const [nth, attempt] of attempts.entries()) {
    const callbackUrl = webhooks[nth]?.url ?? ''
    await remoteTo(t, { url: first.server.url, callbackUrl }).send(attempt, IDLE)
  }
  await first.server[Symbol.asyncDispose]()
  assert.ok(webhooks.every(({ calls }) => calls.length === 0))

  await setUpRemote(t, { path })
  await until('their receipts', () => webhooks.every(({ calls }) => calls.length > 0))
  assert.deepEqual(
    webhooks.map(({ receipts }) => refsOf(receipts())),
    attempts.map(({ ref }) => [ref.messageId]),
  )
})

test('doubles are counted: attempts, and messages within a cycle', async (t) => {
  const { remote, ask } = await setUpRemote(t)
  const attempt = attemptTo('+4712345678')
  const other = attemptTo('+4712345678')
  const again = attemptTo('+4712345678', { ref: { ...attempt.ref, attempt: 2 } })
  const resent = attemptTo('+4712345678', { ref: { ...other.ref, cycle: 2, attempt: 2 } })
  for (const one of [attempt, attempt, attempt, again, other, resent]) await remote.send(one, IDLE)
  assert.deepEqual(await (await ask('/v1/inbox/doubles')).json(), { receptions: 6, attempts: 1, messages: 1, late: 0 })
})

test('that an attempt is absent is a promise: should it come after all, it comes too late', async (t) => {
  const { remote, ask } = await setUpRemote(t)
  const attempt = attemptTo('+4712345678')
  assert.deepEqual(await remote.lookup(attempt.ref, attempt.id), { kind: 'absent' })
  assert.equal(summary(await remote.send(attempt, IDLE)), 'deferred TOO_LATE')
  assert.deepEqual(await received(remote), [])
  assert.deepEqual(await (await ask('/v1/inbox/doubles')).json(), { receptions: 0, attempts: 0, messages: 0, late: 1 })
})

test('an attempt that was found may show as a double', async (t) => {
  const { remote } = await setUpRemote(t)
  const attempt = attemptTo('+4712345678')
  await remote.send(attempt, IDLE)
  assert.equal((await remote.lookup(attempt.ref, attempt.id)).kind, 'found')
  assert.equal(summary(await remote.send(attempt, IDLE)), 'accepted')
  assert.equal((await received(remote)).length, 2)
})

test('what is no attempt and no question is refused, and the server lives on', async (t) => {
  const { server, remote, ask } = await setUpRemote(t)
  const post = async (body: string, type = 'application/json'): Promise<number> => {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': type }
    return (await fetch(`${server.url}/v1/attempts`, { method: 'POST', body, headers })).status
  }
  for (const body of ['', '{', '{}', '[]', 'null']) assert.equal(await post(body), 400, body)
  assert.equal(await post('<a/>', 'application/xml'), 415)
  assert.equal(await post(JSON.stringify({ body: 'x'.repeat(10_000_000) })), 413)
  assert.equal((await ask('/v1/inbox')).status, 400)
  assert.equal((await ask('/v1/inbox?tenant=acme&limit=0')).status, 400)
  assert.equal((await ask('/nowhere')).status, 404)
  assert.equal((await fetch(`${server.url}/v1/inbox?tenant=acme`)).status, 401)
  assert.equal((await fetch(`${server.url}/health`)).status, 200)
  assert.equal(summary(await remote.send(attemptTo('+4712345678'), IDLE)), 'accepted')
})

test('disposing ends the calls under way and waits for nobody', async (t) => {
  const { server, remote } = await setUpRemote(t, { slow: seconds(60), limbo: seconds(60) })
  const calls = ['+15005550009', '+15005550005'].map((to) => remote.send(attemptTo(to), IDLE))
  await until('the one in limbo to be received', async () => (await received(remote)).length === 1)
  await server[Symbol.asyncDispose]()
  assert.deepEqual((await Promise.all(calls)).map(summary), ['deferred ABORTED', 'unknown CONNECTION_LOST'])
})
