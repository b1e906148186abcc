import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgainstResults, toAgainstMarkdown } from './against-report.ts'

const results = (parts: AgainstResults['parts']): AgainstResults => ({
  at: '2026-01-01T00:00:00.000Z',
  machine: { cpu: 'some', cores: 2, memoryGb: 1, node: 'v24', kernel: '6', fdatasyncMs: 1, diskIsMemory: false },
  options: { quick: false, seconds: 1, runs: 3, waiting: 1 },
  tookSeconds: 1,
  versions: { ours: 'new', theirs: 'old' },
  parts,
})

test('compares by the median of the ratios within the rounds', () => {
  const taken = (rate: number, rssMb: number) => ({ figures: { 'messages/s': rate, 'MB at the end': rssMb } })
  const rounds = [
    { ours: taken(2300, 100), theirs: taken(1000, 200) },
    { ours: taken(1000, 100), theirs: taken(500, 200) },
    { ours: taken(600, 100), theirs: taken(200, 200) },
  ]
  const text = toAgainstMarkdown(results([{ name: '(c)', target: 2.3, rounds }]))
  assert.match(text, /\| \(c\) \| messages\/s \| 1,000 \| 500 \| 2\.30 × \| 2\.30, 2\.00, 3\.00 \| ≥ 2\.3 × \| ✅ \|/)
  assert.match(text, /\| {2}\| MB at the end \| 100 \| 200 \| 0\.50 × \| 0\.50, 0\.50, 0\.50 \| {2}\| {2}\|/)
})

test('leaves out what failed in every round', () => {
  assert.doesNotMatch(toAgainstMarkdown(results([{ name: '(c)', target: 2.3, rounds: [] }])), /\(c\)/)
})
