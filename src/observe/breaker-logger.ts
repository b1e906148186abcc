/** Logs every transition of a circuit breaker, in the process that caused it. */
import type { Logger } from 'pino'
import type { BreakerTransition } from '../ports/breakers.ts'

const AUTOMATIC = {
  open: 'circuit breaker opened',
  half_open: 'circuit breaker half-open',
  closed: 'circuit breaker closed',
} as const satisfies Record<BreakerTransition['to'], string>

const MANUAL = {
  ...AUTOMATIC,
  open: 'circuit breaker opened manually',
  closed: 'circuit breaker closed manually',
}

export const breakerLogger =
  (logger: Logger) =>
  ({ provider, from, to, failures, forced }: BreakerTransition): void =>
    logger[to === 'open' ? 'warn' : 'info'](
      { provider, breaker: to, breaker_before: from, consecutive_failures: failures, forced },
      (forced ? MANUAL : AUTOMATIC)[to],
    )
