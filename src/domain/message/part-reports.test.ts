import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant } from '../../lib/time.ts'
import { decisive, ofWhole, PART_STATES, type PartReport, type PartState } from './part-reports.ts'

const told = (state: PartState, at = 1_000): PartReport => ({ state, at: instant(at) })
const report = fc.record({ state: fc.constantFrom(...PART_STATES), at: fc.nat().map(instant) })

test('of two reports the one that tells how it ended counts, and of two ends the first', () => {
  const [accepted, delivered, dropped] = [told('accepted'), told('delivered'), told('dropped')]
  assert.equal(decisive(undefined, accepted), accepted)
  assert.equal(decisive(accepted, delivered), delivered)
  assert.equal(decisive(delivered, accepted), delivered)
  assert.equal(decisive(delivered, dropped), delivered)
  assert.equal(decisive(dropped, delivered), dropped)
})

test('nothing is said of the whole before something is said of a part', () => {
  assert.equal(ofWhole([]), undefined)
  assert.equal(ofWhole([undefined, undefined]), undefined)
  assert.equal(ofWhole([told('delivered'), undefined]), undefined)
})

test('the whole is accepted while a part is, and nothing else is known', () => {
  const accepted = told('accepted')
  assert.equal(ofWhole([undefined, accepted]), accepted)
  assert.equal(ofWhole([told('delivered'), accepted]), accepted)
})

test('the whole has arrived when the last of its parts has, whichever that is', () => {
  const last = told('delivered', 3_000)
  assert.equal(ofWhole([told('delivered', 1_000), last, told('delivered', 2_000)]), last)
})

test('one part that is lost loses the whole, whatever became of the others', () => {
  const lost: PartReport = { ...told('dropped'), code: 'EXPIRED', detail: 'The phone was off for days' }
  for (const others of [[], [undefined], [told('accepted')], [told('delivered')]]) {
    assert.equal(ofWhole([...others, lost]), lost)
    assert.equal(ofWhole([lost, ...others]), lost)
  }
})

test('what is said of the whole was said of one of its parts, and an end once told stays told', () => {
  const parts = fc.array(fc.option(report, { nil: undefined }), { maxLength: 6 })
  const property = fc.property(parts, fc.nat({ max: 5 }), report, (before, place, next) => {
    const whole = ofWhole(before)
    assert.ok(whole === undefined || before.includes(whole))
    const after = before.map((known, at) => (at === place ? decisive(known, next) : known))
    if (whole?.state === 'delivered' || whole?.state === 'dropped') assert.equal(ofWhole(after)?.state, whole.state)
  })
  fc.assert(property, { numRuns: 1_000 })
})
