/**
 * How well an endpoint is, what it can be told of, and what to call a recipient. They are loaded by their address,
 * because their types are made of the description of the API, which a fresh clone does not have yet.
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
type RecipientFile = Readonly<{ toWho: (recipient: Readonly<Record<Field, string | null>>) => string }>

const ROOM = '../../../console/src/pages'
const file = (await import(new URL(`${ROOM}/webhooks/endpoint.ts`, import.meta.url).href)) as EndpointFile
const { toWho } = (await import(new URL(`${ROOM}/recipients/recipient.ts`, import.meta.url).href)) as RecipientFile

test('an endpoint can be told of every change there is, and every state of a webhook delivery can be looked for', () => {
  assert.deepEqual([...file.EVENT_TYPES].toSorted(), [...WEBHOOK_EVENT_TYPES].toSorted())
  assert.deepEqual([...file.DELIVERY_STATES].toSorted(), [...WEBHOOK_DELIVERY_STATES].toSorted())
})

test('every reason why an endpoint is disabled has a health and a tone of its own', () => {
  const healths = DISABLED_REASONS.map((disabled_reason) =>
    file.healthOf({ enabled: false, disabled_reason, failing_since: '2026-01-15T12:00:00.000Z' }),
  )
  assert.equal(new Set(healths).size, DISABLED_REASONS.length)
  assert.ok(healths.every((health) => health !== 'healthy' && file.HEALTH_TONES[health] !== undefined))
})

test('an endpoint that is enabled is healthy until its calls fail, whatever it was disabled for before', () => {
  const enabled = { enabled: true, disabled_reason: null, failing_since: null }
  assert.equal(file.healthOf(enabled), 'healthy')
  assert.equal(file.healthOf({ ...enabled, failing_since: '2026-01-15T12:00:00.000Z' }), 'failing')
  assert.equal(file.healthOf({ ...enabled, disabled_reason: 'gone' }), 'healthy')
  assert.equal(file.healthOf({ ...enabled, enabled: false }), 'by_hand')
})

test('the address of an endpoint names it, whatever signs are in it', () => {
  for (const id of ['orders', 'a b&endpoint=c', 'é#%2F?']) {
    const { pathname, searchParams } = new URL(file.toAddress(id), 'https://pombo.example')
    assert.deepEqual([pathname, searchParams.getAll('endpoint')], ['/webhooks', [id]])
  }
})

test('a recipient is called by the best that is known', () => {
  const nobody = { name: null, external_id: null, phone: null, email: null, locale: 'pt-BR' }
  const known = { name: 'Ana', external_id: 'user-42', phone: '+15005550100', email: 'ana@x.example', locale: null }
  assert.equal(toWho(known), 'Ana')
  assert.equal(toWho({ ...known, name: null }), 'user-42')
  assert.equal(toWho({ ...nobody, phone: known.phone, email: known.email }), '+15005550100')
  assert.equal(toWho({ ...nobody, email: known.email }), 'ana@x.example')
  assert.ok(toWho(nobody).length > 0)
})
