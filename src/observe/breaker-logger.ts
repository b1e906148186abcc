/** A line for every turn of a breaker, written by the process that caused it. */
import type { Logger } from 'pino'
import type { BreakerTransition } from '../ports/breakers.ts'

const SENTENCES = {
  open: 'a provider fails: it is left alone for a while',
  half_open: 'a provider is tried out',
  closed: 'a provider is back',
} as const satisfies Record<BreakerTransition['to'], string>

const BY_A_PERSON = {
  ...SENTENCES,
  open: 'a person has a provider left alone for a while',
  closed: 'a person has a provider used again',
}

export const breakerLogger =
  (logger: Logger) =>
  ({ provider, from, to, failures, forced }: BreakerTransition): void =>
    logger[to === 'open' ? 'warn' : 'info'](
      { provider, breaker: to, breaker_before: from, consecutive_failures: failures, forced },
      (forced ? BY_A_PERSON : SENTENCES)[to],
    )
