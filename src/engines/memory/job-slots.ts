/**
 * Each message has at most one slot. It is `waiting` until its time comes, `ready` in the line of its
 * lane and tenant, or `taken` until its lease runs out. A slot with a new turn is a new job.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Lane } from '../../domain/message.ts'
import { type Instant, instant, later, type Millis, millis } from '../../domain/time.ts'
import type { Depth, Job, Taken } from '../../ports/queue.ts'
import { fairLines } from './fair-lines.ts'

type Slot = { readonly job: Job; turn: number; state: 'waiting' | 'ready' | 'taken'; until: Instant }

const AT_ONCE = instant(0)

export function jobSlots(lease: Millis) {
  const slots = new Map<MessageId, Slot>()
  const asleep = new Set<Slot>()
  const ready = fairLines<Slot>()
  const newTurn = counter()

  function leave(id: MessageId): void {
    const slot = slots.get(id)
    if (slot === undefined) return
    slots.delete(id)
    asleep.delete(slot)
    if (slot.state === 'ready') ready.remove(slot)
  }

  return {
    leave,
    has: (id: MessageId): boolean => slots.has(id),
    isCurrent: ({ job, turn }: Taken): boolean => slots.get(job.messageId)?.turn === turn,

    enter(job: Job): void {
      leave(job.messageId)
      const slot: Slot = { job, turn: newTurn(), state: 'waiting', until: job.dueAt ?? AT_ONCE }
      slots.set(job.messageId, slot)
      asleep.add(slot)
    },

    wakeDue(now: Instant): void {
      for (const slot of asleep) {
        if (slot.until > now) continue
        asleep.delete(slot)
        if (slot.state === 'taken') slot.turn = newTurn()
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
      return { job: slot.job, turn: slot.turn }
    },

    /** How long until some slot wakes by itself. */
    untilDue(now: Instant): Millis | undefined {
      const next = asleep.values().reduce((least, { until }) => Math.min(least, until), Number.POSITIVE_INFINITY)
      return Number.isFinite(next) ? millis(next - now) : undefined
    },

    depth: (lane: Lane): Depth => depthOf(lane, [...slots.values()]),
  }
}

function depthOf(lane: Lane, slots: readonly Slot[]): Depth {
  const states = slots.filter(({ job }) => job.lane === lane).map(({ state }) => state)
  const count = (wanted: Slot['state']): number => states.filter((state) => state === wanted).length
  return { lane, ready: count('ready'), delayed: count('waiting'), taken: count('taken') }
}

function counter(): () => number {
  let count = 0
  return () => {
    count += 1
    return count
  }
}
