/** Skips a test that cannot run on this machine with a diagnostic; fails in CI, where no test may be skipped. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** `why` reads like "there is no kubectl". */
export function skipUnavailable(t: TestContext, why: string): void {
  assert.notEqual(process.env['CI'], 'true', `${why}, and in CI no test is skipped`)
  t.diagnostic(`SKIPPED: ${why}`)
  t.skip(why)
}
