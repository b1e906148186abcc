/** What a provider says decides what becomes of a message, and nothing else does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SendOutcome } from '../domain/outcome.ts'
import { millis } from '../domain/time.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openMemoryEngine } from '../engines/memory/memory.ts'
import { fakeProvider, openGateway } from './gateway.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const reason = { code: fc.string({ minLength: 1 }), detail: fc.string() }
const outcomes: fc.Arbitrary<SendOutcome> = fc.oneof(
  fc.record({ kind: fc.constant('accepted' as const), providerMessageId: fc.string() }),
  fc.record({ kind: fc.constant('rejected' as const), blame: fc.constantFrom('message', 'provider'), ...reason }),
  fc.record({ kind: fc.constant('deferred' as const), retryAfter: fc.nat(60_000).map(millis), ...reason }),
  fc.record({ kind: fc.constant('unknown' as const), ...reason }),
)

/** By class: taken, permanent, transient, and what nobody knows. */
const FACTS = {
  accepted: 'HandoffAccepted',
  rejected: 'HandoffFailed',
  deferred: 'RetryScheduled',
  unknown: 'HandoffUnknown',
} as const satisfies Record<SendOutcome['kind'], string>

async function factAfter(outcome: SendOutcome): Promise<string | undefined> {
  const gateway = openGateway(world, { providers: [fakeProvider([outcome])] })
  const id = await gateway.submit()
  await gateway.work()
  return (await gateway.kindsOf(id)).at(-1)
}

test('S1-P11 an error is always classified the same way: transient is retried, permanent is not', async () => {
  await fc.assert(
    fc.asyncProperty(outcomes, async (outcome) => {
      assert.deepEqual([await factAfter(outcome), await factAfter(outcome)], Array(2).fill(FACTS[outcome.kind]))
    }),
    { numRuns: 200 },
  )
})
