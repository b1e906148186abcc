/**
 * (n0): the API of (a), which answers once JetStream has stored the bytes of a first event: the straightforward use of
 * the driver, with the one option that doubles its speed. The argument is the URL of the broker.
 */
import { randomUUID } from 'node:crypto'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { servePlainApi } from '../plain-api.ts'
import { toBytes, toSample } from './sample.ts'

const [url = ''] = process.argv.slice(2)
const connection = await connect({ servers: url, noAsyncTraces: true })
const manager = await jetstreamManager(connection)
// Like Pombo's log: one subject per message.
await manager.streams.add({
  name: 'BENCH',
  subjects: ['bench.*'],
  storage: 'file',
  num_replicas: 1,
  allow_direct: true,
})

const js = jetstream(connection)
const bytes = toBytes(await toSample(0))
await servePlainApi(async () => {
  const id = randomUUID()
  await js.publish(`bench.${id}`, bytes)
  return id
})
