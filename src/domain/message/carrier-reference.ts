/**
 * One carrier reference: the attempt it belongs to and the report received under it, either of which may come first. An
 * update that changes nothing returns the same entry, so nothing needs to be written.
 */
import type { AttemptRef } from '../ids.ts'
import { decisive, type PartReport } from './part-reports.ts'

/** An attempt and the carrier references of all its parts, in order. */
export type Owner = Readonly<{ ref: AttemptRef; names: readonly string[] }>

export type ReceiptEntry = Readonly<{ owner?: Owner; report?: PartReport }>

export const BLANK: ReceiptEntry = {}

/** A reused reference belongs to the newer attempt, without the earlier reports. */
export function afterRegistration(entry: ReceiptEntry, owner: Owner): ReceiptEntry {
  const { owner: current } = entry
  if (current === undefined) return { ...entry, owner }
  if (!isSameRef(current.ref, owner.ref)) return { owner }
  return isSameList(current.names, owner.names) ? entry : { ...entry, owner }
}

export function afterReport(entry: ReceiptEntry, report: PartReport): ReceiptEntry {
  const counts = decisive(entry.report, report)
  return counts === entry.report ? entry : { ...entry, report: counts }
}

/** With a single part, the report itself is all there is to know. */
export const isOnlyPart = ({ names }: Owner): boolean => names.length === 1

const isSameRef = (one: AttemptRef, other: AttemptRef): boolean =>
  one.messageId === other.messageId && one.cycle === other.cycle && one.attempt === other.attempt

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, index) => name === other[index])
