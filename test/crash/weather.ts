/**
 * What may go wrong in one schedule, and how often. Each schedule draws its own weather with some
 * kinds of fault left out, so that rare combinations are not drowned by the common ones.
 */
import type { Chance } from './chance.ts'

export type Weather = Readonly<{
  /** Shares of port calls, 0 to 1. */
  crashBefore: number
  crashAfter: number
  refusal: number
  lostAnswer: number
  stall: number
  /** Shares of the jobs that go with an event. */
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
  /** The share of messages whose content can never be read: processing them faults again and again. */
  poison: number
  /** Shares of receipts. */
  receiptDoubled: number
  receiptLate: number
  receiptNever: number
  /** How often a process is killed or restarted out of the blue, per virtual minute. */
  kills: number
  restarts: number
}>

export const CALM: Weather = {
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

/** The worst each kind of fault gets. */
const WORST: Weather = {
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
const SQUALL_SHARE = 0.25
const SQUALL_FORCE = 4
const MOST = 0.7

/** Mostly of everything a little; now and then a squall, which brings a few kinds of fault and those in force. */
export function toWeather(chance: Chance): Weather {
  const isSquall = chance.happens(0.4)
  const draw = (worst: number): number => {
    if (!chance.happens(isSquall ? SQUALL_SHARE : MIXED_SHARE)) return 0
    return isSquall && worst < 1 ? Math.min(MOST, worst * SQUALL_FORCE) : worst * chance.roll()
  }
  const drawn = Object.entries(WORST).map(([kind, worst]) => [kind, draw(worst)])
  return { ...CALM, ...Object.fromEntries(drawn) }
}
