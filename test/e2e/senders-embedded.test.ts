import { describe, test } from 'node:test'
import { shareEmbedded } from '../support/shared-gateway.ts'
import { skipUnavailable } from '../support/skip.ts'
import { missingUnbound } from '../support/unbound.ts'
import { sendersContract } from './senders.contract.ts'
import { shareEmbeddedSite } from './smpp-site.fixture.ts'

const missing = missingUnbound()
await describe('senders on embedded', { timeout: 600_000 }, async () => {
  if (missing === undefined) await sendersContract(shareEmbedded, shareEmbeddedSite)
  else test('senders', (t) => skipUnavailable(t, missing))
})
