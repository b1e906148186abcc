import { shareCluster } from '../support/shared-gateway.ts'
import { readsContract } from './reads.contract.ts'

await readsContract(shareCluster)
