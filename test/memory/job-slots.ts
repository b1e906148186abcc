/**
 * Each message has at most one slot: `waiting` until it is due, `ready` in its tenant queue, or `taken` until its
 * lease expires. A slot with a new lease token is a new job.
 */

import type { MessageId, TenantId } from '../../src/domain/ids.ts'
import { LANES, type Lane } from '../../src/domain/message/message.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { type Instant, instant, later, type Millis, millis } from '../../src/lib/time.ts'
import type { Depth, Gate, Job, Parked, Taken } from '../../src/ports/queue.ts'
import { fairQueues } from './fair-queues.ts'

/** A slot waiting at its gate is parked; a ready or taken one keeps the gate it comes from. */
type Slot = {
  readonly job: Job
  readonly gate?: Gate
  leaseToken: number
  state: 'waiting' | 'ready' | 'taken'
  until: Instant
}

const AT_ONCE = instant(0)

export function jobSlots(lease: Millis) {
  const slots = new Map<MessageId, Slot>()
  const asleep = new Set<Slot>()
  const ready = fairQueues<Slot>()
  const newLeaseToken = counter()

  function remove(id: MessageId): void {
    const slot = slots.get(id)
    if (slot === undefined) return
    slots.delete(id)
    asleep.delete(slot)
    if (slot.state === 'ready') ready.remove(slot)
  }

  return {
    remove,
    has: (id: MessageId): boolean => slots.has(id),
    isCurrent: ({ job, leaseToken }: Taken): boolean => slots.get(job.messageId)?.leaseToken === leaseToken,

    add(job: Job, gate?: Gate): void {
      remove(job.messageId)
      const until = job.dueAt ?? AT_ONCE
      const slot: Slot = omitUndefined({ job, gate, leaseToken: newLeaseToken(), state: 'waiting' as const, until })
      slots.set(job.messageId, slot)
      asleep.add(slot)
    },

    /** Makes up to `max` parked slots due. */
    unpark(which: Parked, max: number): number {
      const found = [...asleep].filter((slot) => isParked(slot) && isOf(slot, which)).toSorted(byLane)
      const freed = found.slice(0, max)
      for (const slot of freed) slot.until = AT_ONCE
      return freed.length
    },

    wakeDue(now: Instant): void {
      for (const slot of asleep) {
        if (slot.until > now) continue
        asleep.delete(slot)
        if (slot.state === 'taken') slot.leaseToken = newLeaseToken()
        slot.state = 'ready'
        ready.add(slot)
      }
    },

    takeNext(now: Instant): Taken | undefined {
      const slot = ready.next()
      if (slot === undefined) return undefined
      slot.state = 'taken'
      slot.until = later(now, lease)
      asleep.add(slot)
      const { job, leaseToken, gate } = slot
      return omitUndefined({ job, leaseToken, gate })
    },

    /** How long until the next slot is due. */
    untilDue(now: Instant): Millis | undefined {
      const next = asleep.values().reduce((least, { until }) => Math.min(least, until), Number.POSITIVE_INFINITY)
      return Number.isFinite(next) ? millis(next - now) : undefined
    },

    depth: (lane: Lane, tenantId?: TenantId): Depth =>
      depthOf(lane, [...slots.values().filter(({ job }) => (tenantId ?? job.tenantId) === job.tenantId)]),
  }
}

const isParked = ({ gate, state, until }: Slot): boolean =>
  gate !== undefined && state === 'waiting' && until !== AT_ONCE

const isOf = ({ gate = [], job }: Pick<Slot, 'job'> & { gate?: readonly string[] }, which: Parked): boolean =>
  'provider' in which ? gate.includes(which.provider) : job.tenantId === which.tenantId

const byLane = (one: Slot, other: Slot): number =>
  LANES.indexOf(one.job.lane) - LANES.indexOf(other.job.lane) || one.leaseToken - other.leaseToken

function depthOf(lane: Lane, slots: readonly Slot[]): Depth {
  const inLane = slots.filter(({ job }) => job.lane === lane)
  const count = (isCounted: (slot: Slot) => boolean): number => inLane.filter(isCounted).length
  return {
    lane,
    ready: count(({ state }) => state === 'ready'),
    delayed: count((slot) => slot.state === 'waiting' && !isParked(slot)),
    parked: count(isParked),
    taken: count(({ state }) => state === 'taken'),
  }
}

function counter(): () => number {
  let count = 0
  return () => {
    count += 1
    return count
  }
}
