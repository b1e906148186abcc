/**
 * Through which providers the rows of a file go. Routes tell messages apart by sender and by the prefix of the
 * recipient, so one row for each combination of them is enough to ask about.
 */
import type { Routing } from '../send/routing.ts'
import type { Channel } from './mapping.ts'
import type { Row } from './rows.ts'

/** Rows that take the same route, and the one to ask about. */
export type RouteGroup = Readonly<{ to: string; sender: string; count: number }>

/** Without the rows whose recipient only the directory knows. */
export function groupRows(rows: readonly Row[], channel: Channel, prefixes: readonly string[]): readonly RouteGroup[] {
  const groups = new Map<string, RouteGroup>()
  for (const { item, to, sender } of rows) {
    if (item?.['to'] === undefined) continue
    const key = [sender, ...prefixes.filter((prefix) => covers(prefix, channel, to))].join('\n')
    const known = groups.get(key)
    groups.set(key, { to: known?.to ?? to, sender, count: (known?.count ?? 0) + 1 })
  }
  return [...groups.values()]
}

function covers(prefix: string, channel: Channel, to: string): boolean {
  const address = to.toLowerCase()
  return channel === 'sms' ? to.startsWith(prefix) : address.endsWith(`@${prefix}`) || address.endsWith(`.${prefix}`)
}

/** The messages that go the same way. `none`: no route takes them. `unknown`: only the gateway can tell. */
export type Way = Readonly<{ kind: 'routed' | 'waiting' | 'none' | 'unknown'; providers: readonly string[] }> &
  Readonly<{ isSimulated: boolean; count: number }>

export function toWays(routings: readonly Readonly<{ routing: Routing; count: number }>[]): readonly Way[] {
  const ways = new Map<string, Way>()
  for (const { routing, count } of routings) {
    const hasProviders = routing.kind === 'routed' || routing.kind === 'waiting'
    const providers = hasProviders ? routing.providers.map(({ name }) => name) : []
    const key = [routing.kind, ...providers].join('\n')
    const isSimulated = hasProviders && routing.isSimulated
    ways.set(key, { kind: routing.kind, providers, isSimulated, count: count + (ways.get(key)?.count ?? 0) })
  }
  return [...ways.values()].toSorted((a, b) => b.count - a.count)
}
