/** The results, and how they compare with the targets. */
import { backlogVerdicts, type Queues } from './backlog-verdicts.ts'
import type { Beside, Codes } from './codes.ts'
import type { Decisions } from './decisions.ts'
import type { Email } from './email.ts'
import { emailVerdicts } from './email-verdicts.ts'
import type { EndToEnd } from './end-to-end.ts'
import { endToEndVerdicts } from './end-to-end-verdicts.ts'
import { type Latencies, latencyVerdicts } from './latency.ts'
import type { Machine } from './machine.ts'
import { type Measured, medianBy, medianOf } from './measure.ts'
import type { Options } from './options.ts'
import type { Providers } from './provider-slots.ts'
import { type Compared, compare, type Round, rateIn, runsOf } from './rounds.ts'
import { SMPP_TARGET, TARGET } from './targets.ts'
import { backlogVerdict, besideVerdicts, share, shareOf, type Verdict, whole } from './verdict.ts'

export type Results = Queues &
  Readonly<{
    at: string
    machine: Machine
    options: Pick<Options, 'quick' | 'seconds' | 'runs' | 'waiting'>
    tookSeconds: number
    rounds: readonly Round[]
    acceptAlone?: Measured
    latencies?: Latencies
    decisions?: Decisions
    codes?: Codes
    providers?: Providers
    smpp?: EndToEnd
    email?: Email
  }>

export const rateOf = (runs: readonly Measured[] | undefined): number | undefined =>
  runs === undefined || runs.length === 0 ? undefined : medianOf(runs).messagesPerSecond

export function toVerdicts(results: Results): readonly Verdict[] {
  const { rounds, latencies, decisions, codes, email } = results
  return [
    ...acceptVerdicts(results),
    ...endToEndVerdicts(rounds),
    ...comparedVerdict('d', 'batches of 1,000, messages', compare(rounds, 'batch', 'bare'), '(a)', TARGET.batch),
    ...(latencies === undefined ? [] : latencyVerdicts(latencies)),
    ...backlogVerdicts(results),
    ...limitVerdicts('g', compare(rounds, 'limited', 'accept'), decisions, '(b)'),
    ...(codes === undefined ? [] : codeVerdicts(codes)),
    ...providerVerdicts(results),
    ...smppVerdicts(results),
    ...clientVerdicts(results),
    ...(email === undefined ? [] : emailVerdicts(email)),
  ]
}

function comparedVerdict(
  part: string,
  what: string,
  compared: Compared | undefined,
  name: string,
  target: number,
): readonly Verdict[] {
  return compared === undefined ? [] : [{ part, what, ...shareOf(compared, name, target) }]
}

function acceptVerdicts({ rounds, acceptAlone }: Results): readonly Verdict[] {
  const bare = rateIn(rounds, 'bare')
  return [
    ...(bare === undefined ? [] : [{ part: 'a', what: 'bare Fastify, same POST', measured: `${whole(bare)}/s` }]),
    ...comparedVerdict('b', 'durable 202', compare(rounds, 'accept', 'bare'), '(a)', TARGET.accept),
    ...(acceptAlone === undefined
      ? []
      : [{ part: 'b2', what: 'durable 202, nothing sent', ...share(acceptAlone.messagesPerSecond, bare, '(a)') }]),
  ]
}

/** `name` is what accepting under limits is compared with. */
export const limitVerdicts = (
  part: string,
  limited: Compared | undefined,
  decisions: Decisions | undefined,
  name: string,
): readonly Verdict[] => [
  ...comparedVerdict(part, 'durable 202 under two limits', limited, name, TARGET.limited),
  ...(decisions === undefined
    ? []
    : [
        { part, what: 'limiter alone, decisions about new recipients', measured: each(decisions.fresh) },
        { part, what: 'limiter alone, decisions about known ones', measured: each(decisions.known) },
      ]),
]

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

function providerVerdicts({ providers, rounds }: Results): readonly Verdict[] {
  if (providers === undefined) return []
  const { latencyMs, distant, hanging } = providers
  const distances = distant.map(({ concurrency, sent }) => ({
    part: 'i1',
    what: `sent, ${latencyMs} ms per call, ${concurrency} in flight`,
    ...share(sent.handedOffPerSecond, rateIn(rounds, 'endToEnd'), '(c)'),
  }))
  if (hanging === undefined) return distances
  const [alone, beside] = [hanging.alone, hanging.beside].map((rates) => medianBy(rates, Number))
  const what = `sent by one provider, ${whole(hanging.pace)}/s to another that hangs`
  return [...distances, { part: 'i2', what, ...share(beside ?? Number.NaN, alone, 'alone', TARGET.hanging) }]
}

function smppVerdicts({ smpp, rounds }: Results): readonly Verdict[] {
  if (smpp === undefined) return []
  const { held } = smpp
  const rate = held.endToEndPerSecond
  const simulated = rateIn(rounds, 'endToEnd')
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

/** Short messages of SMPP clients, and what they are told of them. Kannel never syncs. */
function clientVerdicts({ rounds }: Results): readonly Verdict[] {
  const runs = runsOf(rounds, 'smppClients')
  const compared = compare(rounds, 'smppClients', 'kannel')
  if (runs.length === 0 || compared === undefined) return []
  const { acceptedPerSecond, receiptsPerSecond } = medianBy(runs, ({ endToEndPerSecond }) => endToEndPerSecond)
  return [
    { part: 'l', what: 'submit_sm answered durably', measured: `${whole(acceptedPerSecond)}/s` },
    { part: 'l', what: 'end to end from SMPP clients', ...shareOf(compared, 'Kannel', TARGET.smppClients) },
    { part: 'l', what: 'receipts that they answered', measured: `${whole(receiptsPerSecond)}/s` },
  ]
}
