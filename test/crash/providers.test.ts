/** Every behaviour, crash point and provider: nothing is sent twice, and the timeline records what happened. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mapInBatches } from '../support/map-in-batches.ts'
import { casesOf, nameOf } from './provider-cases.ts'
import { problemsOf } from './provider-invariants.ts'
import { runCase } from './provider-run.ts'
import { SUBJECTS } from './provider-subjects.ts'

for (const { name, behaviours, traits, open } of SUBJECTS) {
  describe(`S2-CRASH a process crashes at any point of a handoff to ${name}`, { timeout: 120_000 }, () => {
    for (const behaviour of behaviours) {
      test(`which ${behaviour}: the timeline is correct`, async () => {
        await using subject = await open()
        const problems = await mapInBatches(casesOf(behaviour, traits), async (given) => {
          await using external = await subject.openCase(given)
          const result = await runCase(external, given)
          const timeline = result.events.map(({ fact, attempt }) => `${fact.kind} ${attempt}`).join(', ')
          return problemsOf(result, given, traits).map((problem) => `${nameOf(given)}: ${problem} (${timeline})`)
        })
        assert.deepEqual(problems.flat(), [])
      })
    }
  })
}
