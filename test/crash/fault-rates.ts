/**
 * The rate of each kind of fault in one schedule. Each schedule draws its own rates and leaves some kinds out, so that
 * common faults do not hide rare combinations.
 */
import type { SeededRandom } from './random.ts'

export type FaultRates = Readonly<{
  /** Shares of port calls, 0 to 1. */
  crashBefore: number
  crashAfter: number
  refusal: number
  lostAnswer: number
  stall: number
  /** Shares of the jobs appended with an event. */
  jobLost: number
  jobLate: number
  jobEarly: number
  jobDoubled: number
  jobNotEnded: number
  /** Shares of calls to a provider. */
  rejected: number
  deferred: number
  /** A 5xx: an answer, so the provider does not have the message. */
  serverError: number
  accountPaused: number
  unknown: number
  undetermined: number
  /** The share of messages whose content can never be read, so that processing always fails. */
  poison: number
  /** Shares of receipts. */
  receiptDoubled: number
  receiptLate: number
  receiptNever: number
  /** Kills and restarts of a random process per virtual minute. */
  kills: number
  restarts: number
}>

export const NO_FAULTS: FaultRates = {
  crashBefore: 0,
  crashAfter: 0,
  refusal: 0,
  lostAnswer: 0,
  stall: 0,
  jobLost: 0,
  jobLate: 0,
  jobEarly: 0,
  jobDoubled: 0,
  jobNotEnded: 0,
  rejected: 0,
  deferred: 0,
  serverError: 0,
  accountPaused: 0,
  unknown: 0,
  undetermined: 0,
  poison: 0,
  receiptDoubled: 0,
  receiptLate: 0,
  receiptNever: 0,
  kills: 0,
  restarts: 0,
}

/** The highest rate of each kind of fault. */
const MAX_RATES: FaultRates = {
  crashBefore: 0.04,
  crashAfter: 0.04,
  refusal: 0.15,
  lostAnswer: 0.08,
  stall: 0.08,
  jobLost: 0.4,
  jobLate: 0.3,
  jobEarly: 0.3,
  jobDoubled: 0.5,
  jobNotEnded: 0.3,
  rejected: 0.3,
  deferred: 0.4,
  serverError: 0.4,
  accountPaused: 0.3,
  unknown: 0.5,
  undetermined: 0.5,
  poison: 0.2,
  receiptDoubled: 0.5,
  receiptLate: 0.5,
  receiptNever: 0.4,
  kills: 3,
  restarts: 1,
}

const MIXED_SHARE = 0.6
const BURST_SHARE = 0.25
const BURST_FACTOR = 4
const MOST = 0.7

/** Most schedules mix many kinds of fault at low rates; a burst has a few kinds at high rates. */
export function drawFaultRates(random: SeededRandom): FaultRates {
  const isBurst = random.happens(0.4)
  const draw = (worst: number): number => {
    if (!random.happens(isBurst ? BURST_SHARE : MIXED_SHARE)) return 0
    return isBurst && worst < 1 ? Math.min(MOST, worst * BURST_FACTOR) : worst * random.next()
  }
  const drawn = Object.entries(MAX_RATES).map(([kind, worst]) => [kind, draw(worst)])
  return { ...NO_FAULTS, ...Object.fromEntries(drawn) }
}
