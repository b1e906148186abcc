/** The logger of the gateway: JSON lines on stderr. */
import { type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

const STDERR = 2

/** Writes asynchronously, so that a slow reader of the log does not delay messages; pino flushes on exit. */
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
