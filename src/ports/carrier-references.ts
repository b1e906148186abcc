/**
 * Whose the names are that a provider gives to what we hand over, for providers that know nothing of our
 * attempts and report under their own names only. A report may come before the name is known to be anybody's,
 * and days later: both sides are kept, and whoever comes second finds the other.
 */
import type { AttemptRef, ProviderName } from '../domain/ids.ts'
import type { PartReport } from '../domain/message/part-reports.ts'
import { type Millis, seconds } from '../lib/time.ts'

/** Carriers try for up to three days; after this long nobody reports any more. */
export const KEPT_FOR: Millis = seconds(7 * 24 * 60 * 60)

/** What was reported under each name of an attempt, in the order of its parts. */
export type Reports = readonly (PartReport | undefined)[]

export type Registered = Readonly<{ ref: AttemptRef; names: readonly string[]; reports: Reports }>

/** `onlyIfNamed`: a report under a name that nobody has is not kept. */
export type ReportOptions = Readonly<{ onlyIfRegistered?: boolean }>

export interface CarrierReferences {
  /**
   * These are the names of an attempt, one for each of its parts. Answers once that is safe, with what was
   * reported under them already. Saying it again changes nothing.
   */
  register(provider: ProviderName, names: readonly string[], ref: AttemptRef): Promise<Reports>

  /**
   * Keeps what was reported under a name, where it is not yet of anybody or there are other parts to wait for;
   * of several reports on one part the weightier stays. Answers whose it is, or undefined as long as nobody
   * has the name: then `name` finds it, unless it was to be kept `onlyIfNamed`. Safe once it answers.
   */
  report(
    provider: ProviderName,
    name: string,
    report: PartReport,
    options?: ReportOptions,
  ): Promise<Registered | undefined>
}
