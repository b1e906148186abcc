/**
 * The common alternative: a BullMQ queue on Redis behind the plain API, with a worker in the same process that acts as
 * the provider. BullMQ is not a dependency of Pombo: the first argument is the folder it is installed in, the second the
 * port of Redis.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { servePlainApi } from '../plain-api.ts'

/** The part of the BullMQ API that is used here. */
type Settings = Readonly<Record<string, unknown>>
type Queue = Readonly<{ add: (name: string, data: unknown, settings: Settings) => Promise<unknown> }>
type BullMq = Readonly<{
  Queue: new (name: string, settings: Settings) => Queue
  Worker: new (name: string, process: (job: unknown) => Promise<unknown>, settings: Settings) => unknown
}>

/** More do not help: a worker fetches all jobs, one round trip each, before it handles their results. */
const CONCURRENCY = 64

const [folder = '', redisPort = ''] = process.argv.slice(2)
const { Queue, Worker } = createRequire(join(folder, 'package.json'))('bullmq') as BullMq
const connection = { host: '127.0.0.1', port: Number(redisPort), maxRetriesPerRequest: null }

let delivered = 0
async function deliver(): Promise<void> {
  delivered += 1
}

const queue = new Queue('sms', { connection, defaultJobOptions: { removeOnComplete: true, attempts: 5 } })
new Worker('sms', deliver, { connection, concurrency: CONCURRENCY })

await servePlainApi(
  async (sms) => {
    const jobId = sms.idempotency_key ?? ''
    await queue.add('send', sms, { jobId })
    return jobId
  },
  (app) => app.get('/delivered', async () => ({ delivered })),
)
