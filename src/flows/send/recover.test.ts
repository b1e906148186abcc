import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import { ACCEPTS, DEFERS, fakeProvider, type Gateway, openGateway } from '../gateway.fixture.ts'
import { Recovery } from './recover.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const PATIENCE = seconds(10)

/** The number of jobs that a round has recovered. */
const opened = ({ deps }: Gateway) => {
  const recovery = new Recovery(deps, PATIENCE)
  return async (): Promise<number> => (await recovery.round()).recovered
}

/** Removes the message's job, as a queue failure would. */
async function loseJob({ take, queue }: Gateway): Promise<void> {
  const taken = await take()
  assert.ok(taken !== undefined)
  await queue.done(taken)
}

test('queues a message without a job again once it is overdue', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  await loseJob(gateway)
  await gateway.project()
  const recover = opened(gateway)
  gateway.pass(PATIENCE)
  assert.equal(await recover(), 0)
  gateway.pass(millis(1))
  assert.equal(await recover(), 1)
  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
})

test('does not queue a second job', async () => {
  const gateway = openGateway(world)
  await gateway.submit()
  await gateway.project()
  gateway.pass(seconds(60))
  const recover = opened(gateway)
  assert.deepEqual([await recover(), await recover()], [0, 0])
  assert.equal(
    (await gateway.queue.depth()).reduce((sum, { ready }) => sum + ready, 0),
    1,
  )
})

test('queues a retry without a job again once it is overdue, and not before', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([DEFERS, ACCEPTS])] })
  const id = await gateway.submit()
  await gateway.work()
  await gateway.project()
  gateway.pass(seconds(2))
  await loseJob(gateway)
  const recover = opened(gateway)
  gateway.pass(PATIENCE)
  assert.equal(await recover(), 0)
  gateway.pass(millis(1))
  assert.equal(await recover(), 1)
  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
})

test('does not queue a finished message', async () => {
  const gateway = openGateway(world)
  await gateway.submit()
  await gateway.work()
  await gateway.project()
  gateway.pass(seconds(3600))
  assert.equal(await opened(gateway)(), 0)
})
