import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryProviderResults } from '../../test/memory/provider-results.ts'
import type { Fact, MessageEvent } from '../domain/message/events.ts'
import { type Instant, instant } from '../lib/time.ts'
import { EMPTY } from '../ports/event-log.ts'
import { ACCEPTED, ACME, ATTEMPTED, createdEntry, DEAD, delivered, NOON, nextEntry } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { openProviderTally } from './provider-tally.ts'

/** The events of a message with these facts. */
function eventsOf(...facts: readonly Fact[]): readonly MessageEvent[] {
  let { event } = createdEntry()
  return facts.map((fact) => {
    event = nextEntry({ revision: EMPTY, event }, fact).event
    return event
  })
}

const END = instant(NOON + 3_600_000)
const sums = async (results: ReturnType<typeof memoryProviderResults>) => results.sum(0 as Instant, END)

test('counts what calls and reports say of a provider', async () => {
  const results = memoryProviderResults()
  const tally = openProviderTally(results)
  for (const event of eventsOf(ATTEMPTED, ACCEPTED, delivered())) tally.observe(event)
  for (const event of eventsOf(ATTEMPTED, DEAD)) tally.observe(event)
  await tally.add()
  await tally.add()
  assert.deepEqual(await sums(results), new Map([[ACME, { succeeded: 2, failed: 1, deadLettered: 1 }]]))
})

test('what could not be added is added later', async () => {
  const results = memoryProviderResults()
  let isDown = true
  const tally = openProviderTally({
    add: async (counts) => {
      if (isDown) throw new Unavailable('PostgreSQL is unreachable')
      await results.add(counts)
    },
  })
  const [, accepted] = eventsOf(ATTEMPTED, ACCEPTED)
  assert.ok(accepted !== undefined)
  tally.observe(accepted)
  await assert.rejects(tally.add(), Unavailable)
  tally.observe(accepted)
  isDown = false
  await tally.add()
  assert.equal((await sums(results)).get(ACME)?.succeeded, 2)
})
