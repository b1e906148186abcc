import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { instant } from '../../lib/time.ts'
import { MINUTE } from '../../ports/provider-results.ts'
import { openAlertWorld } from './alerts.fixture.ts'
import { watchResults } from './watch-results.ts'

const ACME = 'acme' as ProviderName

async function open() {
  const world = openAlertWorld({ openEngine: openMemoryEngine, ids: openIds() })
  const { providerResults } = world.engine
  await world.addEndpoint(['provider.degraded', 'provider.recovered', 'dead_letters.high'])
  const minute = () => instant(world.clock() - (world.clock() % MINUTE))
  return {
    ...world,
    look: () => watchResults({ ...world.deps, providerResults, deadLettersPerHour: 10 }),
    count: (succeeded: number, failed: number, deadLettered = 0) =>
      providerResults.add([{ provider: ACME, minute: minute(), succeeded, failed, deadLettered }]),
  }
}

test('a provider that is worse than usual is told once, and that it has recovered', async () => {
  const { look, count, told, pass } = await open()
  await count(500, 0)
  pass(3_600)
  await look()
  assert.deepEqual(await told(), [])

  await count(40, 20)
  await look()
  pass(60)
  await count(0, 30)
  await look()
  const [degraded, ...others] = await told()
  assert.deepEqual(others, [])
  assert.ok(degraded?.kind === 'provider.degraded')
  assert.deepEqual([degraded.provider, degraded.successRate, degraded.usualRate], [ACME, 0.667, 1])

  pass(700)
  await look()
  assert.deepEqual(await told(), [], 'no results say nothing')
  await count(100, 1)
  await look()
  assert.deepEqual(
    (await told()).map(({ kind }) => kind),
    ['provider.recovered'],
  )
})

test('many dead letters within an hour are told once, until there are fewer', async () => {
  const { look, count, told, pass } = await open()
  await count(0, 0, 9)
  await look()
  assert.deepEqual(await told(), [])
  pass(600)
  await count(0, 0, 1)
  for (let round = 0; round < 3; round += 1) await look()
  const [high, ...others] = await told()
  assert.deepEqual(others, [])
  assert.ok(high?.kind === 'dead_letters.high')
  assert.deepEqual([high.count, high.threshold], [10, 10])
  pass(3_700)
  await look()
  assert.deepEqual(await told(), [])
  await count(0, 0, 10)
  await look()
  assert.equal((await told()).length, 1)
})
