import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLimitedSends } from '../../test/memory/limited-sends.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { LIMITED_KEPT_FOR, type LimitedMinute } from '../ports/limited-sends.ts'
import { MINUTE } from '../ports/provider-results.ts'
import { hours, NOON, tenant } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { openLimitedTally } from './limited-tally.ts'

const TENANT = tenant('north')

function openWorld() {
  const world = { at: NOON, isDown: false, added: [] as LimitedMinute[] }
  const stored = memoryLimitedSends()
  const add = async (counts: readonly LimitedMinute[]): Promise<void> => {
    if (world.isDown) throw new Unavailable('the database is away')
    world.added.push(...counts)
    await stored.add(counts)
  }
  const tally = openLimitedTally({ ...stored, add }, () => world.at)
  const buckets = () => stored.stats({ tenantId: TENANT, from: NOON, to: later(NOON, hours(1)), bucket: MINUTE })
  return { world, tally, buckets }
}

test('refused sends are added by minute and channel, each once', async () => {
  const { world, tally, buckets } = openWorld()
  for (let nth = 0; nth < 3; nth += 1) tally.onLimited({ tenantId: TENANT, channel: 'sms' })
  tally.onLimited({ tenantId: TENANT, channel: 'email' })
  world.at = later(NOON, seconds(60))
  tally.onLimited({ tenantId: TENANT, channel: 'sms' })
  await tally.add()
  await tally.add()
  assert.equal(world.added.length, 3)
  assert.deepEqual(await buckets(), [
    { start: NOON, channel: 'email', count: 1 },
    { start: NOON, channel: 'sms', count: 3 },
    { start: later(NOON, seconds(60)), channel: 'sms', count: 1 },
  ])
})

test('what cannot be added is added later', async () => {
  const { world, tally, buckets } = openWorld()
  tally.onLimited({ tenantId: TENANT, channel: 'sms' })
  world.isDown = true
  await assert.rejects(tally.add(), Unavailable)
  tally.onLimited({ tenantId: TENANT, channel: 'sms' })
  world.isDown = false
  await tally.add()
  assert.deepEqual(await buckets(), [{ start: NOON, channel: 'sms', count: 2 }])
})

test('forgets what is no longer kept', async () => {
  const { world, tally, buckets } = openWorld()
  tally.onLimited({ tenantId: TENANT, channel: 'sms' })
  await tally.add()
  world.at = later(NOON, LIMITED_KEPT_FOR)
  await tally.forget()
  assert.equal((await buckets()).length, 1)
  world.at = later(world.at, millis(1))
  await tally.forget()
  assert.deepEqual(await buckets(), [])
})
