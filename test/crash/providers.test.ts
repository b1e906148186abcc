/** Every outcome, every crash and every provider: nothing is sent twice, and the timeline tells how it was. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inFlight } from '../support/in-hands.ts'
import { play } from './provider-play.ts'
import { problemsOf } from './provider-questions.ts'
import { SUBJECTS } from './provider-subjects.ts'
import { casesOf, nameOf } from './provider-table.ts'

for (const { name, conducts, traits, open } of SUBJECTS) {
  describe(`S2-CRASH wherever a process dies that hands a message to ${name}`, { timeout: 120_000 }, () => {
    for (const conduct of conducts) {
      test(`which ${conduct}, the timeline is honest`, async () => {
        await using subject = await open()
        const problems = await inFlight(casesOf(conduct, traits), async (given) => {
          await using outside = await subject.meet(given)
          const played = await play(outside, given)
          const told = played.events.map(({ fact, attempt }) => `${fact.kind} ${attempt}`).join(', ')
          return problemsOf(played, given, traits).map((problem) => `${nameOf(given)}: ${problem} (${told})`)
        })
        assert.deepEqual(problems.flat(), [])
      })
    }
  })
}
