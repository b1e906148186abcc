import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import { createdEntry, someMessage } from '../../ports/samples.contract.ts'
import { EventStream } from './event-stream.ts'
import type { Stored } from './jetstream.ts'
import { namesFor } from './subjects.ts'
import { encodeStored, toEncoded } from './wire.ts'

test('a refused writer waits until the competing write is visible, to tell a duplicate from a conflict', async () => {
  const { event } = createdEntry(someMessage())
  const stored: Stored = { subject: 'somewhere', seq: 5, at: instant(0), data: encodeStored(toEncoded(event), []) }
  let looks = 0
  const replicating = {
    publish: async () => undefined,
    get: async () => {
      looks += 1
      return looks < 4 ? undefined : stored
    },
  }
  assert.deepEqual(await new EventStream(replicating, namesFor('P', 1)).begin(event), { kind: 'duplicate' })
  assert.equal(looks, 4)
  const rival = { ...event, id: `${'f'.repeat(64)}` as typeof event.id }
  assert.deepEqual(await new EventStream(replicating, namesFor('P', 1)).begin(rival), { kind: 'conflict' })
})
