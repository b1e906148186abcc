/** The behaviour of a gateway over HTTP, the same in every profile. */
import { describe } from 'node:test'
import { QUICK } from '../support/routes.ts'
import type { SharedGateway, ShareGateway } from '../support/shared-gateway.ts'
import { againContract } from './again.contract.ts'
import { auditContract } from './audit.contract.ts'
import { directoryContract } from './directory.contract.ts'
import { explainingContract } from './explaining.contract.ts'
import { magicRecipientsContract } from './magic-recipients.contract.ts'
import { routingContract } from './routing.contract.ts'
import { seeingContract } from './seeing.contract.ts'
import { spineContract } from './spine.contract.ts'
import { shareUnknownOutcomes, type UnknownOutcomes } from './unknown-outcome.fixture.ts'
import { webhookAttemptsContract } from './webhook-attempts.contract.ts'
import { webhookDeliveriesContract } from './webhook-deliveries.contract.ts'

/** These share one gateway, each with its own tenant. */
const ON_ONE: Readonly<
  Record<string, (gateway: SharedGateway, unknownOutcomes: UnknownOutcomes) => void | Promise<void>>
> = {
  spineContract,
  againContract,
  seeingContract,
  directoryContract,
  auditContract,
  webhookDeliveriesContract,
  webhookAttemptsContract,
  explainingContract,
}
/** Each of these needs its own configuration. */
const APART = { magicRecipientsContract, routingContract }

export async function everyProfile(profile: string, share: ShareGateway): Promise<void> {
  await describe(`a gateway on ${profile}`, async () => {
    const unknownOutcomes = await shareUnknownOutcomes()
    const gateway = await share({
      config: { providers: unknownOutcomes.providers, routes: [...QUICK.routes, unknownOutcomes.route] },
      env: { POMBO_LOG_LEVEL: 'debug', POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8' },
    })
    for (const [name, contract] of Object.entries(ON_ONE)) {
      const tenant = await gateway.of(name)
      describe(name, () => contract(tenant, unknownOutcomes))
    }
  })
  for (const [name, contract] of Object.entries(APART)) {
    await describe(`${name} on ${profile}`, () => contract(share))
  }
}
