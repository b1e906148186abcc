import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoadReport } from '../load.ts'
import type { Stretch } from '../stretch.ts'
import { toLimit } from './report.ts'

const stretch = (cpu: Stretch['cpu'], deliveredPerSecond: number): Stretch => ({
  load: {} as LoadReport,
  acceptedPerSecond: deliveredPerSecond,
  handedOffPerSecond: deliveredPerSecond,
  deliveredPerSecond,
  endToEndPerSecond: deliveredPerSecond,
  backlogGrowthPerSecond: 0,
  rssMb: 1,
  backlogMax: 0,
  sustained: true,
  cpu,
  othersCores: 0,
})

test('reports a saturated machine before a saturated process', () => {
  const limit = toLimit(stretch({ 'nats-server': 480, 'api 1': 470 }, 2000), 2)
  assert.deepEqual(limit, ['nats-server, 96 % of a core', '190 % of 200 %', 'the machine: all cores are full'])
})

test('reports a process that saturates a core while others are free', () => {
  const limit = toLimit(stretch({ 'worker 1': 100, 'worker 2': 90, 'api 1': 460 }, 2000), 8)
  assert.deepEqual(limit, ['api 1, 92 % of a core', '130 % of 800 %', 'api 1'])
})

test('reports waiting when nothing is saturated', () => {
  assert.deepEqual(toLimit(stretch({ 'api 1': 100 }, 2000), 2).at(-1), 'no CPU: something waits')
})
