/** Runs a fake SMSC as its own process. It prints its port, and on exit the number of submits and receipts. */
import { parseArgs } from 'node:util'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { openFakeSmsc } from './fake-smsc.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'receipt-delay-ms': { type: 'string' },
    'latency-ms': { type: 'string', default: '0' },
  },
})
const delay = values['receipt-delay-ms']
const smsc = await openFakeSmsc(
  omitUndefined({
    port: Number(values.port),
    latencyMs: Number(values['latency-ms']),
    records: false,
    receiptDelayMs: delay === undefined ? undefined : Number(delay),
  }),
)
process.stdout.write(`${smsc.port}\n`)
const end = (): void => {
  process.stdout.write(`${smsc.submitted} submits, ${smsc.receipted} receipts\n`)
  void smsc.stop()
}
process.once('SIGTERM', end)
process.once('SIGINT', end)
