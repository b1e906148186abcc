/** SMPP through a running gateway, over real sockets to fake SMSCs, and back by their receipts. */
import { after, describe } from 'node:test'
import { CARRIERS_ENV, type Carriers, openCarriers, toConfig, untilBound } from './smpp-carriers.fixture.ts'
import { smppOutagesContract } from './smpp-outages.contract.ts'
import { smppOutcomesContract } from './smpp-outcomes.contract.ts'
import { smppReceiptsContract } from './smpp-receipts.contract.ts'
import type { ShareSite, Site } from './smpp-site.fixture.ts'

export type SmppSite = Readonly<{ site: Site; carriers: Carriers }>

export async function smppContract(share: ShareSite): Promise<void> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const carriers = await openCarriers(opened)
  const site = await share({
    config: (binds) => toConfig(carriers, binds),
    env: {
      ...CARRIERS_ENV,
      POMBO_BREAKER_FAILURES: '3',
      POMBO_BREAKER_SECONDS: '1',
      // Verbose logs, to be searched for secrets.
      POMBO_LOG_LEVEL: 'debug',
    },
  })
  await untilBound(carriers)
  for (const [what, contract] of [
    ['receipts', smppReceiptsContract],
    ['outcomes', smppOutcomesContract],
    ['outages', smppOutagesContract],
  ] as const) {
    describe(what, () => contract({ site, carriers }))
  }
}
