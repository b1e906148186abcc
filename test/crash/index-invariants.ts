/** Checks the index: it equals one rebuilt from the log, and contains nothing that was erased. */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { project } from '../../src/flows/admin/project.ts'
import type { EventLog } from '../../src/ports/event-log.ts'
import type { MessageIndex, Row } from '../../src/ports/message-index.ts'
import { memoryMessageIndex } from '../memory/message-index.ts'
import { TENANTS } from './workload.ts'
import type { World } from './world.ts'

export async function checkIndex(world: World): Promise<void> {
  const { sim, engine, workload } = world
  const violated = (what: string): void => sim.reportViolation(what, 'S2-REPLAY')
  const rows = await allRows(engine.index)
  if (rows.length !== sim.written.size) violated(`the index has ${rows.length} of ${sim.written.size} messages`)
  for (const row of rows) {
    const latest = await engine.log.latest(row.state.id)
    if (!isDeepStrictEqual(row.state, latest?.event.state)) violated(`the index is behind on ${row.state.id}`)
    const isErased = workload.acknowledged.erased.has(row.state.id)
    if (isErased !== (row.searchable === undefined))
      violated(`the index ${isErased ? 'still' : 'no longer'} contains ${row.state.id}`)
  }
  for (const page of [1, EVERYTHING]) {
    const rebuilt = await allRows(await rebuild(world, page))
    if (!isDeepStrictEqual(rows, rebuilt)) violated(`the index rebuilt in pages of ${page} differs`)
  }
}

const EVERYTHING = 10_000

async function allRows(index: MessageIndex): Promise<readonly Row[]> {
  const pages = await Promise.all(TENANTS.map((tenantId) => index.search({ tenantId, filter: {}, limit: 1000 })))
  return pages.flatMap(({ rows }) => rows)
}

const MAX_ROUNDS = 1_000

/** Projects `page` events at a time, and stops a projector that does not finish. */
async function rebuild({ engine: { log } }: World, page: number): Promise<MessageIndex> {
  const index = memoryMessageIndex()
  const stop = new AbortController()
  const paged: EventLog = { ...log, changes: (after, _limit, signal) => log.changes(after, page, signal) }
  const running = project({ log: paged, index, rest: () => Promise.resolve() }, stop.signal)
  const tip = await log.tip()
  for (let round = 0; round < MAX_ROUNDS && (await index.position()) < tip; round += 1) await setImmediate()
  stop.abort()
  await running
  return index
}
