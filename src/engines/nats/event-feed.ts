/**
 * The feed of events of the cluster profile. Like a follower of the log it reads the stream in order, but no keys: those
 * who listen get no content. An event of another tenant is not decoded.
 */
import type { TenantId } from '../../domain/ids.ts'
import type { EventFeed } from '../../ports/event-feed.ts'
import type { Changes, Position } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { MessageTuple } from '../shared/codec.ts'
import { FollowedEvent } from './followers.ts'
import type { JetStream } from './jetstream.ts'
import type { Delivery } from './pulls.ts'
import { openSource } from './stream-source.ts'
import type { Names } from './subjects.ts'

type FeedDeps = Readonly<{ js: JetStream; names: Names; tip: () => Promise<Position> }>

const PAGE = 256

export const natsEventFeed = (deps: FeedDeps): EventFeed => ({
  live: (signal) => live(deps, signal),
  since: (from, tenantId, signal) => since(deps, { from, tenantId }, signal),
})

async function* live({ js, names, tip }: FeedDeps, signal: AbortSignal): AsyncIterable<Changes> {
  let at = await tip()
  await using source = await openSource(js, names.log, { after: at })
  yield { through: at, events: [] }
  while (!signal.aborted) {
    const page = await source.next(PAGE, signal)
    const last = page.at(-1)
    if (last === undefined) break
    at = last.seq as Position
    yield { through: at, events: page.map((delivery) => new FollowedEvent(delivery)) }
  }
  if (!signal.aborted) throw new Unavailable('the stream of events has broken off')
}

type Asked = Readonly<{ from: Position; tenantId: TenantId }>

async function* since(
  { js, names, tip }: FeedDeps,
  { from, tenantId }: Asked,
  signal: AbortSignal,
): AsyncIterable<Changes> {
  const end = await tip()
  if (from >= end) return
  await using source = await openSource(js, names.log, { after: from })
  for (let at: number = from; at < end && !signal.aborted; ) {
    const page = source.pending === 0 ? [] : await source.next(PAGE, signal)
    const last = page.at(-1)
    if (last === undefined && source.pending > 0) return
    // The broker has dropped what came after the last event.
    at = last?.seq ?? end
    yield { through: at as Position, events: ofTenant(page, tenantId) }
  }
}

const ofTenant = (page: readonly Delivery[], tenantId: TenantId): readonly FollowedEvent[] =>
  page
    .map((delivery) => new FollowedEvent(delivery))
    .filter(({ encoded: { facts } }) => facts.includes(`"${tenantId}"`) && tenantOf(facts) === tenantId)

const tenantOf = (facts: string): TenantId => (JSON.parse(facts) as MessageTuple)[1]
