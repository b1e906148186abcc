/** A fake SMSC in a process of its own. It says on which port it listens, and in the end what it got. */
import { parseArgs } from 'node:util'
import { openFakeSmsc } from './fake-smsc.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'receipt-delay-ms': { type: 'string' },
    'latency-ms': { type: 'string', default: '0' },
  },
})
const delay = values['receipt-delay-ms']
const smsc = await openFakeSmsc({
  port: Number(values.port),
  latencyMs: Number(values['latency-ms']),
  keeps: false,
  ...(delay === undefined ? {} : { receiptDelayMs: Number(delay) }),
})
process.stdout.write(`${smsc.port}\n`)
const end = (): void => {
  process.stdout.write(`${smsc.submitted} submits, ${smsc.receipted} receipts\n`)
  void smsc.stop()
}
process.once('SIGTERM', end)
process.once('SIGINT', end)
