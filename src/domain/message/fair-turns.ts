/**
 * Whose turn it is. Lanes go round a ring that holds each as often as it weighs, evenly spread;
 * within a lane the tenants go in a circle. Every step is O(1), and a decision allocates nothing,
 * however many tenants wait.
 */
import type { TenantId } from '../ids.ts'
import { LANES, type Lane } from './message.ts'

export type LaneWeights = Readonly<Record<Lane, number>>
export type Turn = Readonly<{ lane: Lane; tenantId: TenantId }>

export type FairTurns = Readonly<{
  /** The tenant has work in the lane. Newcomers go last in their lane; one who is in already keeps its place. */
  add(lane: Lane, tenantId: TenantId): void

  /** The tenant has no more work in the lane. */
  remove(lane: Lane, tenantId: TenantId): void

  /** Who goes now, to be asked again only after everyone else in the lane; undefined when nobody has work. */
  next(): Turn | undefined
}>

/** Weights are whole numbers above zero. */
export function fairTurns(weights: LaneWeights): FairTurns {
  const circles: Readonly<Record<Lane, Circle>> = {
    otp: circle('otp'),
    transactional: circle('transactional'),
    bulk: circle('bulk'),
  }
  const ring = toRing(weights).map((lane) => circles[lane])
  let place = 0

  return {
    add: (lane, tenantId) => circles[lane].add(tenantId),
    remove: (lane, tenantId) => circles[lane].remove(tenantId),

    next() {
      for (let step = 0; step < ring.length; step += 1) {
        const turn = ring[place]?.next()
        place = (place + 1) % ring.length
        if (turn !== undefined) return turn
      }
      return undefined
    },
  }
}

/** Each lane as often as it weighs, spread evenly: always the lane that is furthest behind its share. */
export function toRing(weights: LaneWeights): readonly Lane[] {
  const total = LANES.reduce((sum, lane) => sum + weights[lane], 0)
  const credit = { otp: 0, transactional: 0, bulk: 0 }
  return Array.from({ length: total }, () => {
    for (const lane of LANES) credit[lane] += weights[lane]
    const richest = LANES.reduce((best, lane) => (credit[lane] > credit[best] ? lane : best))
    credit[richest] -= total
    return richest
  })
}

type Place = Turn & { before: Place; after: Place }
type Circle = ReturnType<typeof circle>

/** The tenants of one lane, as a doubly linked circle; `last` had the newest turn or came last. */
function circle(lane: Lane) {
  const places = new Map<TenantId, Place>()
  let last: Place | undefined

  return {
    add(tenantId: TenantId): void {
      if (places.has(tenantId)) return
      last = link(lane, tenantId, last)
      places.set(tenantId, last)
    },

    remove(tenantId: TenantId): void {
      const place = places.get(tenantId)
      if (place === undefined) return
      places.delete(tenantId)
      place.before.after = place.after
      place.after.before = place.before
      if (last === place) last = places.size === 0 ? undefined : place.before
    },

    next(): Turn | undefined {
      last = last?.after
      return last
    },
  }
}

function link(lane: Lane, tenantId: TenantId, before: Place | undefined): Place {
  const place = { lane, tenantId } as Place
  place.before = before ?? place
  place.after = before?.after ?? place
  place.before.after = place
  place.after.before = place
  return place
}
