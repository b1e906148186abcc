/** Counts faults and endings, to prove that a run covered them. */
export const FAULTS = [
  'crash before a call took effect',
  'crash after a call took effect',
  'crash between calls',
  'effect after a crash',
  'call refused',
  'answer of a call lost',
  'call stalled',
  'job lost',
  'job late',
  'job before its event',
  'job without event',
  'job duplicated',
  'job not removed',
  'job parked',
  'job unparked',
  'graceful restart',
  'rejected for the message',
  'rejected by the provider',
  'deferred',
  'answered 5xx',
  'account paused',
  'connection refused',
  'unknown and received',
  'unknown and not received',
  'call timed out',
  'receipt duplicated',
  'receipt out of order',
  'receipt before the answer',
  'receipt after a crash',
  'receipt late',
  'receipt never',
  'breaker opened',
  'breaker half-open',
  'breaker closed',
  'no slot',
  'lookup found',
  'lookup absent',
  'lookup undetermined',
  'key retried',
  'key raced',
  'key with another payload',
  'key after 48 hours',
  'replayed answer',
  'resent',
  'resolved by a person',
  'receipt for an unknown attempt',
  'content unreadable',
  'erased',
] as const

export const ENDINGS = [
  'delivered',
  'failed',
  'expired',
  'dead-lettered',
  'dead-lettered as poison',
  'resolved after dead-lettering',
  'received twice, with the reason recorded',
] as const

export type Kind = (typeof FAULTS)[number] | (typeof ENDINGS)[number]

export type Counts = Readonly<Partial<Record<Kind, number>>>

export class Counters {
  readonly #counts: Partial<Record<Kind, number>> = {}

  count(kind: Kind, times = 1): void {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + times
  }

  counts(): Counts {
    return this.#counts
  }
}

export const total = (all: readonly Counts[], kind: Kind): number =>
  all.reduce((sum, counts) => sum + (counts[kind] ?? 0), 0)
