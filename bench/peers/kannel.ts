/**
 * Kannel, the classic SMS gateway: smsbox accepts messages over HTTP, bearerbox stores and sends them, and fakesmsc acts
 * as the operator.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toClosedLoop } from '../accept.ts'
import { readMemory } from '../cpu.ts'
import { measure } from '../measure.ts'
import type { Times } from '../options.ts'
import { freePort, openFolder, startProcess } from '../processes.ts'
import { toTarget } from '../target.ts'
import { findProgram } from './install.ts'
import type { MeasurePeer, PeerRun } from './peer.ts'

const PACKAGES = ['kannel', 'kannel-extras']
/** Only panics: a log line per message would dominate the result. */
const QUIET = ['-v', '4']
const TEXT = 'Your+parcel+is+on+its+way+and+will+be+with+you+before+noon.'
const SEND = `/cgi-bin/sendsms?username=bench&password=bench&to=5511########&text=${TEXT}`

export async function installKannel(): Promise<MeasurePeer> {
  const programs = {
    bearerbox: await findProgram(['/usr/sbin/bearerbox', '/usr/bin/bearerbox'], PACKAGES),
    smsbox: await findProgram(['/usr/sbin/smsbox', '/usr/bin/smsbox'], PACKAGES),
    fakesmsc: await findProgram(['/usr/lib/kannel/test/fakesmsc', '/usr/bin/fakesmsc'], PACKAGES),
  }
  return (times) => measureKannel(programs, times)
}

type Programs = Readonly<Record<'bearerbox' | 'smsbox' | 'fakesmsc', string>>

async function measureKannel({ bearerbox, smsbox, fakesmsc }: Programs, times: Times): Promise<PeerRun> {
  using folder = openFolder()
  const ports = { admin: await freePort(), smsbox: await freePort(), smsc: await freePort(), send: await freePort() }
  const file = join(folder.path, 'kannel.conf')
  writeFileSync(file, toConfiguration(ports, folder.path))

  const start = (name: string, program: string, port: number) =>
    startProcess({ name, file: program, args: [...QUIET, file], ready: { port } })
  await using bearer = await start('bearerbox', bearerbox, ports.smsbox)
  const operator = ['-v', '1', '-H', '127.0.0.1', '-r', String(ports.smsc), '-m', '0', '100 200 text nop']
  await using _operator = await startProcess({ name: 'fakesmsc', file: fakesmsc, args: operator, ready: /starting/ })
  await using box = await start('smsbox', smsbox, ports.send)

  const server = toTarget({ pid: box.pid, port: ports.send, token: '', workers: [] })
  const request = { method: 'GET', path: SEND, headers: {}, body: '' } as const
  const plan = { ...toClosedLoop(server, times), request, countOut: () => countSent(ports.admin) }
  const { load, rssMb, outPerSecond } = await measure(server, plan)
  return {
    load,
    endToEndPerSecond: Math.min(outPerSecond ?? 0, load.perSecond),
    rssMb: rssMb + readMemory(bearer.pid).rssMb,
  }
}

const toConfiguration = (ports: Readonly<Record<'admin' | 'smsbox' | 'smsc' | 'send', number>>, folder: string) => `
group = core
admin-port = ${ports.admin}
admin-interface = 127.0.0.1
admin-password = bench
smsbox-port = ${ports.smsbox}
smsbox-interface = 127.0.0.1
box-allow-ip = "127.0.0.1"
store-type = file
store-location = "${join(folder, 'store')}"

group = smsc
smsc = fake
smsc-id = fake
port = ${ports.smsc}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.send}
sendsms-interface = 127.0.0.1
global-sender = 100

group = sendsms-user
username = bench
password = bench
`

async function countSent(adminPort: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/status.xml?password=bench`)
  const [, sent = '0'] = /<sms>[\s\S]*?<sent><total>(\d+)/.exec(await response.text()) ?? []
  return Number(sent)
}
