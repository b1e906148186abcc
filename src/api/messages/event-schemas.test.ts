import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Fact } from '../../domain/message/events.ts'
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { instant } from '../../lib/time.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const validators = new Map(Object.entries(EVENT_SCHEMAS).map(([name, schema]) => [name, Compile(schema)]))

const MESSAGES = [
  ['/v1/sms/send', SMS],
  ['/v1/email/send', { to: 'ana@example.com', subject: 'Hello', html: '<p>Hello</p>' }],
] as const

const reason = { code: 'TIMEOUT', detail: 'no answer' }
const fact = fc.constantFrom<Fact>(
  { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' },
  { kind: 'HandoffAccepted', providerMessageId: 'p', by: 'answer' },
  { kind: 'HandoffAccepted', by: 'person', resolvedBy: 'a' as never },
  { kind: 'HandoffUnknown', reconcileAt: instant(0), ...reason },
  { kind: 'RetryScheduled', dueAt: instant(0), ...reason },
  { kind: 'HandoffFailed', ...reason },
  { kind: 'DeadLettered', ...reason },
  { kind: 'MessageExpired' },
  { kind: 'ResendRequested', by: 'resend' },
  { kind: 'ProviderDelivered', reportId: 'd' },
  { kind: 'ProviderBounced', reportId: 'b', ...reason },
  { kind: 'MessageErased' },
)

test('integration events match their schemas, whatever happens to a message', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const names = new Set<string>()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fact, { maxLength: 8 }), fc.constantFrom(...MESSAGES), async (facts, [path, message]) => {
      const sent = await call('POST', path, { ...message, idempotency_key: `run ${run++}` })
      const id = sent.json().request_id
      const attempted: Fact = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' }
      await api.happen(id, attempted, ...facts)
      for (const { event } of await api.deps.log.read(id)) {
        for (const { name, data } of toIntegrationEvents(event)) {
          names.add(name)
          const validator = validators.get(name)
          assert.ok(validator, name)
          assert.deepEqual(validator.Errors(data), [], JSON.stringify(data))
        }
      }
    }),
  )
  assert.deepEqual(names, new Set(Object.keys(EVENT_SCHEMAS)))
})
