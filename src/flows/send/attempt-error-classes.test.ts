/** The outcome of a message depends only on the class of the provider's response. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { FAKE_PROVIDERS, type FakeProvider, type OutcomeClass } from '../../../test/support/fake-providers.ts'
import { MAIL } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import { fakeProvider, openGateway, SUBMISSION } from '../gateway.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const reason = { code: fc.string({ minLength: 1 }), detail: fc.string() }
const outcomes: fc.Arbitrary<SendOutcome> = fc.oneof(
  fc.record({ kind: fc.constant('accepted' as const), providerMessageId: fc.string() }),
  fc.record({ kind: fc.constant('rejected' as const), blame: fc.constantFrom('message', 'provider'), ...reason }),
  fc.record({ kind: fc.constant('deferred' as const), retryAfter: fc.nat(60_000).map(millis), ...reason }),
  fc.record({ kind: fc.constant('unknown' as const), ...reason }),
)

/** The event for each class of outcome. */
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

test('an outcome always leads to the same event', async () => {
  await fc.assert(
    fc.asyncProperty(outcomes, async (outcome) => {
      assert.deepEqual([await factAfter(outcome), await factAfter(outcome)], Array(2).fill(FACTS[outcome.kind]))
    }),
    { numRuns: 200 },
  )
})

/** The events of the hand-off and the number of provider calls: only a transient error is retried. */
const COURSES: Readonly<Record<OutcomeClass, Readonly<{ events: readonly string[]; calls: number }>>> = {
  transient: { events: ['HandoffAttempted', 'RetryScheduled', 'HandoffAttempted', 'HandoffAccepted'], calls: 2 },
  permanent: { events: ['HandoffAttempted', 'HandoffFailed'], calls: 1 },
  unknown: { events: ['HandoffAttempted', 'HandoffUnknown'], calls: 1 },
}

/** Longer than every retry delay, and shorter than any give-up time. */
const LONG = seconds(600)

/** Sends one message to a provider that gives this response once and accepts afterwards. */
async function send({ provider, content, answerOnce, calls }: FakeProvider, answer: unknown) {
  await answerOnce(answer)
  const before = calls()
  const route = { channel: content.channel }
  const gateway = openGateway(world, { providers: [{ ...provider, calls: [] }], route })
  const form = content.channel === 'email' ? MAIL : SUBMISSION.form
  const id = await gateway.submit({ content, form })
  await gateway.work()
  gateway.pass(LONG)
  await gateway.work()
  const events = await gateway.eventsOf(id)
  const codes = events.flatMap(({ fact }) => ('code' in fact ? [fact.code] : []))
  const kinds = events
    .map(({ fact }) => fact.kind)
    .filter((kind) => kind.startsWith('Handoff') || kind.startsWith('Retry'))
  return { course: { events: kinds, calls: calls() - before }, codes }
}

describe('S1-P11 an error is always classified the same way: transient is retried, permanent is not', {
  timeout: 120_000,
}, () => {
  for (const [name, open] of FAKE_PROVIDERS) {
    test(`for any response of ${name} over the wire`, async () => {
      await using classified = await open()
      const { answers } = classified
      const cases = fc.oneof(
        ...(['transient', 'permanent', 'unknown'] as const).map((of) => fc.tuple(fc.constant(of), answers[of])),
      )
      await fc.assert(
        fc.asyncProperty(cases, async ([of, answer]) => {
          const first = await send(classified, answer)
          assert.deepEqual(first.course, COURSES[of])
          assert.deepEqual(await send(classified, answer), first)
        }),
        { numRuns: 100 },
      )
    })
  }
})
