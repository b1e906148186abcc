/**
 * (l): SMPP clients send through Pombo: submit_sm → durable → submit_sm_resp → simulator → receipt → deliver_sm. Kannel is
 * measured in the same rounds, from its own smsbox through bearerbox to fakesmsc.
 */
import { toHeaders } from './messages.ts'
import { growthOf, type Metrics } from './metrics.ts'
import type { Times } from './options.ts'
import { freePort, nextMessage, startScript } from './processes.ts'
import { type Gateway, openGateway, receiptsAfter } from './server.ts'
import type { SmppLoad, SmppLoadReport } from './smpp-load.ts'

const SESSIONS = 4
const WINDOW = 50
const RECEIPT_MS = 150
const SAMPLE_MS = 250

/** Per second: accepted, delivered in the log, and of both the lower; receipts that the clients got. */
export type SmppClients = SmppLoadReport & Readonly<{ deliveredPerSecond: number; endToEndPerSecond: number }>

export async function measureSmppClients({ seconds, warmUpSeconds, tree }: Times): Promise<SmppClients> {
  const port = await freePort()
  const env = { POMBO_SMPP_PORT: String(port) }
  await using gateway = await openGateway({ config: receiptsAfter(RECEIPT_MS), env, tree })
  const login = await createLogin(gateway)
  await using script = await startScript(new URL('./smpp-load.ts', import.meta.url), 'the SMPP clients')
  const load: SmppLoad = { port, ...login, sessions: SESSIONS, window: WINDOW, warmUpSeconds, seconds }
  script.child.send(load)
  const samples: Metrics[] = []
  const sampling = setInterval(() => void gateway.metrics().then((sample) => samples.push(sample)), SAMPLE_MS)
  const report = await nextMessage<SmppLoadReport>(script.child, 'the SMPP clients')
  clearInterval(sampling)
  if (report.refused > 0) throw new Error(`${report.refused} messages were refused`)
  const measured = samples.slice(warmUpSeconds * (1000 / SAMPLE_MS), (warmUpSeconds + seconds) * (1000 / SAMPLE_MS))
  const deliveredPerSecond = growthOf(measured, ({ delivered }) => delivered)
  const endToEndPerSecond = Math.min(deliveredPerSecond, report.acceptedPerSecond)
  return { ...report, deliveredPerSecond, endToEndPerSecond }
}

async function createLogin({ port, token }: Gateway): Promise<Pick<SmppLoad, 'systemId' | 'password'>> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/api-keys`, {
    method: 'POST',
    headers: toHeaders(token),
    body: JSON.stringify({ name: 'bench', scopes: ['sms:send'] }),
  })
  const { id, key } = (await answer.json()) as Readonly<{ id: string; key: string }>
  return { systemId: id, password: key }
}
