/** Silent providers are asked also while PostgreSQL is away. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import { kindsOf, search, send, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

/** Nobody listens there, so the simulator's reports are lost, and only who asks it learns anything. */
const NOWHERE = 'http://127.0.0.1:9'
/** A message is asked about 30 s after it was handed off. */
const ASKED_WITHIN = { withinMs: 60_000, everyMs: 200 }

test('a message handed off before PostgreSQL went, and one after, end while it is away', {
  timeout: 240_000,
}, async (t) => {
  const env = { POMBO_PUBLIC_URL: NOWHERE }
  await using cluster = await openCluster({ plan: { api: 1, worker: 2, projector: 1 }, env })
  const [member] = cluster.having('api')
  const { faults } = cluster.postgres
  if (faults === undefined) return t.skip("a server that is not the tests' own is not broken")
  assert.ok(member !== undefined)
  const gateway = toGateway(cluster, member)
  const before = await send(gateway)
  await untilStatus(gateway, before, 'sent')
  await faults.stop()
  try {
    const during = await send(gateway)
    await untilStatus(gateway, during, 'sent')
    for (const id of [before, during]) {
      const { events } = await untilStatus(gateway, id, 'delivered', ASKED_WITHIN)
      assert.deepEqual(kindsOf({ events }).slice(-2), ['HandoffAccepted', 'ProviderDelivered'])
    }
    assert.equal((await gateway.call('GET', '/v1/messages')).status, 503)
  } finally {
    await faults.start()
  }
  await until('search to answer', async () => (await gateway.call('GET', '/v1/messages')).status === 200)
  await untilIndexed(gateway)
  const later = await send(gateway)
  await untilStatus(gateway, later, 'delivered', ASKED_WITHIN)
  await untilIndexed(gateway)
  assert.equal((await search(gateway, { status: 'delivered' })).items.length, 3)
})
