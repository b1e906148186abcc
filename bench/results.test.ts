import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Codes } from './codes.ts'
import type { Email } from './email.ts'
import type { EndToEnd } from './end-to-end.ts'
import type { Measured } from './measure.ts'
import type { PeerRun } from './peers/peer.ts'
import { toMarkdown } from './report.ts'
import { type Results, toVerdicts } from './results.ts'
import type { Round } from './rounds.ts'
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
  rounds: [],
  ...parts,
})

const runs = (...rates: readonly number[]): readonly Measured[] => rates.map((rate) => measured(rate))

const rounds = (
  rates: Readonly<Partial<Record<'bare' | 'accept' | 'batch' | 'limited', number>>>[],
): readonly Round[] =>
  rates.map((round) => Object.fromEntries(Object.entries(round).map(([name, rate]) => [name, measured(rate)])))

test('a ratio is the median of the ratios within the rounds, also while the machine gets slower', () => {
  const slowing = [
    { bare: 1000, accept: 420, batch: 830 },
    { bare: 500, accept: 215, batch: 400 },
    { bare: 250, accept: 100, batch: 210 },
  ]
  assert.deepEqual(
    toVerdicts(results({ rounds: rounds(slowing) })).map(({ part, measured, met }) => [part, measured, met]),
    [
      ['a', '500/s', undefined],
      ['b', '215/s = 0.42 × (a)', true],
      ['d', '400/s = 0.83 × (a)', true],
    ],
  )
})

test('compares accepting with limits to accepting without', () => {
  const given = rounds([
    { accept: 900, limited: 10 },
    { accept: 1000, limited: 850 },
    { accept: 1000, limited: 900 },
  ])
  const [, limited, fresh, known] = toVerdicts(results({ rounds: given, decisions: { fresh: 200_000, known: 1e6 } }))
  assert.deepEqual(
    [limited?.part, limited?.measured, limited?.target, limited?.met],
    ['g', '850/s = 0.85 × (b)', '≥ 0.85 × (b)', true],
  )
  assert.deepEqual([fresh?.measured, known?.measured], ['200,000/s, 5.0 µs each', '1,000,000/s, 1.0 µs each'])
  const slower = toVerdicts(results({ rounds: rounds([{ accept: 1000, limited: 849 }]) }))
  assert.deepEqual([slower.length, slower[1]?.met], [2, false])
})

test('leaves a ratio out when no round has both', () => {
  const [bare, accept] = toVerdicts(results({ rounds: rounds([{ bare: 1000 }, { accept: 500 }]) }))
  assert.deepEqual([bare?.measured, accept?.measured, accept?.met], ['1,000/s', '500/s', undefined])
})

const codes = (more: Partial<Codes>): Codes => ({
  cost: 10,
  raw: [38, 40, 42],
  validating: runs(37, 38, 39),
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
      ['38/s = 0.95 × bcrypt alone', true],
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
    rssMb: 100,
    sustained: true,
  }
  return { closedLoop: held, held, tries: [], deliveredAfterSeconds: 0, indexedAfterSeconds: 0 }
}

test('compares SMPP to the simulator, and accepts the lower of two targets', () => {
  const verdictOf = (smpp: number, simulated?: number) => {
    const measuredRounds = simulated === undefined ? [] : [{ endToEnd: endToEnd(simulated) }]
    const verdict = toVerdicts(results({ smpp: endToEnd(smpp), rounds: measuredRounds })).find(
      ({ part }) => part === 'j',
    )
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

const peer = (endToEndPerSecond: number): PeerRun => {
  const { load, rssMb } = measured(endToEndPerSecond)
  return { load, rssMb, endToEndPerSecond }
}

test('compares end to end with bare Fastify and with the peers of the same round', () => {
  const given = [
    {
      bare: measured(1000),
      endToEnd: endToEnd(400),
      endToEndLate: endToEnd(399),
      kannel: peer(500),
      bullmq: peer(321),
    },
  ]
  const verdicts = toVerdicts(results({ rounds: given }))
  const verdictOf = (what: string) => verdicts.find((verdict) => verdict.what.startsWith(what))
  const [soon, late] = [verdictOf('end to end, receipts after 150 ms'), verdictOf('end to end, receipts after 3 s')]
  assert.deepEqual([soon?.measured, soon?.met], ['400/s = 0.40 × (a)', true])
  assert.deepEqual([late?.measured, late?.met], ['399/s = 0.40 × (a)', false])
  const [kannel, bullmq] = [verdictOf('end to end beside Kannel'), verdictOf('end to end beside Fastify')]
  assert.deepEqual([kannel?.measured, kannel?.met], ['0.80 × 500/s', true])
  assert.deepEqual([bullmq?.measured, bullmq?.met], ['1.25 × 321/s', false])
  const text = toMarkdown(results({ rounds: given }))
  assert.match(text, /\| Kannel \| 500\/s \| 500\/s \| 1\.0 ms \| no \| 100 MB \| .*never syncs/)
})

test('the CPU per message leaves out the load generator', () => {
  const verdictOf = (cpu: Readonly<Record<string, number>>) => {
    const { held, ...rest } = endToEnd(1)
    const given = [{ endToEnd: { ...rest, held: { ...held, cpu } } }]
    return toVerdicts(results({ rounds: given })).find(({ what }) => what.startsWith('CPU'))
  }
  assert.deepEqual([verdictOf({ main: 100, store: 50, load: 20 })?.measured], ['150 µs'])
  assert.equal(verdictOf({ main: 100, store: 50, load: 20 })?.met, true)
  assert.equal(verdictOf({ main: 100, store: 51, load: 0 })?.met, false)
})

test('tells the latency at both rates, and how late the load generator was', () => {
  const late = (p99: number): Measured => {
    const one = measured(500, p99)
    return { ...one, load: { ...one.load, lateness: { ...one.load.lateness, p50: 0.5, p99: 2 } } }
  }
  const latencies = { half: [late(9), late(10), late(11)], low: [late(4), late(5.1), late(6)] }
  const p99s = toVerdicts(results({ latencies })).filter(({ what }) => what.startsWith('p99 '))
  assert.deepEqual(
    p99s.map(({ measured, met }) => [measured, met]),
    [
      ['10.0 ms; the load generator itself was late by 0.50 ms (p50) and 2.00 ms (p99)', true],
      ['5.10 ms; the load generator itself was late by 0.50 ms (p50) and 2.00 ms (p99)', false],
    ],
  )
})

test('compares the memory of long queues and the time until ready with the targets', () => {
  const drain = { waiting: 1, seconds: 1, microsPerMessage: 1, heldBack: true }
  const backlog = { rssMb: 351, idleRssMb: 1, peakRssMb: 400, short: [drain], long: drain }
  const standing = { waiting: 1e6, filledPerSecond: 1, rssMb: 450, peakRssMb: 500 }
  const restart = { waiting: 2e5, readySeconds: 3.01, firstReadySeconds: 1, rssMb: 1 }
  assert.deepEqual(
    toVerdicts(results({ backlog, standing, restart })).map(({ met }) => met),
    [false, true, true, false],
  )
})

const email = (more: Partial<Email>): Email => ({
  nodemailer: [990, 1000, 1500].map((perSecond) => ({ perSecond, cpu: { nodemailer: 1, sink: 1 }, othersCores: 0 })),
  sent: [600, 800, 900].map((perSecond) => endToEnd(perSecond).held),
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
      ['k1', '800/s = 0.80 × nodemailer alone', true],
      ['k1', '0/s, at most 1', true],
      ['k2', '5.00 ms', undefined],
      ['k2', '10.0 ms = 2.00 × alone', true],
    ],
  )
  const worse = email({ sent: [endToEnd(799).held], alone: [measured(500, 4.9)] })
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
  assert.deepEqual(toVerdicts(results({ codes: nothing, latencies: { half: [], low: [] }, email: noMails })), [])
})

test('the report shows CPU usage and warns about refused guesses', () => {
  const [refused] = runs(32)
  assert.ok(refused)
  const validating = [{ ...refused, load: { ...refused.load, statuses: { 404: 1 } } }]
  const text = toMarkdown(results({ codes: codes({ validating }), rounds: rounds([{ limited: 1 }]) }))
  assert.match(text, /answered with 404/)
  for (const name of ['(g) under limits', '(h) validating codes', '(h) a quarter of (b)', '(h) beside codes']) {
    assert.ok(text.includes(`| ${name} |`), name)
  }
})
