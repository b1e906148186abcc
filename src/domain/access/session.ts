/** How long a session lives: it ends when it has been idle for too long, and in any case after a fixed time. */
import { type Instant, type Millis, seconds } from '../../lib/time.ts'

export type SessionLifetimes = Readonly<{ absolute: Millis; idle: Millis }>

/** How long an invitation can be accepted. */
export const INVITATION_LIFETIME = seconds(72 * 3_600)

/** How precisely the time of the last use is known: not every call writes. */
const GRAIN = seconds(60)

/** When a session that is used now ends unless it is used again. */
export const endOf = (createdAt: Instant, now: Instant, { absolute, idle }: SessionLifetimes): Instant =>
  Math.min(createdAt + absolute, now + idle) as Instant

/** The later end that a session gets by being used now; undefined if it would hardly differ. */
export function extendedEnd(
  session: Readonly<{ createdAt: Instant; expiresAt: Instant }>,
  now: Instant,
  lifetimes: SessionLifetimes,
): Instant | undefined {
  const end = endOf(session.createdAt, now, lifetimes)
  return end - session.expiresAt >= Math.min(GRAIN, lifetimes.idle / 4) ? end : undefined
}
