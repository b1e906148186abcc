/** The specified API of the rate-limited gateway: limits of users and texts to them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../support/runs.ts'
import { inboxOf } from '../support/sms.ts'
import type { TimedGateway } from '../support/timed-gateway.ts'
import { until } from '../support/until.ts'

const RUNS = 100
/** The contract of the limiters repeats this race a hundred times. */
const RACES = runs(10, 100)
const MINUTE_MS = 60_000
const MOST = 2 ** 31 - 1

type Config = Readonly<{ userId: number; rateLimit: number; timeWindow: number }>
type Configured = Config & Readonly<{ currentCount: number; lastRefreshTime: string }>

const OK = [200, 'Message Sent Successfully'] as const
const BAD = [400, 'Missing/Invalid Arguments'] as const
const UNKNOWN = [404, 'User Not Found'] as const
const LIMITED = [429, 'Rate Limit Exceeded'] as const

export function usersContract(gateway: TimedGateway): void {
  let lastUser = 0
  /** A unique user. */
  const freshUser = (): number => {
    lastUser += 1
    return lastUser
  }
  const configure = (config: object) => gateway.call<Configured>('POST', '/api/config', config)
  const say = async (request: object): Promise<readonly [number, string]> => {
    const { status, text } = await gateway.call('POST', '/api/send', request)
    return [status, text]
  }
  const sendTo = (userId: number, message = 'Hello World') => say({ userId, message })
  /** The number of concurrent samples: in a cluster a new limit applies after a quarter of a second. */
  const forAll = <Sample>(samples: fc.Arbitrary<Sample>, check: (sample: Sample) => Promise<void>): Promise<unknown> =>
    Promise.all(fc.sample(samples, RUNS).map(check))

  describe('the limit of a user', () => {
    test('S5-P1 is the last one set, with an empty count', async () => {
      const values = fc.record({
        rateLimit: fc.integer({ min: 1, max: MOST }),
        timeWindow: fc.integer({ min: 1, max: MOST }),
      })
      await forAll(fc.tuple(values, values), async (rounds) => {
        const userId = freshUser()
        for (const config of rounds) {
          const { status, body } = await configure({ userId, ...config })
          const { lastRefreshTime, ...rest } = body
          assert.deepEqual([status, rest], [200, { userId, ...config, currentCount: 0 }])
          assert.ok(Math.abs(Date.parse(lastRefreshTime) - gateway.now()) < MINUTE_MS)
          const { body: limit } = await gateway.call<Record<string, unknown>>('GET', `/v1/limits/user/${userId}`)
          assert.deepEqual(
            [limit['limit'], limit['window_seconds'], limit['used']],
            [config.rateLimit, config.timeWindow * 60, 0],
          )
        }
      })
    })

    test('S5-P2 is refused if a field is missing or invalid, and stays unchanged', async () => {
      const userId = freshUser()
      const right: Config = { userId, rateLimit: 7, timeWindow: 3 }
      await configure(right)
      const wrong = fc.oneof(
        fc.constantFrom(null, '5', 1.5, true, [], {}, Number.MAX_SAFE_INTEGER),
        fc.integer({ max: -1 }),
        fc.constant(undefined),
      )
      const field = fc.constantFrom('userId', 'rateLimit', 'timeWindow')
      await forAll(fc.tuple(field, wrong), async ([name, value]) => {
        const { status, text } = await configure({ ...right, [name]: value })
        assert.deepEqual([status, text], BAD, `${name}: ${JSON.stringify(value)}`)
      })
      for (const zero of ['rateLimit', 'timeWindow']) {
        assert.equal((await configure({ ...right, [zero]: 0 })).status, 400)
      }
      assert.deepEqual([(await configure(right)).status, (await sendTo(userId))[0]], [200, 200])
    })
  })

  describe('a text to a user', () => {
    test('S5-P3 S5-P4 is accepted up to the limit in a window, and again in the next one', async () => {
      const samples = fc.sample(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 })), RUNS)
      const users = await Promise.all(
        samples.map(async ([rateLimit, timeWindow]) => {
          const userId = freshUser()
          await configure({ userId, rateLimit, timeWindow })
          return { userId, rateLimit, timeWindow }
        }),
      )
      for (let round = 1; round <= 2; round += 1) {
        await Promise.all(
          users.map(async ({ userId, rateLimit }) => {
            for (let sent = 0; sent < rateLimit; sent += 1) assert.deepEqual(await sendTo(userId), OK)
            assert.deepEqual(await sendTo(userId), LIMITED)
          }),
        )
        gateway.advance(5 * MINUTE_MS)
      }
    })

    test('S5-P3 counts in the window that begins with its limit, and resets it once lastRefreshTime + timeWindow <= now', async () => {
      const userId = freshUser()
      await configure({ userId, rateLimit: 1, timeWindow: 1 })
      gateway.advance(50_000)
      assert.deepEqual([await sendTo(userId), await sendTo(userId)], [OK, LIMITED])
      gateway.advance(11_000)
      assert.deepEqual([await sendTo(userId), await sendTo(userId)], [OK, LIMITED])
      gateway.advance(50_000)
      assert.deepEqual(await sendTo(userId), LIMITED)
      gateway.advance(11_000)
      assert.deepEqual(await sendTo(userId), OK)
    })

    test('S5-P6 exactly one of 200 concurrent texts is accepted as the last', async () => {
      const userId = freshUser()
      await configure({ userId, rateLimit: 1, timeWindow: 1 })
      for (let round = 0; round < RACES; round += 1) {
        const answers = await Promise.all(Array.from({ length: 200 }, () => sendTo(userId)))
        const accepted = answers.filter(([status]) => status === 200)
        assert.deepEqual([accepted.length, answers.filter(([status]) => status === 429).length], [1, 199])
        gateway.advance(MINUTE_MS)
      }
    })

    test('S5-P7 S5-P8 arrives unchanged', async () => {
      const texts = fc.string({ minLength: 1, maxLength: 100 }).filter((text) => text.trim() !== '')
      const userId = freshUser()
      await configure({ userId, rateLimit: RUNS, timeWindow: 60 })
      const sent = fc.sample(texts, RUNS).map((text) => text.trim())
      for (const answer of await Promise.all(sent.map((text) => sendTo(userId, text)))) assert.deepEqual(answer, OK)
      const received = await until('all texts', async () => {
        const inbox = await inboxOf(gateway, `user:${userId}`)
        return inbox.length >= RUNS && inbox.map(({ body }) => body)
      })
      assert.deepEqual(received.toSorted(), sent.toSorted())
    })

    test('is sent to the phone of the recipient with this external id', async () => {
      const userId = freshUser()
      await configure({ userId, rateLimit: 5, timeWindow: 60 })
      const phone = '+15552000001'
      const { status } = await gateway.call('POST', '/v1/recipients', { external_id: String(userId), phone })
      assert.equal(status, 201)
      assert.deepEqual(await sendTo(userId, 'To a phone'), OK)
      const received = await until('the text', async () => (await inboxOf(gateway, phone))[0])
      assert.equal(received.body, 'To a phone')
      assert.deepEqual(await inboxOf(gateway, `user:${userId}`), [])
    })

    test('is refused for a user without a limit', async () => {
      assert.deepEqual(await sendTo(freshUser()), UNKNOWN)
    })

    test('is refused if a field is missing or invalid', async () => {
      const userId = freshUser()
      await configure({ userId, rateLimit: 5, timeWindow: 60 })
      const message = 'Hello World'
      for (const bad of [
        { userId },
        { message },
        { userId, message: '' },
        { userId, message: '  \n ' },
        { userId, message: 7 },
        { userId, message: 'x'.repeat(1601) },
        { userId: '1', message },
        { userId: -1, message },
        { userId: 1.5, message },
        [],
      ]) {
        assert.deepEqual(await say(bad), BAD, JSON.stringify(bad).slice(0, 60))
      }
      const { status, text } = await gateway.call('POST', '/api/send', '{"userId": 1, "mess')
      assert.deepEqual([status, text], BAD)
    })
  })
}
