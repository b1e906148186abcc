import { shareCluster } from '../support/shared-gateway.ts'
import { tenantsContract } from './tenants.contract.ts'

await tenantsContract(shareCluster)
