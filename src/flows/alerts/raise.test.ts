import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openAlertWorld, TENANT as tenantId } from './alerts.fixture.ts'
import { raiseAlert } from './raise.ts'

const open = () => openAlertWorld({ openEngine: openMemoryEngine, ids: openIds() })
const WARNING = { kind: 'quota.warning', tenantId, quota: 'waitingMessages', limit: 10, used: 8 } as const

test('several processes that notice one turn tell one alert', async () => {
  const { deps, clock, pass, addEndpoint, told, turns } = open()
  await addEndpoint()
  await raiseAlert(deps, WARNING, clock())
  pass(1)
  await raiseAlert(deps, { ...WARNING, used: 9 }, clock())
  const [alert, ...others] = await told()
  assert.deepEqual(others, [])
  assert.deepEqual(alert, { ...WARNING, id: alert?.id, at: clock() - 1_000 })
  assert.deepEqual(turns, [WARNING])
})

test('a process tells again what one that crashed may not have told, but not what was told long ago', async () => {
  const { deps, clock, pass, addEndpoint, told } = open()
  const raisedAt = clock()
  await deps.raisedAlerts.raise({ kind: 'quota.warning', subject: `${tenantId} waitingMessages` }, raisedAt)
  await addEndpoint()
  pass(59)
  await raiseAlert(deps, WARNING, clock())
  assert.deepEqual(
    (await told()).map(({ at }) => at),
    [raisedAt],
  )
  const later = open()
  await later.deps.raisedAlerts.raise({ kind: 'quota.warning', subject: `${tenantId} waitingMessages` }, later.clock())
  await later.addEndpoint()
  later.pass(60)
  await raiseAlert(later.deps, WARNING, later.clock())
  assert.deepEqual(await later.told(), [])
})

test('operators learn what tenants are told, under another name', async () => {
  const { deps, clock, addEndpoint, told, outside } = open()
  await addEndpoint(['tenant.quota_warning'])
  await raiseAlert(deps, WARNING, clock())
  const [alert, ...others] = await told()
  assert.deepEqual(others, [])
  assert.deepEqual([alert?.kind, outside.map(({ kind }) => kind)], ['tenant.quota_warning', ['tenant.quota_warning']])
})

test('a turn after the alert was cleared is another one', async () => {
  const { deps, clock, pass, addEndpoint, told } = open()
  await addEndpoint()
  const raisedAt = clock()
  await raiseAlert(deps, WARNING, raisedAt)
  await deps.raisedAlerts.clear({ kind: 'quota.warning', subject: `${tenantId} waitingMessages` }, raisedAt)
  pass(1)
  await raiseAlert(deps, WARNING, clock())
  const ids = (await told()).map(({ id }) => id)
  assert.equal(new Set(ids).size, 2)
})
