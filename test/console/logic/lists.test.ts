/** What the lists share: CSV and ranges of time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toCsvLine as toConsoleLine } from '../../../console/src/ui/csv.ts'
import { PRESETS, toRange } from '../../../console/src/ui/filters/presets.ts'
import { toCsvLine } from '../../../src/lib/csv.ts'

test('writes the same CSV as the API', () => {
  assert.equal(
    toConsoleLine(['a,b', 'say "hi"', '=1+1', '@x', '+*******0100', 'é']),
    `"a,b","say ""hi""",'=1+1,'@x,'+*******0100,é\r\n`,
  )
  const text = fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '"', ',', '\r', '\n', '\t', 'a', '＝', ' ') })
  fc.assert(fc.property(fc.array(text), (cells) => assert.equal(toConsoleLine(cells), toCsvLine(cells))))
})

test('ranges of time begin and end at midnight where they are days', () => {
  const now = new Date(2030, 2, 10, 15, 30)
  const at = (...time: [number, number, number, number?, number?]): string => new Date(...time).toISOString()
  assert.deepEqual(toRange('hour', now), { from: at(2030, 2, 10, 14, 30), to: undefined })
  assert.deepEqual(toRange('today', now), { from: at(2030, 2, 10), to: undefined })
  assert.deepEqual(toRange('yesterday', now), { from: at(2030, 2, 9), to: at(2030, 2, 10) })
  assert.equal(Date.parse(toRange('week', now).from), now.getTime() - 7 * 86_400_000)
  for (const preset of PRESETS) assert.ok(toRange(preset, now).from < now.toISOString())
})
