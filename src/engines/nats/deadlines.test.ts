import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../ports/unavailable.ts'
import { withTimeout } from './deadlines.ts'

test('withTimeout rejects with Unavailable when the time is up, and ignores a later rejection', async () => {
  const { promise, reject } = Promise.withResolvers<string>()
  await assert.rejects(withTimeout(1, promise), Unavailable)
  reject(new Error('too late'))
  assert.equal(await withTimeout(1_000, Promise.resolve('in time')), 'in time')
  await assert.rejects(withTimeout(1_000, Promise.reject(new RangeError('its own'))), RangeError)
})
