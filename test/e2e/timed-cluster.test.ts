import { shareTimedCluster } from '../support/timed-gateway.ts'
import { everyTimedProfile } from './timed.contract.ts'

await everyTimedProfile('cluster', shareTimedCluster)
