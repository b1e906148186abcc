import { shareEmbedded } from '../support/shared-gateway.ts'
import { apiKeysContract, SETTINGS } from './api-keys.contract.ts'

const gateway = await shareEmbedded({ env: SETTINGS })
apiKeysContract({ one: gateway, other: gateway })
