import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { millis } from '../../lib/time.ts'
import { attemptTo, clock, newPath, TENANT } from './fixture.ts'
import { toHandover } from './handover.ts'
import { SimulatorLink } from './link.ts'
import { toRow } from './mail.ts'

const PACE = { latency: millis(0), receiptDelay: millis(20), slow: millis(60), limbo: millis(30) }

/** The cells of a message. */
function newRow(attempt = attemptTo('+4712345678')) {
  const handover = toHandover(attempt, 'http://127.0.0.1:1/')
  assert.ok(handover.channel === 'sms')
  return toRow(handover, clock())
}

test('closing writes messages that wait for others to be written', async (t) => {
  const data = { path: await newPath(t), pace: PACE, alone: false }
  const link = await SimulatorLink.open(data)
  const first = link.receive(newRow())
  // It is posted at the end of the turn; those that follow wait until it is written.
  await nextTurn()
  const second = link.receive(newRow())
  const third = link.receive(newRow())
  assert.notEqual(first, second)
  assert.equal(second, third)
  await link.close(new Map())
  assert.deepEqual(await Promise.all([first, second]), [{ kind: 'written' }, { kind: 'written' }])

  const reopened = await SimulatorLink.open(data)
  t.after(() => reopened.close(new Map()))
  assert.equal((await reopened.call('inbox', { tenantId: TENANT, limit: 10 })).length, 3)
})

test('a call sees messages that wait for others to be written', async (t) => {
  const link = await SimulatorLink.open({ path: await newPath(t), pace: PACE, alone: false })
  t.after(() => link.close(new Map()))
  void link.receive(newRow())
  await nextTurn()
  const attempt = attemptTo('+4712345678')
  void link.receive(newRow(attempt))
  assert.deepEqual((await link.call('find', attempt.id))?.ref, attempt.ref)
})

test('refuses messages once it is closed', async (t) => {
  const link = await SimulatorLink.open({ path: await newPath(t), pace: PACE, alone: false })
  await link.close(new Map())
  assert.equal((await link.receive(newRow())).kind, 'refused')
})
