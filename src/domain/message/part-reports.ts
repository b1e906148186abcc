/**
 * What became of the parts of an attempt, for providers that name every part on their own. A message has
 * arrived when all of its parts have; one part that is lost loses the message.
 */
import type { Instant } from '../../lib/time.ts'

export const PART_STATES = ['accepted', 'delivered', 'dropped'] as const
export type PartState = (typeof PART_STATES)[number]

/** What a provider reports of one part. */
export type PartReport = Readonly<{ state: PartState; at: Instant; code?: string; detail?: string }>

/** Of two reports on one part the one that counts: what is over stays as it ended. */
export function weightier(known: PartReport | undefined, next: PartReport): PartReport {
  return known === undefined || known.state === 'accepted' ? next : known
}

/** What the parts say of the whole, one place for each part; undefined while there is nothing to say. */
export function ofWhole(reports: readonly (PartReport | undefined)[]): PartReport | undefined {
  const told = reports.filter((report) => report !== undefined)
  const lost = told.find(({ state }) => state === 'dropped')
  if (lost !== undefined) return lost
  const arrived = told.filter(({ state }) => state === 'delivered')
  if (arrived.length === reports.length) return latest(arrived)
  return told.find(({ state }) => state === 'accepted')
}

const latest = (reports: readonly PartReport[]): PartReport | undefined =>
  reports.toSorted((one, other) => one.at - other.at).at(-1)
