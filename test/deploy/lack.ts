/** A test that cannot run here says so aloud; in CI, where nothing may be left out, it fails. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** `why` reads like "there is no kubectl". */
export function skipForLack(t: TestContext, why: string): void {
  assert.notEqual(process.env['CI'], 'true', `${why}, and in CI no test is skipped`)
  t.diagnostic(`SKIPPED: ${why}`)
  t.skip(why)
}
