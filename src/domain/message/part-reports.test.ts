import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant } from '../../lib/time.ts'
import { decisive, ofWhole, PART_STATES, type PartReport, type PartState } from './part-reports.ts'

const reportOf = (state: PartState, at = 1_000): PartReport => ({ state, at: instant(at) })
const report = fc.record({ state: fc.constantFrom(...PART_STATES), at: fc.nat().map(instant) })

test('a final report replaces an accepted one, and the first final report stays', () => {
  const [accepted, delivered, dropped] = [reportOf('accepted'), reportOf('delivered'), reportOf('dropped')]
  assert.equal(decisive(undefined, accepted), accepted)
  assert.equal(decisive(accepted, delivered), delivered)
  assert.equal(decisive(delivered, accepted), delivered)
  assert.equal(decisive(delivered, dropped), delivered)
  assert.equal(decisive(dropped, delivered), dropped)
})

test('the whole is undecided without a report, or while some parts are delivered and others unreported', () => {
  assert.equal(ofWhole([]), undefined)
  assert.equal(ofWhole([undefined, undefined]), undefined)
  assert.equal(ofWhole([reportOf('delivered'), undefined]), undefined)
})

test('the whole is accepted while a part is accepted and none is lost', () => {
  const accepted = reportOf('accepted')
  assert.equal(ofWhole([undefined, accepted]), accepted)
  assert.equal(ofWhole([reportOf('delivered'), accepted]), accepted)
})

test('the whole is delivered with its last delivered part', () => {
  const last = reportOf('delivered', 3_000)
  assert.equal(ofWhole([reportOf('delivered', 1_000), last, reportOf('delivered', 2_000)]), last)
})

test('one lost part loses the whole, whatever the other reports', () => {
  const lost: PartReport = { ...reportOf('dropped'), code: 'EXPIRED', detail: 'The phone was off for days' }
  for (const others of [[], [undefined], [reportOf('accepted')], [reportOf('delivered')]]) {
    assert.equal(ofWhole([...others, lost]), lost)
    assert.equal(ofWhole([lost, ...others]), lost)
  }
})

test('the report of the whole is one of its parts, and its final state never changes', () => {
  const parts = fc.array(fc.option(report, { nil: undefined }), { maxLength: 6 })
  const property = fc.property(parts, fc.nat({ max: 5 }), report, (before, index, next) => {
    const whole = ofWhole(before)
    assert.ok(whole === undefined || before.includes(whole))
    const after = before.map((current, at) => (at === index ? decisive(current, next) : current))
    if (whole?.state === 'delivered' || whole?.state === 'dropped') assert.equal(ofWhole(after)?.state, whole.state)
  })
  fc.assert(property, { numRuns: 1_000 })
})
