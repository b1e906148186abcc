/** Notices that are forgotten with their process. Those of one endpoint are one line, told from its front. */
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import { type Instant, instant } from '../../lib/time.ts'
import {
  type Changed,
  NOTICES_KEPT_FOR,
  type Notice,
  type NoticeKey,
  type NoticeQuery,
  type Notices,
} from '../../ports/webhook-deliveries.ts'
import { parseNoticeCursor, toNoticeCursor } from '../shared/webhook-delivery-rows.ts'
import type { MemoryEndpoints } from './endpoints.ts'
import { dueAt, type Kept, toNew, toReplayed, toResumed, toSettled, toWanted } from './webhook-delivery-steps.ts'

type Line = Omit<NoticeKey, 'messageId'>
type Known = Map<string, Kept>

const A_FEW = 100

export function memoryNotices({ now: endpoints, whenRemoved }: MemoryEndpoints): Notices {
  const known: Known = new Map()
  let last = 0
  whenRemoved(({ id: endpointId, ...of }) => {
    for (const { notice } of all({ ...of, endpointId })) known.delete(nameOf(notice))
  })
  const all = (line: Line): readonly Kept[] => [...known.values()].filter(({ notice }) => isIn(line, notice))
  const endpointOf = ({ endpointId: id, ...of }: Notice) => endpoints.find({ ...of, id })
  const isOpen = (notice: Notice): boolean => endpointOf(notice)?.disabled === undefined

  function want(changed: Changed, endpointId: Notice['endpointId'], since: Instant): void {
    last += 1
    const fresh = { n: last, notice: toNew(changed, endpointId, since) }
    const kept = known.get(nameOf(fresh.notice))
    known.set(nameOf(fresh.notice), kept === undefined ? fresh : toWanted(kept, changed))
  }

  return {
    async want(changes) {
      for (const changed of changes) {
        for (const { id, createdAt, tenantId, accountId } of endpoints.all()) {
          const isConcerned = tenantId === changed.tenantId && accountId === changed.accountId
          if (isConcerned && createdAt <= changed.at) want(changed, id, createdAt)
        }
        if (changed.hasCallback) want(changed, CALLBACK, instant(0))
      }
    },

    take: async (at, until, max, each) =>
      front(known, at, each)
        .filter(({ notice }) => isOpen(notice))
        .slice(0, max)
        .map(({ n, notice }) => {
          known.set(nameOf(notice), { n, notice, heldUntil: until })
          const endpoint = endpointOf(notice)
          return { notice, ...(endpoint === undefined ? {} : { endpoint }) }
        }),

    settle: async (held, told) => step(known, held, (kept) => toSettled(kept, held, told)),
    release: async (key) => step(known, key, ({ n, notice }) => ({ n, notice })),
    list: async (query) => list([...known.values()], query, isOpen),

    async replay({ messageId, ...line }, since, at) {
      const isChosen = ({ notice }: Kept): boolean =>
        messageId === undefined ? notice.updatedAt >= since : notice.messageId === messageId
      const chosen = all(line).filter(isChosen)
      for (const { notice } of chosen) step(known, notice, (kept) => toReplayed(kept, since, at))
      return chosen.length
    },

    async resume(line, at) {
      for (const { notice } of all(line)) step(known, notice, (kept) => toResumed(kept, at))
    },

    async forget(before) {
      const old = [...known].filter(([, { notice }]) => notice.updatedAt < before).slice(0, A_FEW)
      for (const [name] of old) known.delete(name)
      return old.length === A_FEW
    },
  }
}

function step(known: Known, key: NoticeKey, next: (kept: Kept) => Kept): void {
  const kept = known.get(nameOf(key))
  if (kept !== undefined && isIn(key, kept.notice)) known.set(nameOf(key), next(kept))
}

/** What may be taken of the first `each` of every line, in turns: those that somebody has keep their places. */
function front(known: Known, at: Instant, each: number): readonly Kept[] {
  const isOld = ({ notice }: Kept): boolean => notice.updatedAt < at - NOTICES_KEPT_FOR
  const due = [...known.values()].filter((kept) => dueAt(kept) <= at && !isOld(kept)).toSorted(longestDueFirst)
  const lines = Map.groupBy(due, ({ notice }) => lineOf(notice)).values()
  return [...lines]
    .flatMap((line) => line.slice(0, each).map((kept, turn) => ({ kept, turn })))
    .filter(({ kept: { heldUntil = 0 } }) => heldUntil <= at)
    .toSorted((one, other) => one.turn - other.turn || longestDueFirst(one.kept, other.kept))
    .map(({ kept }) => kept)
}

const longestDueFirst = (one: Kept, other: Kept): number => dueAt(one) - dueAt(other) || one.n - other.n
const nameOf = ({ messageId, endpointId }: Pick<NoticeKey, 'messageId' | 'endpointId'>): string =>
  `${messageId} ${endpointId}`
const lineOf = ({ tenantId, accountId, endpointId }: Line): string => `${tenantId} ${accountId} ${endpointId}`
const isIn = (line: Line, notice: Notice): boolean => lineOf(line) === lineOf(notice)

function list(all: readonly Kept[], query: NoticeQuery, isOpen: (notice: Notice) => boolean) {
  const { tenantId, accountId, endpointId, messageId, state, limit, cursor } = query
  const [updatedAt, before] = cursor === undefined ? [Number.POSITIVE_INFINITY, 0] : parseNoticeCursor(cursor)
  const found = all
    .filter(({ notice }) => notice.tenantId === tenantId && notice.accountId === accountId)
    .filter(({ notice }) => notice.endpointId === (endpointId ?? notice.endpointId))
    .filter(({ notice }) => notice.messageId === (messageId ?? notice.messageId))
    .filter(({ notice }) => notice.state === (state ?? notice.state))
    .filter(({ n, notice }) => notice.updatedAt < updatedAt || (notice.updatedAt === updatedAt && n < before))
    .toSorted((one, other) => other.notice.updatedAt - one.notice.updatedAt || other.n - one.n)
  const page = found.slice(0, limit)
  const end = found.length > limit ? page.at(-1) : undefined
  return {
    notices: page.map(({ notice }) => toShown(notice, isOpen(notice))),
    ...(end === undefined ? {} : { nextCursor: toNoticeCursor(end.notice.updatedAt, end.n) }),
  }
}

function toShown({ dueAt, ...notice }: Notice, isOpen: boolean): Notice {
  return isOpen && dueAt !== undefined ? { ...notice, dueAt } : notice
}
