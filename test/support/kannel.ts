/** Kannel as an SMPP client: smsbox takes messages over HTTP, bearerbox sends them, and receipts go to a dlr-url. */
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { findProgram } from '../single-node/programs.ts'
import { type Command, startProgram } from './command.ts'
import { openFolder } from './folder.ts'
import { freePorts } from './free-port.ts'
import type { SmppLogin } from './smpp-client.ts'
import { START_WITHIN_MS, until } from './until.ts'

export const findKannel = (): string | undefined => findProgram('smsbox') && findProgram('bearerbox')

export const missingKannel = (): string | undefined =>
  findKannel() === undefined ? 'Kannel is not installed' : undefined

/** `type` is that of Kannel: 1 delivered, 2 failed, 4 buffered, 8 accepted by the SMSC, 16 refused by it. */
export type KannelReceipt = Readonly<{ ref: string; type: number; id: string; answer: string }>

export type Kannel = AsyncDisposable &
  Readonly<{
    send: (to: string, text: string, ref: string, fields?: Readonly<Record<string, string>>) => Promise<void>
    receipts: () => readonly KannelReceipt[]
    status: () => Promise<string>
    /** What bearerbox has logged. */
    log: () => string
  }>

/** All kinds of receipts: delivered, failed, buffered, accepted and refused. */
const ALL = '31'

export async function openKannel(smsc: SmppLogin & Readonly<{ port: number; more?: string }>): Promise<Kannel> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await openFolder())
  const receipts: KannelReceipt[] = []
  const dlrPort = await serveReceipts(receipts, opened)
  const [admin = 0, box = 0, sendsms = 0] = await freePorts(3)
  const file = join(folder.path, 'kannel.conf')
  writeFileSync(file, toConfiguration({ admin, box, sendsms }, smsc, folder.path))
  const bearerbox = start(opened, 'bearerbox', file)
  await until('bearerbox', () => answers(`http://127.0.0.1:${admin}/status?password=test`), PATIENT)
  start(opened, 'smsbox', file)
  await until('smsbox', () => answers(`http://127.0.0.1:${sendsms}/`), PATIENT)
  const closing = opened.move()
  return {
    async send(to, text, ref, fields = {}) {
      const dlrUrl = `http://127.0.0.1:${dlrPort}/?ref=${encodeURIComponent(ref)}&type=%d&id=%F&answer=%A`
      const query = new URLSearchParams({ username: 'test', password: 'test', to, text, ...fields })
      query.set('charset', 'UTF-8')
      query.set('dlr-mask', ALL)
      query.set('dlr-url', dlrUrl)
      const response = await fetch(`http://127.0.0.1:${sendsms}/cgi-bin/sendsms?${query}`)
      if (!response.ok) throw new Error(`smsbox answered ${response.status}: ${await response.text()}`)
    },
    receipts: () => receipts,
    status: async () => (await fetch(`http://127.0.0.1:${admin}/status.txt?password=test`)).text(),
    log: () => bearerbox.err(),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

const PATIENT = { withinMs: START_WITHIN_MS, everyMs: 50 }

function start(opened: AsyncDisposableStack, name: 'bearerbox' | 'smsbox', file: string): Command {
  const command = startProgram(findProgram(name) ?? name, ['-v', '1', file], {})
  opened.defer(async () => void (await command.kill('SIGKILL')))
  return command
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

async function serveReceipts(receipts: KannelReceipt[], opened: AsyncDisposableStack): Promise<number> {
  const server: Server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const field = (name: string): string => searchParams.get(name) ?? ''
    receipts.push({ ref: field('ref'), type: Number(field('type')), id: field('id'), answer: field('answer') })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

type Ports = Readonly<Record<'admin' | 'box' | 'sendsms', number>>

const toConfiguration = (
  ports: Ports,
  { port, system_id, password, more = '' }: Parameters<typeof openKannel>[0],
  folder: string,
): string => `
group = core
admin-port = ${ports.admin}
admin-interface = 127.0.0.1
admin-password = test
smsbox-port = ${ports.box}
smsbox-interface = 127.0.0.1
box-allow-ip = "127.0.0.1"
store-type = file
store-location = "${join(folder, 'store')}"
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = pombo
host = 127.0.0.1
port = ${port}
smsc-username = ${system_id}
smsc-password = ${password}
system-type = ""
transceiver-mode = true
source-addr-autodetect = true
dest-addr-ton = 1
dest-addr-npi = 1
reconnect-delay = 1
enquire-link-interval = 10
${more}

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.sendsms}
sendsms-interface = 127.0.0.1
global-sender = 100

group = sendsms-user
username = test
password = test
max-messages = 10
concatenation = true
`
