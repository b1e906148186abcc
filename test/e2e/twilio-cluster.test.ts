import { shareCluster } from '../support/shared-gateway.ts'
import { twilioContract } from './twilio.contract.ts'

await twilioContract('NATS and PostgreSQL', shareCluster)
