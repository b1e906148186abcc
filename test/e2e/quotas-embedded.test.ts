import { shareEmbedded } from '../support/shared-gateway.ts'
import { quotasContract } from './quotas.contract.ts'

await quotasContract(shareEmbedded, true)
