/** The format of latencies. */
import { toSpan } from './time.tsx'

/** `38 ms`, `2.6 s`, `14 s`, `3 min` */
export const toLatency = (ms: number): string => (ms >= 1000 && ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : toSpan(ms))
