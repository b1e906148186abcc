import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { inProcessRoundLock } from '../engines/shared/in-process-round-lock.ts'
import { ACCEPTS, fakeProvider, openGateway, START } from '../flows/gateway.fixture.ts'
import { seconds } from '../lib/time.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { Polling } from './polling.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

/** A message that was handed off, and how long after that its provider was polled. */
async function handedOff(onAsked: () => void = () => undefined) {
  const askedAfter: number[] = []
  const provider = fakeProvider([ACCEPTS], {
    lookup: async () => {
      askedAfter.push((gateway.clock() - START) / 1000)
      onAsked()
      return { kind: 'undetermined' }
    },
  })
  const gateway = openGateway(world, { providers: [provider] })
  await gateway.submit()
  await gateway.work()
  await gateway.project()
  return { ...gateway, askedAfter, deps: { ...gateway.deps, rounds: inProcessRoundLock() } }
}

test('of several processes one runs each round, and each message is polled at its times, once', async () => {
  const { deps, pass, askedAfter } = await handedOff()
  const pollers = Array.from({ length: 3 }, () => new Polling(deps))
  for (let passed = 0; passed < 800; passed += 5) {
    await Promise.all(pollers.map((polling) => polling.round()))
    pass(seconds(5))
  }
  assert.deepEqual(askedAfter, [30, 150, 750])
})

test('a process that continues after a killed one leaves out no message', async () => {
  const { deps, pass, askedAfter } = await handedOff()
  const [one, other] = [new Polling(deps), new Polling(deps)]
  await one.round()
  pass(seconds(45))
  await other.round()
  assert.deepEqual(askedAfter, [45])
})

test('a round that a log outage interrupted is repeated, and one that failed for a bug is not', async () => {
  for (const [fault, expected] of [
    [new Unavailable('the log is unavailable'), [35, 40]],
    [new Error('a bug of ours'), [35]],
  ] as const) {
    let isBroken = false
    const { deps, pass, askedAfter } = await handedOff(() => {
      if (isBroken) throw fault
    })
    await using polling = new Polling(deps)
    await polling.round()
    pass(seconds(35))
    isBroken = true
    await assert.rejects(polling.round(), fault)
    isBroken = false
    pass(seconds(5))
    await polling.round()
    assert.deepEqual(askedAfter, expected)
    pass(seconds(5))
    await polling.round()
    assert.deepEqual(askedAfter, expected)
  }
})
