/** The baseline of (k1): a process that only sends emails through a nodemailer pool. */
import { createTransport } from 'nodemailer'
import { MAIL } from './email-mails.ts'

export type AloneOrder = Readonly<{ port: number; connections: number; warmUpSeconds: number; seconds: number }>
/** The warm-up is over. */
export type AloneStarted = Readonly<{ kind: 'started' }>
export type AloneReport = Readonly<{ kind: 'done'; mails: number; seconds: number }>

/** Emails in flight per connection, so that no connection is ever idle. */
const PER_CONNECTION = 4
const FROM = 'Acme <no-reply@acme.example>'

async function send({ port, connections, warmUpSeconds, seconds }: AloneOrder): Promise<void> {
  const pool = createTransport({ host: '127.0.0.1', port, pool: true, maxConnections: connections })
  const report = (message: AloneStarted | AloneReport): void => void process.send?.(message)
  let [sent, last] = [0, 0]
  const sendUntil = async (until: number): Promise<void> => {
    while (performance.now() < until) {
      last += 1
      await pool.sendMail({ from: FROM, to: `customer-${last}@example.com`, ...MAIL })
      sent += 1
    }
  }
  const sendFor = async (ms: number): Promise<void> => {
    const until = performance.now() + ms
    await Promise.all(Array.from({ length: PER_CONNECTION * connections }, () => sendUntil(until)))
  }
  await sendFor(warmUpSeconds * 1000)
  report({ kind: 'started' })
  const [before, begunAt] = [sent, performance.now()]
  await sendFor(seconds * 1000)
  report({ kind: 'done', mails: sent - before, seconds: (performance.now() - begunAt) / 1000 })
  pool.close()
}

process.on('disconnect', () => process.exit())
process.on('message', (order: AloneOrder) => void send(order))
