/** What a gateway does over HTTP, whatever it runs on. */
import { describe } from 'node:test'
import type { ShareGateway } from '../support/shared-gateway.ts'
import { againContract } from './again.contract.ts'
import { directoryContract } from './directory.contract.ts'
import { magicRecipientsContract } from './magic-recipients.contract.ts'
import { routingContract } from './routing.contract.ts'
import { seeingContract } from './seeing.contract.ts'
import { spineContract } from './spine.contract.ts'
import { webhookDeliveriesContract } from './webhook-deliveries.contract.ts'

export async function everyProfile(profile: string, share: ShareGateway): Promise<void> {
  const contracts = {
    spineContract,
    magicRecipientsContract,
    againContract,
    seeingContract,
    directoryContract,
    routingContract,
    webhookDeliveriesContract,
  }
  for (const [name, contract] of Object.entries(contracts)) {
    await describe(`${name} on ${profile}`, () => contract(share))
  }
}
