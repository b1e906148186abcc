import { shareEmbedded } from '../support/shared-gateway.ts'
import { twilioContract } from './twilio.contract.ts'

await twilioContract('SQLite', shareEmbedded)
