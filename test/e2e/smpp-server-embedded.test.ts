import { shareEmbedded } from '../support/shared-gateway.ts'
import { SMPP_ENV, smppServerContract } from './smpp-server.contract.ts'

const gateway = await shareEmbedded({ env: SMPP_ENV, receiptDelayMs: 50 })
await smppServerContract({ one: gateway, other: gateway })
