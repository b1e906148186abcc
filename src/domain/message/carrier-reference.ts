/**
 * What is known of one name that a provider has given: whose it is, and what was reported under it. Either may
 * come first. A change that changes nothing answers the very same entry: then there is nothing to write.
 */
import type { AttemptRef } from '../ids.ts'
import { type PartReport, weightier } from './part-reports.ts'

/** An attempt and the names of all its parts, in their order. */
export type Owner = Readonly<{ ref: AttemptRef; names: readonly string[] }>

export type ReceiptEntry = Readonly<{ owner?: Owner; report?: PartReport }>

export const BLANK: ReceiptEntry = {}

/** A name that is given anew belongs to the newer attempt, of which nothing was reported under the older one. */
export function afterNaming(entry: ReceiptEntry, owner: Owner): ReceiptEntry {
  const { owner: known } = entry
  if (known === undefined) return { ...entry, owner }
  if (!isSameRef(known.ref, owner.ref)) return { owner }
  return isSameList(known.names, owner.names) ? entry : { ...entry, owner }
}

export function afterReport(entry: ReceiptEntry, report: PartReport): ReceiptEntry {
  const counts = weightier(entry.report, report)
  return counts === entry.report ? entry : { ...entry, report: counts }
}

/** There are no other parts to wait for: whoever reports knows all there is to know. */
export const isOnlyPart = ({ names }: Owner): boolean => names.length === 1

const isSameRef = (one: AttemptRef, other: AttemptRef): boolean =>
  one.messageId === other.messageId && one.cycle === other.cycle && one.attempt === other.attempt

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, place) => name === other[place])
