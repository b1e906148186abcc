import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoadReport } from '../load.ts'
import type { Machine } from '../machine.ts'
import { type IsolationResults, toIsolationMarkdown, toIsolationVerdicts } from './report.ts'

const load = (p99: number) => ({ latency: { p99 } }) as LoadReport
const beside = (health: number, text: number, templated: number) => ({
  health: load(health),
  text: load(text),
  templated: load(templated),
})
const guessing = (slowestMs: number) => ({ slowestMs, usualMs: 60, generated: 9, answers: { '404 NOT_FOUND': 100 } })

const RESULTS: IsolationResults = {
  at: '2030-01-31T12:00:00.000Z',
  machine: {} as Machine,
  tookSeconds: 1,
  seconds: 10,
  burning: {
    rounds: [
      { usual: beside(1, 2, 4), attacked: beside(50, 3, 9) },
      { usual: beside(1, 2, 4), attacked: beside(10, 4, 8.1) },
      { usual: beside(1, 2, 4), attacked: beside(10, 40, 8) },
    ],
    previews: { 200: 0, 400: 30, 429: 1_200 },
    batchItems: {},
  },
  guessing: { unknown: guessing(1_000), own: guessing(1_001) },
  reading: {
    rounds: [19, 20.1, 40].map((beside) => ({ usual: load(10), beside: load(beside) })),
    searches: { 200: 90, 429: 7 },
  },
  streaming: { usualSeconds: 1, besideSeconds: 2, streams: { 200: 100, 429: 900 } },
}

test('compares with the bars, and with the usual of the same run', () => {
  const verdicts = toIsolationVerdicts(RESULTS)
  assert.deepEqual(
    verdicts.flatMap(({ met }) => (met === undefined ? [] : [met])),
    [true, true, false, true, false, false, true],
  )
  assert.ok(verdicts.some(({ measured }) => measured.startsWith('2.00 × its usual, the median of 3.00 ms of 2.00 ms')))
  assert.ok(verdicts.some(({ measured }) => measured.includes('1,200 × 429')))
})

test('parts that were not measured are left out', () => {
  const { burning: _1, guessing: _2, reading: _3, streaming: _4, ...nothing } = RESULTS
  assert.deepEqual(toIsolationVerdicts(nothing), [])
  const machine = { cpu: 'a CPU', cores: 2, memoryGb: 4, node: '24', kernel: '6', fdatasyncMs: 1 } as Machine
  assert.match(toIsolationMarkdown({ ...nothing, machine }), /^# What one tenant costs another\n/)
})
