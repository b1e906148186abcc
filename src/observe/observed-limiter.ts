/** A limiter that tells what it decided. */
import type { Limiter } from '../ports/limiter.ts'

export const observedLimiter = (limiter: Limiter, onDecided: (decision: 'admitted' | 'limited') => void): Limiter => ({
  async admit(counters, act) {
    const admission = await limiter.admit(counters, act)
    onDecided(admission.kind)
    return admission
  },
  standing: (counter) => limiter.standing(counter),
})
