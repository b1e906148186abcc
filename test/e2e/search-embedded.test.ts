import { shareEmbedded } from '../support/shared-gateway.ts'
import { searchContract } from './search.contract.ts'

await searchContract(shareEmbedded)
