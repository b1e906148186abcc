import { openEngine } from '../../../test/support/nats-engine.ts'
import { shareNats } from '../../../test/support/nats-server.ts'
import { roundsContract } from '../../ports/rounds.contract.ts'

const { url } = await shareNats()

roundsContract('nats', () => openEngine({ url }))
