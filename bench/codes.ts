/**
 * (h): one-time codes. How many are validated a second, beside what bcrypt alone does on this machine;
 * and what that does to accepting, whose pace leaves room for both.
 */
import { availableParallelism } from 'node:os'
import { toOpenLoop } from './accept.ts'
import { GUESSES, prepareChallenges, toGuess } from './challenges.ts'
import { type LoadPlan, type Measured, measure, openLoad } from './measure.ts'
import type { Options } from './options.ts'
import { nextNews, startScript } from './processes.ts'
import type { RawOrder, RawReport } from './raw-bcrypt.ts'
import { type Gateway, openGateway } from './server.ts'
import { step, tellBeside, tellRate } from './step.ts'
import { whole } from './verdict.ts'

/** Accepting, while so many codes a second are validated. */
export type Beside = Readonly<{ accept: Measured; validationsPerSecond: number }>

export type Codes = Readonly<{
  /** Of bcrypt: one more takes twice as long. */
  cost: number
  /** Comparisons a second of bcrypt alone. */
  raw: readonly number[]
  validating: readonly Measured[]
  /** In turns, at one pace. */
  alone: readonly Measured[]
  beside: readonly Beside[]
}>

/** The default of POMBO_OTP_COST. */
const COST = 10
/** Enough to keep every thread busy, and another code at hand for each. */
const CONNECTIONS = Math.max(16, 4 * availableParallelism())
/** No more than this many times what bcrypt alone can do is ever asked for. */
const SPARE = 1.2
const SHARE_OF_ACCEPT = 1 / 4

type Times = Pick<Options, 'seconds' | 'warmUpSeconds'>

/** `acceptRate` is that of (b). */
export async function measureCodes(options: Options, acceptRate: number | undefined): Promise<Codes> {
  const { runs } = options
  const [raw, validating]: [number[], Measured[]] = [[], []]
  for (let run = 1; run <= runs; run += 1) {
    raw.push(...(await step(`(h) bcrypt alone, run ${run}`, () => measureRaw(options), tellCodes)))
    const validate = () => measureValidating(mostOf(raw), options)
    validating.push(...(await step(`(h) validating codes, run ${run}`, validate, tellRate)))
  }
  const [together = { alone: [], beside: [] }] =
    acceptRate === undefined
      ? []
      : await step(
          '(h) accepting beside it',
          () => measureTogether(mostOf(raw), acceptRate * SHARE_OF_ACCEPT, options),
          tellBeside,
        )
  return { cost: COST, raw, validating, ...together }
}

const tellCodes = (perSecond: number): string => `${whole(perSecond)}/s`

/** More than this is never validated. */
function mostOf(raw: readonly number[]): number {
  if (raw.length === 0) throw new Error('nobody knows what bcrypt alone does')
  return Math.max(...raw)
}

type Together = Pick<Codes, 'alone' | 'beside'>

/** Half as long: nothing but the cores has a say in it. */
export async function measureRaw({ seconds, warmUpSeconds }: Times, cost = COST): Promise<number> {
  await using script = await startScript(new URL('./raw-bcrypt.ts', import.meta.url), 'bcrypt alone')
  const { child } = script
  const order: RawOrder = { cost, warmUpSeconds: warmUpSeconds / 2, seconds: seconds / 2 }
  child.send(order)
  return (await nextNews<RawReport>(child, 'bcrypt alone')).perSecond
}

async function measureValidating(most: number, times: Times): Promise<Measured> {
  await using gateway = await openGateway()
  return await measure(gateway, await prepareGuesses(gateway, most, times))
}

/** Both on one gateway that is warm, so that nothing but the codes makes the difference. */
async function measureTogether(most: number, rate: number, options: Options): Promise<Together> {
  await using gateway = await openGateway()
  await measure(gateway, toOpenLoop(gateway, rate, { warmUpSeconds: 0, seconds: options.warmUpSeconds + 1 }))
  const [alone, beside]: [Measured[], Beside[]] = [[], []]
  for (let run = 1; run <= options.runs; run += 1) {
    alone.push(await measure(gateway, toOpenLoop(gateway, rate, options)))
    beside.push(await measureBeside(gateway, most, rate, options))
  }
  return { alone, beside }
}

async function measureBeside(gateway: Gateway, most: number, rate: number, times: Times): Promise<Beside> {
  // It begins a little earlier, and ends no sooner.
  const longer = { ...times, seconds: times.seconds + 1 }
  const guesses = await prepareGuesses(gateway, most, longer)
  await using guessing = await openLoad({ ...guesses, ports: gateway.ports })
  const accept = await measure(gateway, toOpenLoop(gateway, rate, times))
  return { accept, validationsPerSecond: (await guessing.report).perSecond }
}

/** As many challenges as can be used up by then, and no guess more than they allow. */
async function prepareGuesses(gateway: Gateway, most: number, times: Times): Promise<LoadPlan> {
  const { seconds, warmUpSeconds } = times
  const guesses = SPARE * most * (seconds + warmUpSeconds) + CONNECTIONS
  const challenges = await prepareChallenges(gateway, Math.ceil(guesses / GUESSES))
  return {
    request: toGuess(gateway.token, challenges),
    connections: CONNECTIONS,
    pace: { kind: 'closed' },
    warmUpSeconds,
    seconds,
    requests: challenges.length * GUESSES,
  }
}
