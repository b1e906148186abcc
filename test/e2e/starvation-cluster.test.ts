import { shareCluster } from '../support/shared-gateway.ts'
import { starvationContract } from './starvation.contract.ts'

await starvationContract(shareCluster)
