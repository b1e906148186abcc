/**
 * Combines reports on the parts of an attempt, for carriers that reference each part separately. A message is delivered
 * when all its parts are; one lost part loses the message.
 */
import type { Instant } from '../../lib/time.ts'

export const PART_STATES = ['accepted', 'delivered', 'dropped'] as const
export type PartState = (typeof PART_STATES)[number]

/** A carrier's report on one part. */
export type PartReport = Readonly<{ state: PartState; at: Instant; code?: string; detail?: string }>

/** Which of two reports on one part counts: a final state never changes. */
export function decisive(current: PartReport | undefined, next: PartReport): PartReport {
  return current === undefined || current.state === 'accepted' ? next : current
}

/** The state of the whole message, from one entry per part; undefined while it is undecided. */
export function ofWhole(reports: readonly (PartReport | undefined)[]): PartReport | undefined {
  const received = reports.filter((report) => report !== undefined)
  const lost = received.find(({ state }) => state === 'dropped')
  if (lost !== undefined) return lost
  const arrived = received.filter(({ state }) => state === 'delivered')
  if (arrived.length === reports.length) return latest(arrived)
  return received.find(({ state }) => state === 'accepted')
}

const latest = (reports: readonly PartReport[]): PartReport | undefined =>
  reports.toSorted((one, other) => one.at - other.at).at(-1)
