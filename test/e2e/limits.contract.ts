/** Limits over HTTP: set, enforced and reported in the headers of every way to send. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { freshNumber, someSms } from '../support/sms.ts'
import type { TimedGateway } from '../support/timed-gateway.ts'

type Limit = Readonly<{ scope: string; key: string; limit: number; used: number; remaining: number }>
type Problem = Readonly<{ error_code: string; retry_after?: number; details?: readonly { path: string }[] }>
type Results = Readonly<{ results: readonly Readonly<{ request_id?: string; error?: Problem }>[] }>

const SECOND_MS = 1_000

export function limitsContract(gateway: TimedGateway): void {
  const set = (path: string, limit: number, window = 60, algorithm = 'fixed') =>
    gateway.call<Limit>('PUT', `/v1/limits/${path}`, { limit, window_seconds: window, algorithm })
  const get = (path: string) => gateway.call<Limit & Problem>('GET', `/v1/limits/${path}`)
  const remove = (path: string) => gateway.call('DELETE', `/v1/limits/${path}`)
  const send = (sms = {}) => gateway.call<Problem>('POST', '/v1/sms/send', someSms(sms))
  const recipient = (to: string): string => `recipient/${encodeURIComponent(to)}`

  describe('a limit', () => {
    test('admits up to its limit and reports the remaining count and the reset time', async () => {
      const to = freshNumber()
      assert.equal((await set(recipient(to), 2)).status, 200)
      const [first, second, third] = [await send({ to }), await send({ to }), await send({ to })]
      assert.deepEqual([first.status, second.status, third.status], [202, 202, 429])
      assert.equal(first.headers.get('ratelimit-policy'), '"recipient";q=2;w=60')
      assert.match(first.headers.get('ratelimit') ?? '', /^"recipient";r=1;t=(59|60)$/)
      assert.match(third.headers.get('ratelimit') ?? '', /^"recipient";r=0;t=(5\d|60)$/)
      assert.deepEqual(
        [third.body.error_code, Number(third.headers.get('retry-after'))],
        ['RATE_LIMITED', third.body.retry_after],
      )
      assert.equal((await get(recipient(to))).body.used, 2)
      gateway.advance(60 * SECOND_MS)
      assert.equal((await send({ to })).status, 202)
      assert.equal((await get(recipient(to))).body.used, 1)
    })

    test('with a sliding window admits a message only when an earlier one has left the window', async () => {
      const to = freshNumber()
      await set(recipient(to), 1, 60, 'sliding')
      assert.equal((await send({ to })).status, 202)
      gateway.advance(58 * SECOND_MS)
      assert.equal((await send({ to })).status, 429)
      gateway.advance(4 * SECOND_MS)
      assert.equal((await send({ to })).status, 202)
    })

    test('restarts its count when it is changed, and counts nothing once removed', async () => {
      const to = freshNumber()
      await set(recipient(to), 1)
      assert.deepEqual([(await send({ to })).status, (await send({ to })).status], [202, 429])
      await set(recipient(to), 1)
      assert.deepEqual([(await send({ to })).status, (await send({ to })).status], [202, 429])
      assert.equal((await remove(recipient(to))).status, 204)
      assert.equal((await send({ to })).status, 202)
      assert.equal((await get(recipient(to))).status, 404)
    })

    test('admits exactly one of 200 concurrent calls as its last', async () => {
      const to = freshNumber()
      await set(recipient(to), 1, 3_600)
      const answers = await Promise.all(Array.from({ length: 200 }, () => send({ to })))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, ...Array<number>(199).fill(429)])
    })

    test('applies to every item of a batch individually', async () => {
      const to = freshNumber()
      await set(recipient(to), 3)
      const items = Array.from({ length: 10 }, () => someSms({ to }))
      const { status, body } = await gateway.call<Results>('POST', '/v1/messages/batch', { items })
      assert.equal(status, 200)
      const refused = body.results.flatMap(({ error }) => (error === undefined ? [] : [error.error_code]))
      assert.deepEqual(refused, Array(7).fill('RATE_LIMITED'))
    })

    test('does not count a repeated call, and admits it when reached', async () => {
      const [to, key] = [freshNumber(), randomUUID()]
      await set(recipient(to), 2)
      const sms = someSms({ to, idempotency_key: key })
      const first = await send(sms)
      assert.equal((await send(sms)).text, first.text)
      assert.equal((await get(recipient(to))).body.used, 1)
      assert.equal((await send({ to })).status, 202)
      assert.equal((await send({ to })).status, 429)
      const again = await send(sms)
      assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'])
    })

    test('of several admits only if all do, and otherwise none counts', async () => {
      const [narrow, free] = [freshNumber(), freshNumber()]
      await set('account/default', 3)
      await set(recipient(narrow), 1)
      assert.deepEqual([(await send({ to: narrow })).status, (await send({ to: narrow })).status], [202, 429])
      assert.equal((await get('account/default')).body.used, 1)
      assert.deepEqual([(await send({ to: free })).status, (await send({ to: free })).status], [202, 202])
      const over = await send({ to: free })
      assert.equal(over.status, 429)
      assert.match(over.headers.get('ratelimit') ?? '', /"account";r=0/)
      await remove('account/default')
    })

    test('for every recipient applies to those without their own', async () => {
      const [one, other, own] = [freshNumber(), freshNumber(), freshNumber()]
      await set('recipient/*', 1)
      await set(recipient(own), 2)
      for (const to of [one, other])
        assert.deepEqual([(await send({ to })).status, (await send({ to })).status], [202, 429])
      for (const status of [202, 202, 429]) assert.equal((await send({ to: own })).status, status)
      await remove('recipient/*')
    })
  })

  test('refuses a limit that is zero, negative, fractional, too large or not a number', async () => {
    for (const [limit, window, path] of [
      [0, 60, '/limit'],
      [-1, 60, '/limit'],
      [1.5, 60, '/limit'],
      [1e15, 60, '/limit'],
      ['1', 60, '/limit'],
      [1, 0, '/window_seconds'],
      [1, 1e12, '/window_seconds'],
    ]) {
      const { status, body } = await gateway.call<Problem>('PUT', '/v1/limits/account/default', {
        limit,
        window_seconds: window,
      })
      assert.deepEqual([status, body.details?.map((problem) => problem.path)], [400, [path]])
    }
    assert.equal((await set('planet/earth', 1)).status, 400)
    assert.equal((await set('tenant/somebody-else', 1)).status, 404)
  })
}
