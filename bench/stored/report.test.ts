import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Stored, toStoredMarkdown } from './report.ts'

const stored = (messages: number, factor: number): Stored => ({
  messages,
  filledPerSecond: 10_000,
  bytesPerMessage: 1_000 * factor,
  readySeconds: factor,
  readyAfterKillSeconds: 2 * factor,
  acceptPerSecond: 5_000 / factor,
  endToEndPerSecond: 4_000,
  rssMb: 200,
  rssAfterMb: 300,
  answers: [{ name: 'dead-letters', found: 12, calls: 200, p50: factor, p99: 3 }],
})

test('has a column for each size, with ratios to the smallest', () => {
  const text = toStoredMarkdown({
    at: '2026-01-01T00:00:00.000Z',
    machine: { cpu: 'some', cores: 2, memoryGb: 1, node: 'v24', kernel: '6', fdatasyncMs: 1, diskIsMemory: false },
    tookSeconds: 1,
    sizes: [stored(10_000, 1), stored(1_000_000, 2)],
  })
  assert.match(text, /\| {2}\| 10,000 messages \| 1,000,000 messages \|/)
  assert.match(text, /at most 1,500: ✅ ❌/)
  assert.match(text, /\| \(b\) durable 202 \| 5,000\/s \| 2,500\/s \(0\.50 ×\) \|/)
  const first = '1\\.00 ms, p99 3\\.00 ms, 12 found'
  const second = '2\\.00 ms \\(2\\.00 ×\\), p99 3\\.00 ms, 12 found'
  assert.match(text, new RegExp(`\\| dead-letters \\| ${first} \\| ${second} \\|`))
})
