import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TraceId } from '../ids.ts'
import { parseTraceparent, toTraceparent } from './trace.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((text) => /[^0]/.test(text))

test('a span survives writing and parsing', () => {
  fc.assert(
    fc.property(hex(32), hex(16), (traceId, spanId) => {
      const header = toTraceparent({ traceId: traceId as TraceId }, spanId)
      assert.match(header, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      assert.deepEqual(parseTraceparent(header), { traceId, spanId, sampled: true })
    }),
  )
})

test('the caller decides whether its trace is recorded, by one bit', () => {
  const sampledBy = (flags: string) => parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`)?.sampled
  assert.deepEqual(['00', '01', '02', '03', 'fe', 'ff'].map(sampledBy), [false, true, false, true, false, true])
  assert.equal(toTraceparent({ traceId: TRACE as TraceId, unsampled: true }, SPAN), `00-${TRACE}-${SPAN}-00`)
})

test('accepts additional fields of future versions', () => {
  for (const header of [`cc-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-01-what-the-future-holds`]) {
    assert.deepEqual(parseTraceparent(header), { traceId: TRACE, spanId: SPAN, sampled: true })
  }
})

test('a missing or malformed header names no span', () => {
  const wrong = [
    undefined,
    '',
    TRACE,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
  ]
  for (const header of wrong) assert.equal(parseTraceparent(header), undefined, JSON.stringify(header))
})

test('any header is refused or names a span with ids that are not zero', () => {
  const anything = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0af-'), minLength: 50, maxLength: 60 }))
  fc.assert(
    fc.property(anything, (header) => {
      const { traceId, spanId } = parseTraceparent(header) ?? { traceId: TRACE, spanId: SPAN }
      return /^(?!0+$)[0-9a-f]{32}$/.test(traceId) && /^(?!0+$)[0-9a-f]{16}$/.test(spanId)
    }),
  )
})
