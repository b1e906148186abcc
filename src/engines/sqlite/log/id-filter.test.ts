import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { MessageId } from '../../../domain/ids.ts'
import { instant } from '../../../lib/time.ts'
import { openIds } from '../../crypto/ids.ts'
import { CHAPTER_IDS, IdFilter } from './id-filter.ts'

const newId = (): MessageId => randomUUID() as MessageId

test('knows every id that was added, across chapters and after a restart', () => {
  const filter = new IdFilter()
  const ids = Array.from({ length: CHAPTER_IDS + 1_000 }, newId)
  for (const id of ids) filter.add(id)
  const { chapters, count } = filter.parts
  assert.deepEqual([chapters.length, count], [2, 1_000])
  const restored = new IdFilter(chapters, count)
  assert.ok(ids.every((id) => filter.mayHave(id) && restored.mayHave(id)))
})

test('hardly ever takes a new id for a stored one, also of ids that share their time', () => {
  const filter = new IdFilter()
  const { messageId } = openIds()
  const at = instant(Date.now())
  for (let count = 0; count < CHAPTER_IDS; count += 1) filter.add(messageId(at))
  let mistaken = 0
  for (let count = 0; count < 20_000; count += 1) if (filter.mayHave(messageId(at))) mistaken += 1
  assert.ok(mistaken < 60, `${mistaken} of 20,000`)
})

test('an empty filter has no id', () => {
  assert.equal(new IdFilter().mayHave(newId()), false)
})
