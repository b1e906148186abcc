/** A message that an earlier release wrote is as it was there, whatever happened to it since. */
import assert from 'node:assert/strict'
import type { MessageId } from '../../src/domain/ids.ts'
import { toSummary } from '../../src/domain/message/searchable.ts'
import type { Row } from '../../src/ports/message-index.ts'
import type { PoweredEngine } from './engine.ts'
import type { Promised } from './promises.ts'

/** `listed` is what the index has. Which messages are missing there, and may be, was found out before. */
export async function checkEarlier(
  { log }: PoweredEngine,
  { messages }: Promised,
  listed: ReadonlyMap<string, Row>,
): Promise<void> {
  for (const [id, { earlier, erasure }] of messages) {
    const row = listed.get(id)
    if (earlier === undefined || row === undefined) continue
    const read = (await log.read(id as MessageId)).map(({ position, event }) => [position, event])
    assert.deepEqual(read.slice(0, earlier.events.length), earlier.events, 'its events and their places are the same')
    const wasErased = earlier.content === undefined
    if (!wasErased && erasure !== 'none') continue
    assert.deepEqual(row.searchable, earlier.searchable && toSummary(earlier.searchable), 'search may see the same')
    const kept = wasErased ? earlier.searchable : undefined
    assert.deepEqual((await log.load(id as MessageId))?.searchable, kept, 'an erasure keeps the same')
  }
}
