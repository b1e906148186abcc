/** The log of a running gateway: one JSON line an event, on stderr. */
import { type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

const STDERR = 2

/** Lines are written by the side, so that a slow reader does not hold up messages; the last ones on exit. */
export const openLogger = (level: Config['logLevel']): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: STDERR, sync: false }),
  )
