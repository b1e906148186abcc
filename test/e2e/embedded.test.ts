import { shareEmbedded } from '../support/shared-gateway.ts'
import { everyProfile } from './profile.contract.ts'

await everyProfile('embedded', shareEmbedded)
