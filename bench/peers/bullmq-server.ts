/**
 * What one would otherwise build: a BullMQ queue on Redis behind the plain API, and a worker in the
 * same process that plays the provider. BullMQ is no dependency of ours: it is taken from the folder
 * given as first argument; the second is the port of Redis.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { servePlainApi } from '../plain-api.ts'

/** As much of BullMQ as is used here. */
type Settings = Readonly<Record<string, unknown>>
type Queue = Readonly<{ add: (name: string, data: unknown, settings: Settings) => Promise<unknown> }>
type BullMq = Readonly<{
  Queue: new (name: string, settings: Settings) => Queue
  Worker: new (name: string, process: (job: unknown) => Promise<unknown>, settings: Settings) => unknown
}>

/** More do not help: a worker fills all its hands, one round trip each, before it looks at what they have done. */
const HANDS = 64

const [folder = '', redisPort = ''] = process.argv.slice(2)
const { Queue, Worker } = createRequire(join(folder, 'package.json'))('bullmq') as BullMq
const connection = { host: '127.0.0.1', port: Number(redisPort), maxRetriesPerRequest: null }

let delivered = 0
async function deliver(): Promise<void> {
  delivered += 1
}

const queue = new Queue('sms', { connection, defaultJobOptions: { removeOnComplete: true, attempts: 5 } })
new Worker('sms', deliver, { connection, concurrency: HANDS })

await servePlainApi(
  async (sms) => {
    const jobId = sms.idempotency_key ?? ''
    await queue.add('send', sms, { jobId })
    return jobId
  },
  (app) => app.get('/delivered', async () => ({ delivered })),
)
