/** Limits while Redis is killed, frozen or restarted, and while NATS or PostgreSQL is unreachable. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { someSms } from '../support/sms.ts'
import { shareTimedCluster, type TimedGateway } from '../support/timed-gateway.ts'
import { until } from '../support/until.ts'

const LIMIT = 60
const BURST = 20
/** The longest time a client waits when Redis does not answer. */
const SLOWEST_MS = 2_000

await describe('a cluster that loses a server', async () => {
  const gateway = await shareTimedCluster({ own: true })
  const { redis, postgres, nats } = partsOf(gateway)
  let lastUser = 0

  async function newUser(rateLimit: number): Promise<number> {
    lastUser += 1
    const { status } = await gateway.call('POST', '/api/config', { userId: lastUser, rateLimit, timeWindow: 60 })
    assert.equal(status, 200)
    return lastUser
  }
  const sendTo = async (userId: number) => {
    const askedAt = performance.now()
    const { status, text } = await gateway.call('POST', '/api/send', { userId, message: 'Hello World' })
    return { status, text, tookMs: performance.now() - askedAt }
  }
  /** How many of `count` concurrent calls were accepted. */
  async function burst(userId: number): Promise<number> {
    const answers = await Promise.all(Array.from({ length: BURST }, () => sendTo(userId)))
    for (const { status, text, tookMs } of answers) {
      assert.ok(status === 200 || status === 429, `${status} ${text}`)
      assert.ok(tookMs < SLOWEST_MS, `${tookMs} ms`)
    }
    return answers.filter(({ status }) => status === 200).length
  }
  const decider = async (): Promise<unknown> => {
    const { body } = await gateway.call<{ dependencies: { redis: { ok: boolean } } }>('GET', '/health/ready')
    return body.dependencies.redis.ok
  }

  /** Counts are stored within a quarter of a second; a fault after that loses none. */
  const outages: readonly (readonly [string, () => Promise<void>, () => Promise<void>])[] = [
    ['killed and restarted empty', () => redis.kill(), () => redis.start()],
    ['frozen and continues later', async () => redis.freeze(), async () => redis.thaw()],
  ]
  for (const [name, inject, recover] of outages) {
    test(`S5-P11 a limit holds while Redis is ${name}`, async () => {
      const userId = await newUser(LIMIT)
      const before = await burst(userId)
      await inject()
      const without = await burst(userId)
      await recover()
      await until('Redis to recover', decider)
      const after = (await burst(userId)) + (await burst(userId))
      const most = LIMIT + BURST
      const accepted = before + without + after
      assert.ok(accepted >= LIMIT && accepted <= most, `${before} + ${without} + ${after}`)
      assert.equal((await sendTo(userId)).status, 429)
    })
  }

  test('S5-P5 a text is refused while the log is unreachable, and not counted while Redis is unreachable too', async () => {
    const userId = await newUser(1)
    await redis.kill()
    await nats.stop()
    const refused = await sendTo(userId)
    assert.deepEqual([refused.status, refused.text], [503, 'Kafka Down : Service Unavailable'])
    await nats.restart()
    await until('the log to accept it', async () => (await sendTo(userId)).status === 200)
    assert.equal((await sendTo(userId)).status, 429)
    await redis.start()
    await until('Redis to recover', decider)
    assert.equal((await sendTo(userId)).status, 429)
  })

  test('S5-P9 while PostgreSQL is unreachable users that Redis has can be sent to, limits hold and cannot be changed', async () => {
    const [userId, unseen] = [await newUser(2), await newUser(2)]
    await sendTo(userId)
    await postgres.stop()
    try {
      const config = { userId, rateLimit: 5, timeWindow: 5 }
      const changed = await gateway.call('POST', '/api/config', config)
      assert.deepEqual([changed.status, changed.text], [503, 'Postgres Down : Service Unavailable'])
      assert.deepEqual([(await sendTo(userId)).status, (await sendTo(userId)).status], [200, 429])
      const unread = await sendTo(unseen)
      assert.deepEqual([unread.status, unread.text], [503, 'Postgres Down : Service Unavailable'])
      assert.equal((await gateway.call('POST', '/v1/sms/send', someSms())).status, 202)
    } finally {
      await postgres.start()
    }
    await until('the database to answer', async () => (await sendTo(unseen)).status === 200)
    assert.equal((await sendTo(userId)).status, 429)
  })
})

function partsOf({ cluster }: TimedGateway) {
  const [redis, postgres, nats] = [cluster?.redis.faults, cluster?.postgres.faults, cluster?.nats.faults]
  if (redis === undefined || postgres === undefined || nats === undefined) throw new Error('nothing here may be harmed')
  return { redis, postgres, nats }
}
