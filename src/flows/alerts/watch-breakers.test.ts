import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openAlertWorld } from './alerts.fixture.ts'
import { watchBreakers } from './watch-breakers.ts'

const ACME = 'acme' as ProviderName

async function open() {
  const world = openAlertWorld({ openEngine: openMemoryEngine, ids: openIds() })
  const { breakers } = world.engine
  await world.addEndpoint(['provider.breaker_opened', 'provider.breaker_closed'])
  return {
    ...world,
    look: () => watchBreakers({ ...world.deps, breakers }),
    turn: (to: 'open' | 'closed') => breakers.force(ACME, to, world.clock()),
    kinds: async () => (await world.told()).map(({ kind }) => kind),
  }
}

test('a breaker that opens and closes is told once each, however often it is looked at', async () => {
  const { look, turn, kinds, pass, turns, clock } = await open()
  await look()
  assert.deepEqual(await kinds(), [])
  const openedAt = clock()
  await turn('open')
  for (let round = 0; round < 3; round += 1) {
    await Promise.all([look(), look()])
    pass(5)
  }
  assert.deepEqual(await kinds(), ['provider.breaker_opened'])
  await turn('closed')
  await Promise.all([look(), look()])
  await look()
  assert.deepEqual(await kinds(), ['provider.breaker_closed'])
  assert.deepEqual(turns, [
    { kind: 'provider.breaker_opened', provider: ACME, openedAt },
    { kind: 'provider.breaker_closed', provider: ACME, openedAt },
  ])
})

test('turns between two looks are made up for', async () => {
  const { look, turn, kinds, pass } = await open()
  await turn('open')
  await look()
  assert.deepEqual(await kinds(), ['provider.breaker_opened'])
  await turn('closed')
  pass(1)
  await turn('open')
  await look()
  assert.deepEqual((await kinds()).toSorted(), ['provider.breaker_closed', 'provider.breaker_opened'])
})

test('a process that finds an alert of a breaker that is closed by now tells the end', async () => {
  const { look, kinds, deps, clock } = await open()
  await deps.raisedAlerts.raise({ kind: 'provider.breaker_opened', subject: ACME }, clock())
  await look()
  assert.deepEqual(await kinds(), ['provider.breaker_closed'])
  assert.deepEqual(await deps.raisedAlerts.list('provider.breaker_opened'), new Map())
})
