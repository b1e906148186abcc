import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { ATTEMPTED, append, createdEntry, nextEntry, stopped, VALIDATED } from '../../ports/samples.contract.ts'
import { observedLog } from './observed-log.ts'

test('calls every observer once per stored event, and never for a conflict or a duplicate', async () => {
  const { log: below } = openMemoryEngine({ clock: stopped })
  const [one, other]: MessageEvent[][] = [[], []]
  const log = observedLog(
    below,
    (event) => one?.push(event),
    (event) => other?.push(event),
  )
  const created = await append(log, createdEntry())
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  assert.equal((await log.append(nextEntry(created, VALIDATED))).kind, 'conflict')
  assert.equal((await log.append(nextEntry(created, ATTEMPTED))).kind, 'duplicate')
  assert.deepEqual(one, [created.event, attempted.event])
  assert.deepEqual(other, one)
})

test('calls no observer when the append fails', async () => {
  const { log: below } = openMemoryEngine({ clock: stopped })
  const broken = { ...below, append: async () => Promise.reject(new Error('no disk')) }
  const log = observedLog(broken, () => assert.fail('nothing was written'))
  await assert.rejects(log.append(createdEntry()), /no disk/)
})
