/**
 * The dependencies of a send, so that it decides as ever and changes nothing: the log takes no event, limits count
 * nothing, and no challenge is armed. A preflight runs the send itself on them, so the two cannot disagree.
 */
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { SIX_DIGITS } from '../../domain/otp/code.ts'
import { millis } from '../../lib/time.ts'
import type { Revision } from '../../ports/event-log.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { StartOtpDeps } from '../otp/start-otp.ts'
import type { AdmitDeps } from '../send/admit.ts'
import { statusesOf } from './standing.ts'

export function withoutEffect<Deps extends AdmitDeps>(deps: Deps): Deps {
  const { log, limiter } = deps
  return { ...deps, log: lookingLog(log), limiter: lookingLimiter(limiter), onLimited: () => undefined }
}

/** Whether the log would take the first event of a message. */
const lookingLog = (log: AdmitDeps['log']): AdmitDeps['log'] => ({
  ...log,
  load: (id, hasRoom, taken) => log.load(id, hasRoom, taken),
  append: async ({ event }) =>
    (await log.load(event.state.id)) === undefined
      ? { kind: 'appended', revision: NOT_APPENDED }
      : { kind: 'conflict' },
})

const NOT_APPENDED = 0 as Revision

/** Decides like `Limiter.admit`, and counts nothing. */
const lookingLimiter = (limiter: Limiter): Limiter => ({
  status: (counter) => limiter.status(counter),
  async admit(counters, act) {
    const limits = await statusesOf({ limiter }, counters)
    const reached = limits.filter(({ used, counter: { rule } }) => used >= rule.limit)
    if (reached.length === 0) return { kind: 'admitted', value: (await act()).value, limits }
    return { kind: 'limited', limits, retryAfter: millis(Math.max(...reached.map(({ resetsIn }) => resetsIn))) }
  },
})

/** Hashing takes long, and this code is not sent. */
const NO_HASH = '' as CodeHash
const NO_PLACE: Disposable = { [Symbol.dispose]: () => undefined }
const noCode: StartOtpDeps['drawCode'] = ({ length } = SIX_DIGITS) => '0'.repeat(length)

/** The same for one-time codes. */
export const otpWithoutEffect = (deps: StartOtpDeps): StartOtpDeps => ({
  ...withoutEffect(deps),
  challenges: {
    ...deps.challenges,
    find: (ref) => deps.challenges.find(ref),
    begin: async () => true,
    arm: async () => undefined,
  },
  hasher: { hash: async () => NO_HASH, matches: async () => true, reserve: () => NO_PLACE },
  drawCode: noCode,
})
