import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { ACCEPTS, fakeProvider, OUTCOME_UNKNOWN, openGateway } from '../gateway.fixture.ts'
import { deadLetter, ShownFault } from './dead-letter.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('dead-letters a message that cannot be processed, without quoting its content in the reason', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  await deadLetter(gateway.deps, id, { error: new SyntaxError('unexpected: Your parcel'), faults: 8 })
  const { errorCode, errorDetail, dead, phase, ...state } = await gateway.stateOf(id)
  assert.deepEqual([toStatus(state), dead, phase], ['failed', true, 'closed'])
  assert.deepEqual([errorCode, errorDetail], ['PROCESSING_FAILED', 'processing failed 8 times in a row: SyntaxError'])
})

test('includes the message of an error that is safe to show', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  await deadLetter(gateway.deps, id, { error: new ShownFault('route r1 names no provider'), faults: 2 })
  const { errorDetail } = await gateway.stateOf(id)
  assert.equal(errorDetail, 'processing failed 2 times in a row: route r1 names no provider')
})

test('keeps an unknown attempt unknown and a finished message finished', async () => {
  const unknown = openGateway(world, { providers: [fakeProvider([OUTCOME_UNKNOWN])] })
  const lost = await unknown.submit()
  await unknown.work()
  await deadLetter(unknown.deps, lost, { error: new Error(), faults: 8 })
  assert.equal((await unknown.stateOf(lost)).phase, 'unknown')

  const gateway = openGateway(world, { providers: [fakeProvider([ACCEPTS])] })
  const sent = await gateway.submit()
  await gateway.work()
  await deadLetter(gateway.deps, sent, { error: new Error(), faults: 8 })
  assert.equal(toStatus(await gateway.stateOf(sent)), 'sent')
})
