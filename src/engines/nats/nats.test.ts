import { openEngine } from '../../../test/support/nats-engine.ts'
import { shareNats } from '../../../test/support/nats-server.ts'
import { eventFeedContract } from '../../ports/event-feed.contract.ts'
import { eventLogContract } from '../../ports/event-log.contract.ts'
import { queueContract } from '../../ports/queue.contract.ts'
import { REAL_TIME } from '../../ports/samples.contract.ts'

const { url } = await shareNats()
const open = async () => ({ ...(await openEngine({ url })), time: REAL_TIME })

eventLogContract('nats', open)
eventFeedContract('nats', open)
queueContract('nats', open)
