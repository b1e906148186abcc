/** Races that real brokers hardly ever produce: references and reports reach the stream in every order, step by step. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DELIVERED, hasSeenAllReports, race, someRef, someReferences } from '../../ports/carrier-references.contract.ts'
import { ACME, NOON } from '../../ports/samples.contract.ts'
import { type CarrierReferencesDeps, natsCarrierReferences } from './carrier-references.ts'
import type { Stored } from './jetstream.ts'
import { namesFor } from './subjects.ts'

type Stream = CarrierReferencesDeps['js']

const NAMES = namesFor('P', 1)
const EXPECTED = 'Nats-Expected-Last-Subject-Sequence'

const bookOn = (js: Stream) => natsCarrierReferences({ js, names: NAMES })

/** A stream that performs one operation at a time, and waits before and after it. */
function newStream(turn: () => Promise<unknown>): Stream {
  const newest = new Map<string, Stored>()
  let last = 0
  const inTurn = async <Answer>(act: () => Answer): Promise<Answer> => {
    await turn()
    const answer = act()
    await turn()
    return answer
  }
  return {
    publish: (subject, payload, headers) =>
      inTurn(() => {
        if ((newest.get(subject)?.seq ?? 0) !== headers?.[EXPECTED]) return undefined
        last += 1
        newest.set(subject, { subject, seq: last, at: NOON, data: Buffer.from(payload) })
        return last
      }),
    get: (_, query) => inTurn(() => ('last_by_subj' in query ? newest.get(query.last_by_subj) : undefined)),
  }
}

test('in every order of references and reports, some writer has seen them all', async () => {
  const property = fc.asyncProperty(race, fc.scheduler(), async (steps, scheduler) => {
    const book = bookOn(newStream(() => scheduler.schedule(Promise.resolve())))
    assert.ok(await scheduler.waitFor(hasSeenAllReports({ one: book, other: book }, steps)))
  })
  await fc.assert(property, { numRuns: 300 })
})

test('a registration sees reports that came while only some references were known', async () => {
  const stream = newStream(async () => undefined)
  const { promise: reported, resolve: goOn } = Promise.withResolvers<void>()
  const [names, ref] = [someReferences(2), someRef()]
  const [first = '', second = ''] = names
  const slow: Stream = {
    get: stream.get,
    async publish(subject, ...rest) {
      if (subject === NAMES.receipt(ACME, second)) await reported
      return stream.publish(subject, ...rest)
    },
  }

  const naming = bookOn(slow).register(ACME, names, ref)
  const reporter = bookOn(stream)
  assert.deepEqual((await reporter.report(ACME, first, DELIVERED))?.reports, [DELIVERED, undefined])
  assert.equal(await reporter.report(ACME, second, DELIVERED), undefined)
  goOn()
  assert.deepEqual(await naming, [DELIVERED, DELIVERED])
})
