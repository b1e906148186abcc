import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderName } from '../../../domain/ids.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import { NORTH } from '../../../ports/index-samples.contract.ts'
import { ACCEPTED, ATTEMPTED, someMessage, stateAfter, tenant } from '../../../ports/samples.contract.ts'
import { newTables } from '../store.fixture.ts'
import { findShapes, Shapes } from './shapes.ts'

const SENT = stateAfter(someMessage(), [ATTEMPTED, ACCEPTED])
const failedWith = (errorCode: string): MessageState => ({ ...SENT, errorCode })

/** Each differs from all others in what lists filter by or statistics count by. */
const STATES: readonly MessageState[] = [
  SENT,
  stateAfter(someMessage(), []),
  stateAfter(someMessage(), [ATTEMPTED]),
  { ...SENT, tenantId: tenant('south') },
  { ...SENT, channel: 'email' },
  { ...SENT, lane: 'bulk' },
  { ...SENT, providerState: 'bounced' },
  { ...SENT, phase: 'unknown' },
  { ...SENT, dead: true },
  { ...SENT, provider: 'other' as ProviderName },
  ...['', 'BUSY', 'busy', 'a\nb', 'a', '\0', 'a\0b', '0', 'null', '👍'].map(failedWith),
]

test('messages share a shape exactly if they have everything in common that is filtered and counted by', (t) => {
  const shapes = new Shapes(newTables(t))
  const numbers = STATES.map((state) => shapes.of(state))
  assert.equal(new Set(numbers).size, STATES.length)
  const others = STATES.map((state) => shapes.of({ ...state, id: someMessage().id, errorDetail: 'another' }))
  assert.deepEqual(others, numbers)
})

test('shapes are the same after a restart, whatever their error codes contain', (t) => {
  const db = newTables(t)
  const states = [...STATES, ...['\ud800', 'x\udfffy'].map(failedWith)]
  const [shapes, numbers] = [new Shapes(db), states.map((state) => new Shapes(db).of(state))]
  assert.deepEqual(
    states.map((state) => new Shapes(db).of(state)),
    numbers,
  )
  shapes.recall()
  assert.deepEqual(
    states.map((state) => shapes.of(state)),
    numbers,
  )
})

test('a rolled back shape is forgotten', (t) => {
  const db = newTables(t)
  const shapes = new Shapes(db)
  db.exec('begin')
  shapes.of(SENT)
  db.exec('rollback')
  shapes.recall()
  const shape = shapes.of(SENT)
  assert.deepEqual(findShapes(db, NORTH, {}), [shape])
})

test('finds the shapes that match a filter', (t) => {
  const db = newTables(t)
  const shapes = new Shapes(db)
  for (const state of STATES) shapes.of(state)
  const all = STATES.filter(({ tenantId }) => tenantId === NORTH).length
  assert.equal(findShapes(db, NORTH, {}).length, all)
  assert.equal(findShapes(db, NORTH, { channel: 'email' }).length, 1)
  assert.equal(findShapes(db, NORTH, { channel: 'sms', lane: 'bulk' }).length, 1)
  assert.equal(findShapes(db, NORTH, { channel: 'email', lane: 'bulk' }).length, 0)
  assert.equal(findShapes(db, NORTH, { unknown: false }).length, all - 1)
  assert.deepEqual(findShapes(db, tenant('south'), {}), [shapes.of({ ...SENT, tenantId: tenant('south') })])
})
