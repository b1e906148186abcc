import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpointsContract } from '../../ports/endpoints.contract.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { webhookAttemptsContract } from '../../ports/webhook-attempts.contract.ts'
import { webhookDeliveriesContract } from '../../ports/webhook-deliveries.contract.ts'
import {
  addEndpoint,
  findDelivery,
  keyOf,
  LEASE_END,
  secondsAfter,
  someChange,
  someEndpoint,
  takeAll,
} from '../../ports/webhook-delivery-samples.contract.ts'
import { openInThread } from '../../profiles/threaded-engine.fixture.ts'
import { JournalProgress } from './journal/progress.ts'
import { openSqlite } from './sqlite.ts'
import { newFolder, UNSEALED } from './store.fixture.ts'
import { openStore } from './store.ts'

const optionsOf = (path: string) => ({ path, clock: stopped, ...UNSEALED, indexBodies: false })

async function openHere() {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-'))
  const engine = await openSqlite(optionsOf(join(folder, 'pombo.db')))
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

endpointsContract('sqlite', openHere)
webhookDeliveriesContract('sqlite', openHere)
webhookAttemptsContract('sqlite', openHere)
endpointsContract('sqlite in another thread', openInThread)
webhookDeliveriesContract('sqlite in another thread', openInThread)
webhookAttemptsContract('sqlite in another thread', openInThread)

test('endpoints and webhook deliveries survive a restart, and leases do not', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const change = someChange(1)
  const { endpoint, delivery } = await (async () => {
    await using before = await openSqlite(optionsOf(path))
    const endpoint = await addEndpoint(before.endpoints, { description: 'kept' })
    await before.webhookDeliveries.enqueue([change])
    const [delivery] = await takeAll(before.webhookDeliveries, secondsAfter(1))
    assert.deepEqual(await takeAll(before.webhookDeliveries, secondsAfter(1)), [])
    return { endpoint, delivery }
  })()
  await using after = await openSqlite(optionsOf(path))
  assert.deepEqual(await after.endpoints.find(endpoint), endpoint)
  assert.deepEqual(await findDelivery(after.webhookDeliveries, keyOf(change, endpoint)), delivery)
  assert.deepEqual(await takeAll(after.webhookDeliveries, secondsAfter(1)), [delivery])
})

test('the cached existence of endpoints matches the table, also after a rollback', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const store = openStore({ ...optionsOf(path), progress: new JournalProgress() })
  t.after(() => store.close())
  const { add, remove } = store.tables.endpoints.writes
  const { enqueue, take } = store.tables.webhookDeliveries.background
  const endpoint = someEndpoint()
  const within = (act: () => void, end: 'commit' | 'rollback'): void => {
    store.begin()
    act()
    store[end]()
  }
  const takeAllDue = () => take(secondsAfter(9), LEASE_END, 10, 10).length
  const addAndEnqueue = (): void => {
    add(endpoint)
    enqueue([someChange(1)])
  }
  const removeAndEnqueue = (): void => {
    remove(endpoint)
    enqueue([someChange(2)])
  }

  within(addAndEnqueue, 'rollback')
  within(() => enqueue([someChange(1)]), 'commit')
  assert.equal(takeAllDue(), 0)
  within(addAndEnqueue, 'commit')
  within(removeAndEnqueue, 'rollback')
  within(() => enqueue([someChange(3)]), 'commit')
  assert.equal(takeAllDue(), 2)
})
