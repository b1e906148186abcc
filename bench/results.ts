/** The results, and how they compare with the targets. */
import type { Backlog, Drain } from './backlog.ts'
import type { Beside, Codes } from './codes.ts'
import type { Email } from './email.ts'
import { emailVerdicts } from './email-verdicts.ts'
import type { EndToEnd } from './end-to-end.ts'
import type { Limits } from './limits.ts'
import type { Machine } from './machine.ts'
import { type Measured, medianBy, medianOf } from './measure.ts'
import type { Options } from './options.ts'
import type { Peer } from './peers/peer.ts'
import type { Providers } from './provider-slots.ts'
import { backlogVerdict, besideVerdicts, ms, share, type Verdict, whole } from './verdict.ts'

export type Results = Readonly<{
  at: string
  machine: Machine
  options: Pick<Options, 'quick' | 'seconds' | 'runs' | 'waiting'>
  tookSeconds: number
  bare?: readonly Measured[]
  accept?: readonly Measured[]
  acceptAlone?: Measured
  endToEnd?: EndToEnd
  batch?: readonly Measured[]
  latency?: Measured
  backlog?: Backlog
  limits?: Limits
  codes?: Codes
  providers?: Providers
  smpp?: EndToEnd
  email?: Email
  peers?: readonly Peer[]
}>

const TARGET = {
  accept: 0.6,
  endToEnd: 0.45,
  batch: 2,
  p99Ms: 10,
  rssMb: 350,
  indexSeconds: 10,
  codes: 0.8,
  beside: 2,
  hanging: 0.9,
}
/** For SMPP, either target is enough. */
const SMPP_TARGET = { perSecond: 3_000, ofSimulated: 0.8 }
/** Share of accepting without limits. */
export const LIMITED_TARGET = 0.85
/** Drains of the same speed differ by this factor. */
const DRAIN_TOLERANCE = 1.05

export const rateOf = (runs: readonly Measured[] | undefined): number | undefined =>
  runs === undefined || runs.length === 0 ? undefined : medianOf(runs).messagesPerSecond

export function toVerdicts(results: Results): readonly Verdict[] {
  const bare = rateOf(results.bare)
  return [
    ...acceptVerdicts(results, bare),
    ...(results.endToEnd === undefined ? [] : endToEndVerdicts(results.endToEnd, bare)),
    ...batchVerdicts(results),
    ...(results.latency === undefined ? [] : latencyVerdicts(results.latency)),
    ...(results.backlog === undefined ? [] : backlogVerdicts(results.backlog)),
    ...(results.limits === undefined ? [] : limitVerdicts('g', results.limits, rateOf(results.accept), '(b)')),
    ...(results.codes === undefined ? [] : codeVerdicts(results.codes)),
    ...providerVerdicts(results),
    ...smppVerdicts(results),
    ...(results.email === undefined ? [] : emailVerdicts(results.email)),
  ]
}

function acceptVerdicts({ accept, acceptAlone }: Results, bare: number | undefined): readonly Verdict[] {
  const rate = rateOf(accept)
  return [
    ...(bare === undefined ? [] : [{ part: 'a', what: 'bare Fastify, same POST', measured: `${whole(bare)}/s` }]),
    ...(rate === undefined ? [] : [{ part: 'b', what: 'durable 202', ...share(rate, bare, '(a)', TARGET.accept) }]),
    ...(acceptAlone === undefined
      ? []
      : [{ part: 'b2', what: 'durable 202, nothing sent', ...share(acceptAlone.messagesPerSecond, bare, '(a)') }]),
  ]
}

function endToEndVerdicts(endToEnd: EndToEnd, bare: number | undefined): readonly Verdict[] {
  const { held, indexedAfterSeconds: indexed } = endToEnd
  const { acceptedPerSecond, handedOffPerSecond, deliveredPerSecond } = held
  const steps = [acceptedPerSecond, handedOffPerSecond, deliveredPerSecond].map(whole).join(' → ')
  return [
    { part: 'c', what: 'end to end', ...share(held.endToEndPerSecond, bare, '(a)', TARGET.endToEnd) },
    { part: 'c', what: 'accepted → handed off → delivered', measured: `${steps} /s` },
    backlogVerdict('c', held),
    {
      part: 'c',
      what: 'index caught up after',
      measured: indexed === undefined ? 'never' : `${indexed.toFixed(1)} s`,
      target: `≤ ${TARGET.indexSeconds} s`,
      met: indexed !== undefined && indexed <= TARGET.indexSeconds,
    },
  ]
}

function batchVerdicts({ batch, accept }: Results): readonly Verdict[] {
  const rate = rateOf(batch)
  if (rate === undefined) return []
  return [{ part: 'd', what: 'batches of 1,000, messages', ...share(rate, rateOf(accept), '(b)', TARGET.batch) }]
}

function latencyVerdicts({ load, messagesPerSecond }: Measured): readonly Verdict[] {
  const { p50, p99, p999 } = load.latency
  return [
    { part: 'e', what: `p50 at ${whole(messagesPerSecond)}/s`, measured: ms(p50) },
    { part: 'e', what: 'p99', measured: ms(p99), target: `≤ ${TARGET.p99Ms} ms`, met: p99 <= TARGET.p99Ms },
    { part: 'e', what: 'p99.9', measured: ms(p999) },
  ]
}

function backlogVerdicts({ rssMb, idleRssMb, peakRssMb, short, long }: Backlog): readonly Verdict[] {
  const brief = medianDrain(short)
  const ratio = long.microsPerMessage / brief.microsPerMessage
  const eachOf = ({ microsPerMessage }: Drain): string => `${whole(microsPerMessage)} µs`
  const early = long.heldBack ? '' : ', started before the queue was complete'
  return [
    {
      part: 'f',
      what: `RSS with ${whole(long.waiting)} waiting`,
      measured: `${whole(rssMb)} MB (idle ${whole(idleRssMb)}, peak ${whole(peakRssMb)})`,
      target: `≤ ${TARGET.rssMb} MB`,
      met: rssMb <= TARGET.rssMb,
    },
    {
      part: 'f',
      what: `draining, each of ${whole(long.waiting)} to each of ${whole(brief.waiting)}`,
      measured: `${ratio.toFixed(2)} × (${eachOf(long)} to ${eachOf(brief)}${early})`,
      target: `≤ 1 × (${DRAIN_TOLERANCE} for noise)`,
      met: long.heldBack && ratio <= DRAIN_TOLERANCE,
    },
  ]
}

function medianDrain(drains: readonly Drain[]): Drain {
  const median = drains.toSorted((one, other) => one.seconds - other.seconds)[Math.floor(drains.length / 2)]
  if (median === undefined) throw new Error('no drain was measured')
  return median
}

export function limitVerdicts(
  part: string,
  { limited, decisions }: Limits,
  unlimited: number | undefined,
  name: string,
): readonly Verdict[] {
  const rate = rateOf(limited)
  return [
    ...(rate === undefined
      ? []
      : [{ part, what: 'durable 202 under two limits', ...share(rate, unlimited, name, LIMITED_TARGET) }]),
    ...(decisions === undefined
      ? []
      : [
          { part, what: 'limiter alone, decisions about new recipients', measured: each(decisions.fresh) },
          { part, what: 'limiter alone, decisions about known ones', measured: each(decisions.known) },
        ]),
  ]
}

const each = (perSecond: number): string => `${whole(perSecond)}/s, ${(1e6 / perSecond).toFixed(1)} µs each`

function codeVerdicts({ cost, raw, validating, alone, beside }: Codes): readonly Verdict[] {
  const part = 'h'
  const [compared, validated] = [raw.length === 0 ? undefined : medianBy(raw, Number), rateOf(validating)]
  const what = `bcrypt alone, cost ${cost}, one thread per core`
  const format = ({ validationsPerSecond }: Beside): string => `${whole(validationsPerSecond)} validations/s`
  return [
    ...(compared === undefined ? [] : [{ part, what, measured: `${whole(compared)}/s` }]),
    ...(validated === undefined
      ? []
      : [{ part, what: 'one-time codes validated', ...share(validated, compared, 'bcrypt alone', TARGET.codes) }]),
    ...besideVerdicts(part, { alone, beside }, format, TARGET.beside),
  ]
}

function providerVerdicts({ providers, endToEnd }: Results): readonly Verdict[] {
  if (providers === undefined) return []
  const { latencyMs, distant, hanging } = providers
  const distances = distant.map(({ concurrency, sent }) => ({
    part: 'i1',
    what: `sent, ${latencyMs} ms per call, ${concurrency} in flight`,
    ...share(sent.handedOffPerSecond, endToEnd?.held.endToEndPerSecond, '(c)'),
  }))
  if (hanging === undefined) return distances
  const [alone, beside] = [hanging.alone, hanging.beside].map((rates) => medianBy(rates, Number))
  const what = `sent by one provider, ${whole(hanging.pace)}/s to another that hangs`
  return [...distances, { part: 'i2', what, ...share(beside ?? Number.NaN, alone, 'alone', TARGET.hanging) }]
}

function smppVerdicts({ smpp, endToEnd }: Results): readonly Verdict[] {
  if (smpp === undefined) return []
  const { held } = smpp
  const rate = held.endToEndPerSecond
  const simulated = endToEnd?.held.endToEndPerSecond
  const { perSecond, ofSimulated } = SMPP_TARGET
  const enough = Math.min(perSecond, ofSimulated * (simulated ?? Number.POSITIVE_INFINITY))
  return [
    {
      part: 'j',
      what: 'end to end by SMPP',
      ...share(rate, simulated, '(c)'),
      target: `≥ ${whole(perSecond)}/s or ${ofSimulated} × (c)`,
      met: rate >= enough,
    },
    backlogVerdict('j', held),
  ]
}
