import { shareEmbedded } from '../support/shared-gateway.ts'
import { tenantsContract } from './tenants.contract.ts'

await tenantsContract(shareEmbedded)
