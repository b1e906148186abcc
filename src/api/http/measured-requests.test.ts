import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('reports every answer once, by its route and never by its path', async () => {
  const seen: string[] = []
  const times: number[] = []
  const nothing = () => undefined
  const others = { onAccepted: nothing, onCodeStarted: nothing, onChecked: nothing, onCallback: nothing }
  const onRequestAnswered = (method: string, route: string, status: number, seconds: number): void => {
    seen.push(`${method} ${route} ${status}`)
    times.push(seconds)
  }
  await using api = await openFixture(world, { observe: { ...others, onRequestAnswered } })
  const call = await api.caller()
  const sent = await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })
  await call('POST', '/v1/sms/send', { to: 'nobody' })
  await call('GET', `/v1/messages/${sent.json().id}`)
  await api.app.inject(`/v1/messages/${sent.json().id}`)
  await call('POST', '/health/live')
  await call('GET', '/v1/no/such/path')
  assert.deepEqual(seen, [
    'POST /v1/sms/send 202',
    'POST /v1/sms/send 400',
    'GET /v1/messages/:id 200',
    'GET /v1/messages/:id 401',
    'POST /health/live 405',
    'GET  404',
  ])
  assert.ok(times.every((took) => took >= 0 && took < 10))
})
