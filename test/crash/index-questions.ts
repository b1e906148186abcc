/** What must hold of the index: it equals one made anew from the log, and knows nothing of what was erased. */
import { isDeepStrictEqual } from 'node:util'
import { memoryMessageIndex } from '../../src/engines/memory/message-index.ts'
import { project } from '../../src/flows/project.ts'
import { type EventLog, START } from '../../src/ports/event-log.ts'
import type { MessageIndex, Row } from '../../src/ports/message-index.ts'
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

/** `page` is how many events it is told of at once. */
async function rebuild({ engine: { log } }: World, page: number): Promise<MessageIndex> {
  const index = memoryMessageIndex()
  const enough = new AbortController()
  const tip = await log.tip()
  if (tip === START) return index
  const rest = async (): Promise<void> => {
    if ((await index.position()) >= tip) enough.abort()
  }
  const paged: EventLog = { ...log, changes: (after, _limit, signal) => log.changes(after, page, signal) }
  await project({ log: paged, index, rest }, enough.signal)
  return index
}
