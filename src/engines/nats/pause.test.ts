import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../ports/unavailable.ts'
import { within } from './pause.ts'

test('what does not come in time is unavailable, and what comes of it later is nobody’s business', async () => {
  const { promise, reject } = Promise.withResolvers<string>()
  await assert.rejects(within(1, promise), Unavailable)
  reject(new Error('too late to matter'))
  assert.equal(await within(1_000, Promise.resolve('in time')), 'in time')
  await assert.rejects(within(1_000, Promise.reject(new RangeError('its own'))), RangeError)
})
