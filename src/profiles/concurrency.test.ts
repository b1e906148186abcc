import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../config/config.ts'
import type { ProviderName } from '../domain/ids.ts'
import { instant } from '../lib/time.ts'
import { concurrencyOf, slotsOf } from './concurrency.ts'

const NOW = instant(1_750_000_000_000)
const NAME = 'one' as ProviderName

const configOf = (providers: number, rest: Partial<Config> = {}) => ({
  profile: 'embedded' as const,
  providers: new Array<Config['providers'][number]>(providers).fill({ name: NAME } as Config['providers'][number]),
  ...rest,
})

/** How many calls of new bulk messages find a slot. */
function countSlots(config: ReturnType<typeof configOf>): number {
  const slots = slotsOf(config)
  let taken = 0
  while (slots.enter(NAME, { lane: 'bulk', since: NOW }, NOW).kind === 'slot') taken += 1
  return taken
}

test('a single provider has a slot for every job', () => {
  for (const rest of [{}, { concurrency: 16 }, { profile: 'cluster' as const }]) {
    const config = configOf(1, rest)
    assert.equal(countSlots(config), concurrencyOf(config))
  }
  assert.equal(concurrencyOf(configOf(1)), 512)
})

test('with several providers none can take every job, and some slots are reserved', () => {
  const config = configOf(2, { profile: 'cluster' })
  assert.deepEqual([countSlots(config), concurrencyOf(config)], [48, 128])
  assert.equal(concurrencyOf(configOf(3, { concurrency: 10 })), 30)
  assert.equal(concurrencyOf(configOf(100, { concurrency: 10 })), 80)
})
