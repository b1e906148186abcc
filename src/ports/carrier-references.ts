/**
 * Maps carrier references to attempts, for providers that report only under ids of their own. A report may arrive
 * before its reference is registered, or days later: both sides are stored, and whichever comes second finds the other.
 */
import type { AttemptRef, ProviderName } from '../domain/ids.ts'
import type { PartReport } from '../domain/message/part-reports.ts'
import { type Millis, seconds } from '../lib/time.ts'

/** Carriers try for up to three days; after this time no report is expected. */
export const REFERENCES_KEPT_FOR: Millis = seconds(7 * 24 * 60 * 60)

/** The reports of an attempt, in the order of its parts. */
export type Reports = readonly (PartReport | undefined)[]

export type Registered = Readonly<{ ref: AttemptRef; names: readonly string[]; reports: Reports }>

/** `onlyIfRegistered`: a report under an unregistered reference is not stored. */
export type ReportOptions = Readonly<{ onlyIfRegistered?: boolean }>

export interface CarrierReferences {
  /**
   * Registers the carrier references of an attempt, one per part. Resolves once stored, with the reports that have
   * already arrived. Idempotent.
   */
  register(provider: ProviderName, references: readonly string[], ref: AttemptRef): Promise<Reports>

  /**
   * Stores a report if its reference is not registered yet or other parts are still missing; of several reports on one
   * part the decisive one is kept. Returns the attempt, or undefined while the reference is unregistered: then
   * `register` returns the report later, unless `onlyIfRegistered`. Durable once resolved.
   */
  report(
    provider: ProviderName,
    reference: string,
    report: PartReport,
    options?: ReportOptions,
  ): Promise<Registered | undefined>
}
