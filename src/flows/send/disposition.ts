/** What is to become of a job that was worked on. */
import type { Instant } from '../../lib/time.ts'
import type { Gate } from '../../ports/queue.ts'

/** Finished, due again later, parked until a provider can be called, or gone already with what was recorded. */
export type Disposition = Readonly<
  { kind: 'done' } | { kind: 'later'; at: Instant } | { kind: 'parked'; gate: Gate; until: Instant } | { kind: 'gone' }
>

export const DONE: Disposition = { kind: 'done' }
export const GONE: Disposition = { kind: 'gone' }
export const later = (at: Instant): Disposition => ({ kind: 'later', at })
