/** What becomes of a notice: wanted, told, failed, replayed. One that is pending has a time, whatever its endpoint is. */
import { type Instant, instant } from '../../lib/time.ts'
import { type Position, START } from '../../ports/event-log.ts'
import type { Changed, HeldNotice, Notice, NoticeKey, Told } from '../../ports/webhook-deliveries.ts'

/** `n` grows with every notice. */
export type Kept = Readonly<{ n: number; notice: Notice; heldUntil?: Instant }>

export const dueAt = ({ notice }: Kept): number => notice.dueAt ?? Number.POSITIVE_INFINITY

export function toNew(
  { messageId, tenantId, accountId, position, at }: Changed,
  endpointId: NoticeKey['endpointId'],
  since: Instant,
): Notice {
  const key = { tenantId, accountId, messageId, endpointId }
  const standing = { state: 'pending', told: START, wanted: position, since, failures: 0, dueAt: at } as const
  return { ...key, ...standing, createdAt: at, updatedAt: at }
}

/** One that waits, for whatever reason, goes on waiting. */
export function toWanted(kept: Kept, { position, at }: Changed): Kept {
  const { notice } = kept
  if (position <= notice.wanted) return kept
  const more = { ...notice, wanted: position, updatedAt: latest(notice.updatedAt, at) }
  const isPending = notice.state === 'pending'
  return { ...kept, notice: isPending ? more : { ...more, state: 'pending', failures: 0, dueAt: at } }
}

export function toSettled(kept: Kept, held: HeldNotice, told: Told): Kept {
  const { n, notice } = kept
  const isReplayed = notice.told < (held.told ?? START)
  if (isReplayed) return kept
  if (told.kind === 'failed') return notice.state === 'pending' ? { n, notice: toFailed(notice, told) } : kept
  if (told.through <= notice.told) return kept
  return { n, notice: toTold(notice, told), ...(told.until === undefined ? {} : { heldUntil: told.until }) }
}

function toTold(notice: Notice, { through, status, at }: Told & { kind: 'told' }): Notice {
  const { dueAt: _, lastError: __, ...kept } = notice
  const isMore = notice.wanted > through
  return {
    ...kept,
    told: through,
    wanted: Math.max(notice.wanted, through) as Position,
    failures: 0,
    ...(isMore ? { state: 'pending', dueAt: at } : { state: 'told' }),
    ...(status === undefined ? {} : { lastStatus: status, triedAt: at }),
    updatedAt: latest(notice.updatedAt, at),
  }
}

function toFailed(notice: Notice, { status, error, at, again }: Told & { kind: 'failed' }): Notice {
  const { dueAt: _, lastStatus: __, ...kept } = notice
  return {
    ...kept,
    failures: notice.failures + 1,
    lastError: error,
    triedAt: at,
    ...(status === undefined ? {} : { lastStatus: status }),
    ...(again === undefined ? { state: 'given_up' } : { dueAt: again }),
    updatedAt: latest(notice.updatedAt, at),
  }
}

/** Whoever had it in hand has it no more. */
export const toReplayed = ({ n, notice }: Kept, since: Instant, at: Instant): Kept => ({
  n,
  notice: { ...notice, state: 'pending', told: START, since, failures: 0, dueAt: at },
})

export function toResumed(kept: Kept, at: Instant): Kept {
  if (kept.notice.state !== 'pending') return kept
  return { ...kept, notice: { ...kept.notice, dueAt: instant(Math.min(dueAt(kept), at)) } }
}

const latest = (one: Instant, other: Instant): Instant => (one < other ? other : one)
