import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, later, millis, parseInstant, seconds, toIso } from './time.ts'

test('durations are whole milliseconds', () => {
  assert.equal(millis(1.4), 1)
  assert.equal(millis(1.5), 2)
  assert.equal(seconds(0.0014), 1)
  assert.equal(seconds(60), 60_000)
})

test('an instant moves by a duration', () => {
  assert.equal(later(instant(1_000), seconds(2)), 3_000)
  assert.equal(later(instant(1_000), millis(-1)), 999)
})

test('an instant is formatted in UTC and parsed back', () => {
  assert.equal(toIso(instant(0)), '1970-01-01T00:00:00.000Z')
  const moment = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(fc.property(moment, (date) => assert.equal(parseInstant(toIso(instant(date.getTime()))), date.getTime())))
})

test('parses every RFC 3339 form of an instant', () => {
  const noon = Date.UTC(2030, 0, 31, 12)
  for (const text of ['2030-01-31T12:00:00Z', '2030-01-31t12:00:00z', '2030-01-31T09:00:00-03:00']) {
    assert.equal(parseInstant(text), noon, text)
  }
  assert.equal(parseInstant('2030-01-31T12:00:00.25Z'), noon + 250)
  assert.equal(parseInstant('2028-02-29T00:00:00Z'), Date.UTC(2028, 1, 29))
})

test('rejects invalid instants', () => {
  const wrong = [
    '',
    'tomorrow',
    '2030-01-31',
    '2030-01-31T12:00:00',
    '2030-01-31 12:00:00Z',
    '2030-01-31T12:00Z',
    '2030-13-01T12:00:00Z',
    '2030-02-30T12:00:00Z',
    '2030-02-29T12:00:00Z',
    '2030-01-00T12:00:00Z',
    '2030-01-31T24:00:00Z',
    '2030-01-31T12:60:00Z',
    '2030-01-31T12:00:00+25:00',
    '2030-01-31T12:00:00Z\n',
    '+02030-01-31T12:00:00Z',
  ]
  for (const text of wrong) assert.equal(parseInstant(text), undefined, JSON.stringify(text))
})
