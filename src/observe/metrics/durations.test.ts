import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { durations } from './durations.ts'

const BUCKETS = [0.01, 0.1, 1, 2.5]
const NAME = { name: 'pombo_wait_seconds', help: 'How long it took' }
const STATES = ['queued', 'sent'] as const

const observed = fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 10, noNaN: true }))

test('exports what the histogram of prom-client exports for the same observations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observed), async (seconds) => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const observe = durations([ours], { ...NAME, buckets: BUCKETS })()
      const histogram = new Histogram({ ...NAME, buckets: BUCKETS, registers: [theirs] })
      for (const value of seconds) {
        observe(value)
        histogram.observe(value)
      }
      assert.equal(await ours.metrics(), await theirs.metrics())
    }),
  )
})

test('exports each series with its labels from its first observation on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...STATES), observed)), async (all) => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const series = durations([ours], { ...NAME, buckets: BUCKETS, labelNames: ['state'] })
      const timers = Object.fromEntries(STATES.map((state) => [state, series(state)]))
      const histogram = new Histogram({ ...NAME, buckets: BUCKETS, labelNames: ['state'], registers: [theirs] })
      for (const [state, value] of all) {
        timers[state]?.(value)
        histogram.observe({ state }, value)
      }
      assert.deepEqual(linesOf(await ours.metrics()), linesOf(await theirs.metrics()))
    }),
  )
})

/** Series may come in any order. */
const linesOf = (text: string): readonly string[] => text.split('\n').toSorted()

test('a reset starts over', async () => {
  const registry = new Registry()
  const observe = durations([registry], { ...NAME, buckets: BUCKETS })()
  const before = await registry.metrics()
  observe(0.5)
  assert.notEqual(await registry.metrics(), before)
  registry.resetMetrics()
  assert.equal(await registry.metrics(), before)
})
