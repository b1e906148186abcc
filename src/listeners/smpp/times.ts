/** Times as SMPP writes them: absolute with an offset in quarters of an hour, or relative to now. */
import { type Instant, instant } from '../../lib/time.ts'

const TIME = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d)(\d{2})([+\-R])$/
const QUARTER_MS = 15 * 60_000
const MOST_QUARTERS = 48
const CENTURY = 2000

/** Undefined when it is no time. Years and months of a relative time are counted in the calendar. */
export function parseSmppTime(text: string, now: Instant): Instant | undefined {
  const [, ...fields] = TIME.exec(text) ?? []
  const kind = fields.pop()
  if (kind === undefined) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, tenth = 0, quarter = 0] = fields.map(Number)
  if (kind === 'R') {
    const then = new Date(now)
    then.setUTCFullYear(then.getUTCFullYear() + year, then.getUTCMonth() + month, then.getUTCDate() + day)
    return instant(then.getTime() + ((hour * 60 + minute) * 60 + second) * 1000)
  }
  const at = Date.UTC(CENTURY + year, month - 1, day, hour, minute, second, tenth * 100)
  const isReal = new Date(at).getUTCMonth() === month - 1 && hour < 24 && minute < 60 && second < 60
  if (!isReal || quarter > MOST_QUARTERS) return undefined
  return instant(at - (kind === '-' ? -quarter : quarter) * QUARTER_MS)
}

export const isRelative = (text: string): boolean => text.endsWith('R')

/** `YYMMDDhhmm` in UTC, as the text of a receipt has it. */
export const toReceiptTime = (at: Instant): string => digitsOf(at).slice(2, 12)

/** An absolute time in UTC. */
export const toSmppTime = (at: Instant): string => `${digitsOf(at).slice(2, 15)}00+`

const digitsOf = (at: Instant): string => new Date(at).toISOString().replace(/\D/g, '')
