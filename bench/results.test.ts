import assert from 'node:assert/strict'
import { test } from 'node:test'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import type { Codes } from './codes.ts'
import type { Email } from './email.ts'
import type { EndToEnd } from './end-to-end.ts'
import type { Measured } from './measure.ts'
import { toMarkdown } from './report.ts'
import { type Results, toVerdicts } from './results.ts'
import type { Stretch } from './stretch.ts'

const measured = (messagesPerSecond: number, p99 = 1): Measured => ({
  load: {
    answers: 1,
    seconds: 1,
    perSecond: messagesPerSecond,
    latency: { p50: p99, p90: p99, p99, p999: p99, max: p99, mean: p99 },
    lateness: { p50: 0, p90: 0, p99: 0, p999: 0, max: 0, mean: 0 },
    statuses: { 202: 1 },
    lost: 0,
    cpuMicrosPerAnswer: 1,
  },
  messagesPerSecond,
  cpu: { main: 1, hashing: 2 },
  othersCores: 0,
  rssMb: 100,
  outPerSecond: undefined,
})

const results = (parts: Partial<Results>): Results => ({
  at: '2026-01-01T00:00:00.000Z',
  machine: { cpu: 'some', cores: 2, memoryGb: 1, node: 'v24', kernel: '6', fdatasyncMs: 1, diskIsMemory: false },
  options: { quick: false, seconds: 1, runs: 3, waiting: 1 },
  tookSeconds: 1,
  ...parts,
})

const runs = (...rates: readonly number[]): readonly Measured[] => rates.map((rate) => measured(rate))

test('compares accepting with limits to accepting without, by their medians', () => {
  const given = {
    accept: runs(900, 1000, 5000),
    limits: { limited: runs(10, 850, 900), decisions: { fresh: 200_000, known: 1e6 } },
  }
  const [, limited, fresh, known] = toVerdicts(results(given))
  assert.deepEqual(
    [limited?.part, limited?.measured, limited?.target, limited?.met],
    ['g', '850/s = 0.85 × (b)', '≥ 0.85 × (b)', true],
  )
  assert.deepEqual([fresh?.measured, known?.measured], ['200,000/s, 5.0 µs each', '1,000,000/s, 1.0 µs each'])
  const slower = toVerdicts(results({ ...given, limits: { limited: runs(849) } }))
  assert.deepEqual([slower.length, slower[1]?.met], [2, false])
})

const codes = (more: Partial<Codes>): Codes => ({
  cost: 10,
  raw: [38, 40, 42],
  validating: runs(31, 32, 33),
  alone: [measured(1000, 5), measured(1000, 4), measured(1000, 90)],
  beside: [measured(1000, 9), measured(1000, 10), measured(1000, 11)].map((accept) => ({
    accept,
    validationsPerSecond: 20,
  })),
  ...more,
})

test('compares codes to bcrypt alone, and accepting beside them by its p99', () => {
  const verdicts = toVerdicts(results({ codes: codes({}) }))
  assert.deepEqual(
    verdicts.map(({ measured, met }) => [measured, met]),
    [
      ['40/s', undefined],
      ['32/s = 0.80 × bcrypt alone', true],
      ['5.00 ms', undefined],
      ['10.0 ms = 2.00 × alone', true],
    ],
  )
})

test('misses the target with too few codes or too high a p99', () => {
  const slow = codes({ validating: runs(31), alone: [measured(1000, 4)] })
  assert.deepEqual(
    toVerdicts(results({ codes: slow })).map(({ met }) => met),
    [undefined, false, undefined, false],
  )
})

test('compares a working provider beside a hanging one to itself alone, by the medians', () => {
  const hanging = { pace: 400, alone: [390, 400, 410], beside: [100, 360, 400] }
  const verdictOf = (more: object) =>
    toVerdicts(results({ providers: { latencyMs: 50, distant: [], hanging: { ...hanging, ...more } } }))
  const [verdict, ...others] = verdictOf({})
  assert.deepEqual([verdict?.measured, verdict?.met, others], ['360/s = 0.90 × alone', true, []])
  assert.equal(verdictOf({ beside: [359] })[0]?.met, false)
  assert.deepEqual(toVerdicts(results({ providers: { latencyMs: 50, distant: [] } })), [])
})

const endToEnd = (perSecond: number): EndToEnd => {
  const { load, cpu, othersCores } = measured(perSecond)
  const held: Stretch = {
    load,
    cpu,
    othersCores,
    acceptedPerSecond: perSecond,
    handedOffPerSecond: perSecond,
    deliveredPerSecond: perSecond,
    endToEndPerSecond: perSecond,
    backlogGrowthPerSecond: 0,
    backlogMax: 1,
    sustained: true,
  }
  return { closedLoop: held, held, tries: [], deliveredAfterSeconds: 0, indexedAfterSeconds: 0 }
}

test('compares SMPP to the simulator, and accepts the lower of two targets', () => {
  const verdictOf = (smpp: number, simulated?: number) => {
    const parts = omitUndefined({
      smpp: endToEnd(smpp),
      endToEnd: simulated === undefined ? undefined : endToEnd(simulated),
    })
    const verdict = toVerdicts(results(parts)).find(({ part }) => part === 'j')
    return [verdict?.measured, verdict?.met]
  }
  assert.deepEqual(verdictOf(800, 1000), ['800/s = 0.80 × (c)', true])
  assert.deepEqual(verdictOf(799, 1000), ['799/s = 0.80 × (c)', false])
  assert.deepEqual(verdictOf(3000, 5000), ['3,000/s = 0.60 × (c)', true])
  assert.deepEqual(
    [verdictOf(3000), verdictOf(2999)],
    [
      ['3,000/s', true],
      ['2,999/s', false],
    ],
  )
  assert.match(toMarkdown(results({ smpp: endToEnd(1) })), /\| \(j\) by SMPP \|/)
})

const email = (more: Partial<Email>): Email => ({
  nodemailer: [990, 1000, 1500].map((perSecond) => ({ perSecond, cpu: { nodemailer: 1, sink: 1 }, othersCores: 0 })),
  sent: [600, 700, 900].map((perSecond) => endToEnd(perSecond).held),
  alone: [measured(500, 4), measured(500, 5), measured(500, 90)],
  beside: [measured(500, 9), measured(500, 10), measured(500, 11)].map((accept) => ({
    accept,
    mails: measured(5).load,
  })),
  ...more,
})

test('compares emails to nodemailer alone, and accepting beside large ones by its p99', () => {
  assert.deepEqual(
    toVerdicts(results({ email: email({}) })).map(({ part, measured, met }) => [part, measured, met]),
    [
      ['k1', '1,000/s', undefined],
      ['k1', '700/s = 0.70 × nodemailer alone', true],
      ['k1', '0/s, at most 1', true],
      ['k2', '5.00 ms', undefined],
      ['k2', '10.0 ms = 2.00 × alone', true],
    ],
  )
  const worse = email({ sent: [endToEnd(699).held], alone: [measured(500, 4.9)] })
  assert.deepEqual(
    toVerdicts(results({ email: worse })).map(({ met }) => met),
    [undefined, false, true, undefined, false],
  )
  const text = toMarkdown(results({ email: email({}) }))
  for (const name of ['(k1) nodemailer alone', '(k1) mails', '(k2) half of (b)', '(k2) beside mails']) {
    assert.ok(text.includes(`| ${name} |`), name)
  }
})

test('warns about refused emails', () => {
  const [first] = email({}).beside
  assert.ok(first)
  const beside = [{ ...first, mails: { ...first.mails, statuses: { 413: 1 } } }]
  assert.match(toMarkdown(results({ email: email({ beside }) })), /answered with 413/)
})

test('leaves out what was not measured', () => {
  const nothing = codes({ raw: [], validating: [], alone: [], beside: [] })
  const noMails = email({ nodemailer: [], sent: [], alone: [], beside: [] })
  assert.deepEqual(toVerdicts(results({ codes: nothing, limits: { limited: [] }, email: noMails })), [])
})

test('the report shows CPU usage and warns about refused guesses', () => {
  const [refused] = runs(32)
  assert.ok(refused)
  const validating = [{ ...refused, load: { ...refused.load, statuses: { 404: 1 } } }]
  const text = toMarkdown(results({ codes: codes({ validating }), limits: { limited: runs(1) } }))
  assert.match(text, /answered with 404/)
  for (const name of ['(g) under limits', '(h) validating codes', '(h) a quarter of (b)', '(h) beside codes']) {
    assert.ok(text.includes(`| ${name} |`), name)
  }
})
