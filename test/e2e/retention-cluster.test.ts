import { shareTimedCluster } from '../support/timed-gateway.ts'
import { retentionContract } from './retention.contract.ts'

await retentionContract(shareTimedCluster)
