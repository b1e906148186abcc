/**
 * (h): one-time codes. How many are validated per second, compared with bcrypt alone on this machine, and how that
 * affects accepting messages at a moderate rate.
 */
import { availableParallelism } from 'node:os'
import { toOpenLoop } from './accept.ts'
import { prepareChallenges, toValidations } from './challenges.ts'
import { type LoadPlan, type Measured, measure, openLoad } from './measure.ts'
import type { Options, Times } from './options.ts'
import { nextMessage, startScript } from './processes.ts'
import type { RawOrder, RawReport } from './raw-bcrypt.ts'
import { type Gateway, openGateway } from './server.ts'
import { formatBeside, formatRate, step } from './step.ts'
import { whole } from './verdict.ts'

/** Accepting, while this many codes per second are validated. */
export type Beside = Readonly<{ accept: Measured; validationsPerSecond: number }>

export type Codes = Readonly<{
  /** The bcrypt cost. */
  cost: number
  /** Comparisons per second with bcrypt alone. */
  raw: readonly number[]
  validating: readonly Measured[]
  /** Alternating, at the same rate. */
  alone: readonly Measured[]
  beside: readonly Beside[]
}>

/** The default of POMBO_OTP_COST. */
const COST = 10
/** Enough to keep every thread busy, with another code queued for each. */
const CONNECTIONS = Math.max(16, 4 * availableParallelism())
/** How many more codes are prepared than bcrypt alone could compare. */
const MARGIN = 1.2
const SHARE_OF_ACCEPT = 1 / 4

/** `acceptRate` is the result of (b). */
export async function measureCodes(options: Options, acceptRate: number | undefined): Promise<Codes> {
  const { runs } = options
  const [raw, validating]: [number[], Measured[]] = [[], []]
  for (let run = 1; run <= runs; run += 1) {
    raw.push(...(await step(`(h) bcrypt alone, run ${run}`, () => measureRaw(options), formatCodes)))
    const validate = () => measureValidating(maxOf(raw), options)
    validating.push(...(await step(`(h) validating codes, run ${run}`, validate, formatRate)))
  }
  const [together = { alone: [], beside: [] }] =
    acceptRate === undefined
      ? []
      : await step(
          '(h) accepting beside it',
          () => measureTogether(maxOf(raw), acceptRate * SHARE_OF_ACCEPT, options),
          formatBeside,
        )
  return { cost: COST, raw, validating, ...together }
}

const formatCodes = (perSecond: number): string => `${whole(perSecond)}/s`

/** An upper bound of validations per second. */
function maxOf(raw: readonly number[]): number {
  if (raw.length === 0) throw new Error('bcrypt alone was not measured')
  return Math.max(...raw)
}

type Together = Pick<Codes, 'alone' | 'beside'>

/** Half as long, because only the cores affect the result. */
export async function measureRaw({ seconds, warmUpSeconds }: Times, cost = COST): Promise<number> {
  await using script = await startScript(new URL('./raw-bcrypt.ts', import.meta.url), 'bcrypt alone')
  const { child } = script
  const order: RawOrder = { cost, warmUpSeconds: warmUpSeconds / 2, seconds: seconds / 2 }
  child.send(order)
  return (await nextMessage<RawReport>(child, 'bcrypt alone')).perSecond
}

export async function measureValidating(max: number, times: Times): Promise<Measured> {
  await using gateway = await openGateway()
  return await measure(gateway, await prepareValidations(gateway, max, times))
}

/** Both on the same warm gateway, so that only the codes make a difference. */
async function measureTogether(max: number, rate: number, options: Options): Promise<Together> {
  await using gateway = await openGateway()
  await measure(gateway, toOpenLoop(gateway, rate, { warmUpSeconds: 0, seconds: options.warmUpSeconds + 1 }))
  const [alone, beside]: [Measured[], Beside[]] = [[], []]
  for (let run = 1; run <= options.runs; run += 1) {
    alone.push(await measure(gateway, toOpenLoop(gateway, rate, options)))
    beside.push(await measureBeside(gateway, max, rate, options))
  }
  return { alone, beside }
}

async function measureBeside(gateway: Gateway, max: number, rate: number, times: Times): Promise<Beside> {
  // Starts slightly earlier and ends no sooner.
  const longer = { ...times, seconds: times.seconds + 1 }
  const codes = await prepareValidations(gateway, max, longer)
  await using validating = await openLoad({ ...codes, ports: gateway.ports })
  const accept = await measure(gateway, toOpenLoop(gateway, rate, times))
  return { accept, validationsPerSecond: (await validating.report).perSecond }
}

/** As many challenges as can be validated in that time; each is validated once. */
async function prepareValidations(gateway: Gateway, max: number, times: Times): Promise<LoadPlan> {
  const { seconds, warmUpSeconds } = times
  const codes = Math.ceil(MARGIN * max * (seconds + warmUpSeconds)) + CONNECTIONS
  const challenges = await prepareChallenges(gateway, codes)
  return {
    request: toValidations(gateway.token, challenges),
    connections: CONNECTIONS,
    pace: { kind: 'closed' },
    warmUpSeconds,
    seconds,
    requests: challenges.length,
  }
}
