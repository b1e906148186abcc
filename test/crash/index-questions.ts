/** What must hold of the index: it equals one made anew from the log, and knows nothing of what was erased. */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { project } from '../../src/flows/admin/project.ts'
import type { EventLog } from '../../src/ports/event-log.ts'
import type { MessageIndex, Row } from '../../src/ports/message-index.ts'
import { memoryMessageIndex } from '../memory/message-index.ts'
import { TENANTS } from './story.ts'
import type { World } from './world.ts'

export async function questionIndex(world: World): Promise<void> {
  const { sim, engine, story } = world
  const violated = (what: string): void => sim.violated(what, 'S2-REPLAY')
  const rows = await allRows(engine.index)
  if (rows.length !== sim.written.size) violated(`the index has ${rows.length} of ${sim.written.size} messages`)
  for (const row of rows) {
    const latest = await engine.log.latest(row.state.id)
    if (!isDeepStrictEqual(row.state, latest?.event.state)) violated(`the index is behind on ${row.state.id}`)
    const isErased = story.promises.erased.has(row.state.id)
    if (isErased !== (row.searchable === undefined))
      violated(`the index ${isErased ? 'still' : 'no longer'} knows ${row.state.id}`)
  }
  for (const page of [1, EVERYTHING]) {
    const anew = await allRows(await rebuild(world, page))
    if (!isDeepStrictEqual(rows, anew)) violated(`the index made again in pages of ${page} differs`)
  }
}

const EVERYTHING = 10_000

async function allRows(index: MessageIndex): Promise<readonly Row[]> {
  const pages = await Promise.all(TENANTS.map((tenantId) => index.search({ tenantId, filter: {}, limit: 1000 })))
  return pages.flatMap(({ rows }) => rows)
}

const MOST_TURNS = 1_000

/** `page` is how many events it is told of at once. A projector that never gets there is stopped. */
async function rebuild({ engine: { log } }: World, page: number): Promise<MessageIndex> {
  const index = memoryMessageIndex()
  const stop = new AbortController()
  const paged: EventLog = { ...log, changes: (after, _limit, signal) => log.changes(after, page, signal) }
  const running = project({ log: paged, index, rest: () => Promise.resolve() }, stop.signal)
  const tip = await log.tip()
  for (let turn = 0; turn < MOST_TURNS && (await index.position()) < tip; turn += 1) await setImmediate()
  stop.abort()
  await running
  return index
}
