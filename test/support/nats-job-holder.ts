/** Takes one job, prints its message id and holds it until the process is killed. */
import { millis } from '../../src/lib/time.ts'
import { openEngine } from './nats-engine.ts'

const [url = '', prefix = '', ackWait = ''] = process.argv.slice(2)
const { queue } = await openEngine({ url, prefix, ackWait: millis(Number(ackWait)) })
const [taken] = await queue.take(1, new AbortController().signal)
process.stdout.write(`taken ${taken?.job.messageId}\n`)
setInterval(() => undefined, 1_000)
