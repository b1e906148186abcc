import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { ALERT_KINDS, type Alert, type Notice } from '../../domain/alerts/alert.ts'
import { toProviderEvent } from '../../domain/alerts/provider-event.ts'
import type { AlertId, ProviderName, TenantId } from '../../domain/ids.ts'
import { toExamplePayload } from '../../domain/webhooks/example-payload.ts'
import { toAlertPayload } from '../../domain/webhooks/payload.ts'
import { instant, seconds } from '../../lib/time.ts'
import { ALERT_SCHEMAS, BREAKER_EVENT_SCHEMA } from './alert-schemas.ts'

const provider = 'acme' as ProviderName
const quota = { tenantId: 'shop~test' as TenantId, quota: 'storedBytes', limit: 10, used: 9 } as const
const rates = { provider, successRate: 0.5, usualRate: 0.98, results: 60, period: seconds(600) }

const NOTICES: readonly Notice[] = [
  { kind: 'quota.warning', ...quota },
  { kind: 'quota.exceeded', ...quota },
  { kind: 'tenant.quota_warning', ...quota },
  { kind: 'tenant.quota_exceeded', ...quota },
  { kind: 'provider.breaker_opened', provider, openedAt: instant(0) },
  { kind: 'provider.breaker_closed', provider, openedAt: instant(0) },
  { kind: 'provider.degraded', ...rates },
  { kind: 'provider.recovered', ...rates },
  { kind: 'dead_letters.high', count: 120, threshold: 100, period: seconds(3600) },
]

const toAlert = (notice: Notice): Alert => ({ ...notice, id: 'a' as AlertId, at: instant(1_000) })

test('the payload of every alert matches its schema', () => {
  assert.deepEqual(
    NOTICES.map(({ kind }) => kind),
    ALERT_KINDS,
  )
  for (const notice of NOTICES) {
    const payload = toAlertPayload(toAlert(notice))
    const schema = ALERT_SCHEMAS[notice.kind]
    assert.ok(schema !== undefined)
    assert.deepEqual(Compile(schema).Errors(payload), [], JSON.stringify(payload))
  }
})

test('a quota names the tenant as its calls do, and the mode', () => {
  const [warning] = NOTICES
  assert.ok(warning !== undefined)
  const { tenant_id, mode } = toAlertPayload(toAlert(warning)).data
  assert.deepEqual([tenant_id, mode], ['shop', 'test'])
})

test('turns of circuit breakers are integration events that match their schema, and nothing else is', () => {
  const events = NOTICES.flatMap((notice) => toProviderEvent(toAlert(notice)) ?? [])
  assert.deepEqual(
    events.map(({ name, data }) => [name, data['newState']]),
    [
      ['provider.breaker.v1', 'open'],
      ['provider.breaker.v1', 'closed'],
    ],
  )
  for (const { name, data } of events) {
    const schema = BREAKER_EVENT_SCHEMA[name]
    assert.ok(schema !== undefined)
    assert.deepEqual(Compile(schema).Errors(data), [])
  }
})

test('the example of every alert in a test event matches its schema', () => {
  for (const kind of ALERT_KINDS) {
    const schema = ALERT_SCHEMAS[kind]
    assert.ok(schema !== undefined)
    const example = toExamplePayload(kind, 'shop' as TenantId, instant(1_000))
    assert.deepEqual(Compile(schema).Errors(example), [], kind)
  }
})
