import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seconds } from '../domain/time.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openMemoryEngine } from '../engines/memory/memory.ts'
import { memoryRounds } from '../engines/memory/rounds.ts'
import { ACCEPTS, fakeProvider, openGateway, START } from '../flows/gateway.fixture.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { pollingRounds } from './polling.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

/** A message that was handed off, and how long after that its provider was asked. */
async function handedOff() {
  const askedAfter: number[] = []
  const provider = fakeProvider([ACCEPTS], {
    lookup: async () => {
      askedAfter.push((gateway.clock() - START) / 1000)
      return { kind: 'undetermined' }
    },
  })
  const gateway = openGateway(world, { providers: [provider] })
  await gateway.submit()
  await gateway.work()
  await gateway.project()
  return { ...gateway, askedAfter, deps: { ...gateway.deps, rounds: memoryRounds() } }
}

test('of several processes one makes each round, and each message is asked about at its times, once', async () => {
  const { deps, pass, askedAfter } = await handedOff()
  const chores = Array.from({ length: 3 }, () => pollingRounds(deps))
  for (let passed = 0; passed < 800; passed += 5) {
    await Promise.all(chores.map((chore) => chore()))
    pass(seconds(5))
  }
  assert.deepEqual(askedAfter, [30, 150, 750])
})

test('a process that goes on where another was killed leaves nothing out', async () => {
  const { deps, pass, askedAfter } = await handedOff()
  const [one, other] = [pollingRounds(deps), pollingRounds(deps)]
  await one()
  pass(seconds(45))
  await other()
  assert.deepEqual(askedAfter, [45])
})

test('a round that ended because a store was away is made up for, and one that met a bug is not made again', async () => {
  for (const [fault, expected] of [
    [new Unavailable('the index is away'), [40]],
    [new Error('a bug of ours'), []],
  ] as const) {
    const { deps, pass, askedAfter } = await handedOff()
    let isBroken = false
    const index: MessageIndex = {
      ...deps.index,
      neglected: (query) => (isBroken ? Promise.reject(fault) : deps.index.neglected(query)),
    }
    const chore = pollingRounds({ ...deps, index })
    await chore()
    pass(seconds(35))
    isBroken = true
    await assert.rejects(chore(), fault)
    isBroken = false
    pass(seconds(5))
    await chore()
    assert.deepEqual(askedAfter, expected)
    pass(seconds(5))
    await chore()
    assert.deepEqual(askedAfter, expected)
  }
})
