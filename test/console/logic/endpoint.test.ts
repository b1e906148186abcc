/**
 * The health of endpoints, their event types, and the display name of a recipient. They are imported dynamically,
 * because their types are generated from the API description, which a fresh clone does not have.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DISABLED_REASONS, WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhooks/endpoint.ts'
import { WEBHOOK_DELIVERY_STATES } from '../../../src/ports/webhook-deliveries.ts'

type Endpoint = Readonly<{ enabled: boolean; disabled_reason: string | null; failing_since: string | null }>
type EndpointFile = Readonly<{
  EVENT_TYPES: readonly string[]
  DELIVERY_STATES: readonly string[]
  HEALTH_TONES: Readonly<Record<string, string>>
  healthOf: (endpoint: Endpoint) => string
  toAddress: (id: string) => string
}>
type Field = 'name' | 'external_id' | 'phone' | 'email' | 'locale'
type RecipientFile = Readonly<{ displayName: (recipient: Readonly<Record<Field, string | null>>) => string }>

const ROOM = '../../../console/src/pages'
const file = (await import(new URL(`${ROOM}/webhooks/endpoint.ts`, import.meta.url).href)) as EndpointFile
const { displayName } = (await import(
  new URL(`${ROOM}/recipients/recipient.ts`, import.meta.url).href
)) as RecipientFile

test('lists every event type and every delivery state of the gateway', () => {
  assert.deepEqual([...file.EVENT_TYPES].toSorted(), [...WEBHOOK_EVENT_TYPES].toSorted())
  assert.deepEqual([...file.DELIVERY_STATES].toSorted(), [...WEBHOOK_DELIVERY_STATES].toSorted())
})

test('every disabled reason has its own health and a tone', () => {
  const healths = DISABLED_REASONS.map((disabled_reason) =>
    file.healthOf({ enabled: false, disabled_reason, failing_since: '2026-01-15T12:00:00.000Z' }),
  )
  assert.equal(new Set(healths).size, DISABLED_REASONS.length)
  assert.ok(healths.every((health) => health !== 'healthy' && file.HEALTH_TONES[health] !== undefined))
})

test('an enabled endpoint is healthy until its deliveries fail', () => {
  const enabled = { enabled: true, disabled_reason: null, failing_since: null }
  assert.equal(file.healthOf(enabled), 'healthy')
  assert.equal(file.healthOf({ ...enabled, failing_since: '2026-01-15T12:00:00.000Z' }), 'failing')
  assert.equal(file.healthOf({ ...enabled, disabled_reason: 'gone' }), 'healthy')
  assert.equal(file.healthOf({ ...enabled, enabled: false }), 'manual')
})

test('the address of an endpoint escapes its id', () => {
  for (const id of ['orders', 'a b&endpoint=c', 'é#%2F?']) {
    const { pathname, searchParams } = new URL(file.toAddress(id), 'https://pombo.example')
    assert.deepEqual([pathname, searchParams.getAll('endpoint')], ['/webhooks', [id]])
  }
})

test('the display name of a recipient is its most specific identifier', () => {
  const unnamed = { name: null, external_id: null, phone: null, email: null, locale: 'pt-BR' }
  const ana = { name: 'Ana', external_id: 'user-42', phone: '+15005550100', email: 'ana@x.example', locale: null }
  assert.equal(displayName(ana), 'Ana')
  assert.equal(displayName({ ...ana, name: null }), 'user-42')
  assert.equal(displayName({ ...unnamed, phone: ana.phone, email: ana.email }), '+15005550100')
  assert.equal(displayName({ ...unnamed, email: ana.email }), 'ana@x.example')
  assert.ok(displayName(unnamed).length > 0)
})
