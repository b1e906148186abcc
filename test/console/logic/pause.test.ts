/** How long a provider is paused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseEnd, pauseSeconds } from '../../../console/src/pages/providers/pause.ts'

const NOW = new Date(2026, 0, 15, 21, 30).getTime()

test('a pause ends after its time, or tomorrow at eight', () => {
  assert.equal(pauseEnd('15m', undefined, NOW), NOW + 900_000)
  assert.equal(pauseEnd('1h', undefined, NOW), NOW + 3_600_000)
  assert.equal(pauseEnd('tomorrow', undefined, NOW), new Date(2026, 0, 16, 8).getTime())
  assert.equal(
    pauseEnd('tomorrow', undefined, new Date(2026, 0, 31, 0, 5).getTime()),
    new Date(2026, 1, 1, 8).getTime(),
  )
  assert.equal(pauseEnd('chosen', new Date(NOW + 5_000).toISOString(), NOW), NOW + 5_000)
  assert.equal(pauseEnd('chosen', undefined, NOW), undefined)
})

test('a pause does not end before its time, and is at least a second and at most a week', () => {
  assert.equal(pauseSeconds(NOW + 90_400, NOW), 91)
  assert.equal(pauseSeconds(NOW + 604_800_000, NOW), 604_800)
  for (const end of [undefined, Number.NaN, NOW, NOW - 1, NOW + 604_801_000])
    assert.equal(pauseSeconds(end, NOW), undefined)
})
