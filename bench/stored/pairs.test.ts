import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON } from '../../src/ports/samples.contract.ts'
import { pairsOf } from './pairs.ts'
import { toListMarkdown } from './pairs-report.ts'

test('asks every filter alone and with every other one, never twice', () => {
  const names = pairsOf({ messages: 1_000, until: NOON }).map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const name of ['all', 'tag=rare', 'channel=sms & unknown=false', 'to=… & q=carrier']) {
    assert.ok(names.includes(name), name)
  }
  assert.ok(!names.includes('status=failed & status=expired'))
})

test('reports how many questions took longer than they should', () => {
  const text = toListMarkdown({
    at: '2026-01-01T00:00:00.000Z',
    machine: { cpu: 'some', cores: 2, memoryGb: 1, node: 'v24', kernel: '6', fdatasyncMs: 1, diskIsMemory: false },
    tookSeconds: 1,
    load: 0.5,
    profiles: [
      {
        profile: 'cluster',
        messages: 1_000_000,
        filledPerSecond: 5_000,
        asked: [
          { name: 'tag=rare', found: 2, p50: 60, worst: 70 },
          { name: 'tag=rare, total', found: 2, p50: 4, worst: 5 },
          { name: 'stats/errors', found: 3, p50: 90, worst: 120 },
        ],
      },
    ],
  })
  assert.match(text, /\| first page \| 1 \| 60\.0 ms \| 60\.0 ms \| 60\.0 ms \| 1 ❌ \|/)
  assert.match(text, /\| with total \| 1 \| 4\.00 ms .* 0 ✅ \|/)
  assert.match(text, /\| statistics \| 1 \| 90\.0 ms .* 0 ✅ \|/)
})
