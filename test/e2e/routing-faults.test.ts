/** Routes while PostgreSQL is unreachable: processes with cached routes keep sending, new ones wait. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import type { Gateway } from '../support/gateway.ts'
import { kindsOf, post, send, show, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

const MINE = { id: 'mine', channel: 'sms', prefix: '+15551', providers: ['simulator'] }

type Readiness = Readonly<{ dependencies: Readonly<Record<string, Readonly<{ ok: boolean }>>> }>

const areRoutesKnown = async ({ call }: Gateway): Promise<boolean> =>
  (await call<Readiness>('GET', '/health/ready')).body.dependencies['routes']?.ok === true

const isReturned = async ({ call }: Gateway): Promise<boolean> =>
  /^pombo_queue_jobs{.*state="delayed".*} 1$/m.test((await call('GET', '/metrics')).text)

test('a worker keeps sending with its cached routes, and a new one waits until it has loaded them', async (t) => {
  await using cluster = await openCluster({ own: true, plan: { api: 1, 'worker,poller,projector': 1 } })
  const [api, worker] = cluster.members
  const { faults } = cluster.postgres
  if (faults === undefined) return t.skip("a server that is not the tests' own is not broken")
  assert.ok(api !== undefined && worker !== undefined)
  const [gateway, working] = [toGateway(cluster, api), toGateway(cluster, worker)]
  assert.equal((await gateway.call('POST', '/v1/routes', MINE)).status, 201)
  await faults.stop()
  try {
    const known = await untilStatus(gateway, await send(gateway, { sender_id: 'Mine' }), 'delivered')
    assert.equal(known.route_id, 'mine')
    assert.equal((await gateway.call('DELETE', '/v1/routes/mine')).status, 503)

    await worker.kill('SIGTERM')
    await worker.start()
    assert.equal(await areRoutesKnown(working), false)
    const id = await send(gateway, { sender_id: 'Mine' })
    await until('the worker to return the job', () => isReturned(gateway))
    assert.deepEqual(kindsOf(await show(gateway, id)), ['MessageCreated'])

    await api.kill('SIGTERM')
    await api.start()
    assert.equal((await gateway.call('GET', '/v1/routes')).status, 503)
    assert.equal((await post(gateway, someSms())).status, 503, 'which limits apply is not known yet')

    await faults.start()
    const sent = await untilStatus(gateway, id, 'delivered')
    assert.deepEqual([sent.route_id, sent.attempts], ['mine', 1])
    assert.equal(await areRoutesKnown(gateway), true)
  } finally {
    await faults.stop()
    await faults.start()
  }
})
