import { describe, test } from 'node:test'
import { shareCluster } from '../support/shared-gateway.ts'
import { skipUnavailable } from '../support/skip.ts'
import { missingUnbound } from '../support/unbound.ts'
import { sendersContract } from './senders.contract.ts'
import { shareClusterSite } from './smpp-site.fixture.ts'

const missing = missingUnbound()
await describe('senders on cluster', { timeout: 600_000 }, async () => {
  if (missing === undefined) await sendersContract(shareCluster, shareClusterSite)
  else test('senders', (t) => skipUnavailable(t, missing))
})
