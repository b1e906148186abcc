/** Limits over HTTP: set, kept, told of in every answer, on every way to send. */
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
    test('admits so many, and says how many are left and when there are more', async () => {
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
      gateway.pass(60 * SECOND_MS)
      assert.equal((await send({ to })).status, 202)
      assert.equal((await get(recipient(to))).body.used, 1)
    })

    test('that slides frees a place only when the one before it is a window old', async () => {
      const to = freshNumber()
      await set(recipient(to), 1, 60, 'sliding')
      assert.equal((await send({ to })).status, 202)
      gateway.pass(58 * SECOND_MS)
      assert.equal((await send({ to })).status, 429)
      gateway.pass(4 * SECOND_MS)
      assert.equal((await send({ to })).status, 202)
    })

    test('counts anew once it is changed, and not at all once it is removed', async () => {
      const to = freshNumber()
      await set(recipient(to), 1)
      assert.deepEqual([(await send({ to })).status, (await send({ to })).status], [202, 429])
      await set(recipient(to), 1)
      assert.deepEqual([(await send({ to })).status, (await send({ to })).status], [202, 429])
      assert.equal((await remove(recipient(to))).status, 204)
      assert.equal((await send({ to })).status, 202)
      assert.equal((await get(recipient(to))).status, 404)
    })

    test('gives its last place to exactly one of 200', async () => {
      const to = freshNumber()
      await set(recipient(to), 1, 3_600)
      const answers = await Promise.all(Array.from({ length: 200 }, () => send({ to })))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, ...Array<number>(199).fill(429)])
    })

    test('is asked of every item of a batch on its own', async () => {
      const to = freshNumber()
      await set(recipient(to), 3)
      const items = Array.from({ length: 10 }, () => someSms({ to }))
      const { status, body } = await gateway.call<Results>('POST', '/v1/messages/batch', { items })
      assert.equal(status, 200)
      const refused = body.results.flatMap(({ error }) => (error === undefined ? [] : [error.error_code]))
      assert.deepEqual(refused, Array(7).fill('RATE_LIMITED'))
    })

    test('does not count a call that repeats another, and lets it through when it is reached', async () => {
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

    test('of several holds only if all do, and none is counted otherwise', async () => {
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

    test('for each recipient holds for those that have none of their own', async () => {
      const [one, other, own] = [freshNumber(), freshNumber(), freshNumber()]
      await set('recipient/*', 1)
      await set(recipient(own), 2)
      for (const to of [one, other])
        assert.deepEqual([(await send({ to })).status, (await send({ to })).status], [202, 429])
      for (const status of [202, 202, 429]) assert.equal((await send({ to: own })).status, status)
      await remove('recipient/*')
    })
  })

  test('no limit is zero, negative, fractional, huge or of another kind', async () => {
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
