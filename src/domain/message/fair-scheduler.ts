/**
 * Schedules tenants fairly. Lanes take turns by weight, evenly interleaved; within a lane tenants take turns round
 * robin. Every step is O(1) and allocates nothing, however many tenants wait.
 */
import type { TenantId } from '../ids.ts'
import { LANES, type Lane } from './message.ts'

type LaneWeights = Readonly<Record<Lane, number>>
export type Turn = Readonly<{ lane: Lane; tenantId: TenantId }>

export type FairScheduler = Readonly<{
  /** The tenant has work in the lane. A new tenant goes last in its lane; adding one again changes nothing. */
  add(lane: Lane, tenantId: TenantId): void

  /** The tenant has no more work in the lane. */
  remove(lane: Lane, tenantId: TenantId): void

  /** The next tenant to serve, after which all others of its lane come first; undefined when there is no work. */
  next(): Turn | undefined
}>

/** Weights are positive integers. */
export function fairScheduler(weights: LaneWeights): FairScheduler {
  const circles: Readonly<Record<Lane, Circle>> = {
    otp: circle('otp'),
    transactional: circle('transactional'),
    bulk: circle('bulk'),
  }
  const ring = toRing(weights).map((lane) => circles[lane])
  let index = 0

  return {
    add: (lane, tenantId) => circles[lane].add(tenantId),
    remove: (lane, tenantId) => circles[lane].remove(tenantId),

    next() {
      for (let step = 0; step < ring.length; step += 1) {
        const turn = ring[index]?.next()
        index = (index + 1) % ring.length
        if (turn !== undefined) return turn
      }
      return undefined
    },
  }
}

/** Each lane as often as its weight, interleaved: always the lane furthest behind its share. */
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

type Node = Turn & { before: Node; after: Node }
type Circle = ReturnType<typeof circle>

/** The tenants of one lane as a doubly linked circle; `last` was served or added last. */
function circle(lane: Lane) {
  const nodes = new Map<TenantId, Node>()
  let last: Node | undefined

  return {
    add(tenantId: TenantId): void {
      if (nodes.has(tenantId)) return
      last = link(lane, tenantId, last)
      nodes.set(tenantId, last)
    },

    remove(tenantId: TenantId): void {
      const node = nodes.get(tenantId)
      if (node === undefined) return
      nodes.delete(tenantId)
      node.before.after = node.after
      node.after.before = node.before
      if (last === node) last = nodes.size === 0 ? undefined : node.before
    },

    next(): Turn | undefined {
      last = last?.after
      return last
    },
  }
}

function link(lane: Lane, tenantId: TenantId, before: Node | undefined): Node {
  const node = { lane, tenantId } as Node
  node.before = before ?? node
  node.after = before?.after ?? node
  node.before.after = node
  node.after.before = node
  return node
}
