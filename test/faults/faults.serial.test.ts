/** A short run of every fault, one after the other on one cluster. main.ts makes long runs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { missingNats } from '../support/nats-server.ts'
import { missingPostgres } from '../support/postgres-server.ts'
import { FAULTS_IN_SHORT } from './all.ts'
import { runFault } from './fault.ts'
import { openSite, type Site } from './site.ts'

const [RATE, SEED] = [25, 20_300_131]
const missing = missingNats() ?? missingPostgres()

describe('a cluster under load', { skip: missing ?? false, timeout: 600_000 }, () => {
  const opened = new AsyncDisposableStack()
  let site: Site
  before(async () => {
    site = opened.use(await openSite(true))
  })
  after(() => opened.disposeAsync())

  for (const fault of FAULTS_IN_SHORT) {
    test(fault.promise, async (t) => {
      const lack = fault.lacks?.(site)
      if (lack !== undefined) return t.skip(lack)
      const plan = { ...fault.brief, rate: RATE, seed: SEED, onProgress: () => undefined }
      const { problems, figures } = await runFault(site, fault, plan)
      t.diagnostic(JSON.stringify(figures))
      assert.deepEqual(problems.slice(0, 20), [])
    })
  }
})
