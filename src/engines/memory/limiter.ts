/** A limiter whose counts are forgotten with its process. */
import { Counts } from '../../domain/counts.ts'
import { inProcessLimiter } from '../../ports/in-process-limiter.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Clock } from '../../ports/world.ts'

export const memoryLimiter = (clock: Clock): Limiter => inProcessLimiter(new Counts(), clock)
