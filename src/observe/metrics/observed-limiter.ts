/** A limiter that reports its decisions, for the metrics. */
import type { Limiter } from '../../ports/limiter.ts'

export const observedLimiter = (limiter: Limiter, onDecided: (decision: 'admitted' | 'limited') => void): Limiter => ({
  admit: (counters, act) =>
    limiter.admit(counters, act).then((admission) => {
      onDecided(admission.kind)
      return admission
    }),
  status: (counter) => limiter.status(counter),
})
