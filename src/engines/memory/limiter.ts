/** A limiter whose counts are forgotten with its process. */
import { Counts } from '../../domain/limits/counts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { inProcessLimiter } from '../shared/in-process-limiter.ts'

export const memoryLimiter = (clock: Clock): Limiter => inProcessLimiter(new Counts(), clock)
