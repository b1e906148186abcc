/**
 * (k1): email end to end: accepted → stored → checked → sent to a mail server → handed off in the log, sustained.
 * Compared with nodemailer alone, which sends the same email to the same server over as many connections.
 */
import type { AloneOrder, AloneReport, AloneStarted } from './email-alone.ts'
import { toMail } from './email-mails.ts'
import { findPace, holdPace } from './end-to-end.ts'
import { type Watched, watchCpu } from './measure.ts'
import type { Times } from './options.ts'
import { nextMessage, startScript } from './processes.ts'
import { type Gateway, type GatewayOptions, openGateway, type Peer, startPeer } from './server.ts'
import type { Stretch } from './stretch.ts'
import { untilSent, watchProcess, withProcess } from './target.ts'

/** Emails per second with nodemailer alone. */
export type Alone = Watched & Readonly<{ perSecond: number }>

/** The default of both, like the hundred emails per connection. */
const CONNECTIONS = 5
/** The search for the pace starts at this share of nodemailer alone. */
const FROM = 0.6
const NODEMAILER = 'nodemailer'
const WORKERS = ['store', 'reader', 'mail']

export async function measureAlone({ seconds, warmUpSeconds }: Times): Promise<Alone> {
  await using sink = await startSink()
  await using script = await startScript(new URL('./email-alone.ts', import.meta.url), NODEMAILER)
  const { child } = script
  const order: AloneOrder = { port: sink.port, connections: CONNECTIONS, warmUpSeconds, seconds }
  child.send(order)
  await nextMessage<AloneStarted>(child, NODEMAILER)
  const stopWatch = watchCpu({ watch: () => watchBoth(child.pid ?? 0, sink.pid) })
  const { mails, seconds: took } = await nextMessage<AloneReport>(child, NODEMAILER)
  return { ...stopWatch(undefined, mails), perSecond: mails / took }
}

function watchBoth(nodemailer: number, sink: number) {
  const [byIt, bySink] = [watchProcess(nodemailer), watchProcess(sink)]
  return () => ({ [NODEMAILER]: byIt(), sink: bySink() })
}

/** `most` is the rate of nodemailer alone. */
export async function measureSent(most: number, times: Times): Promise<Stretch> {
  await using gateway = await openRelay({ tree: times.tree })
  const pace = await findPace(gateway, FROM * most, { seconds: 1.2 * times.seconds, toRequest: toMail })
  const tries = await holdPace(gateway, pace, { ...times, seconds: 2 * times.seconds }, toMail)
  const held = tries.at(-1)
  if (held === undefined) throw new Error('no pace was tried')
  return held
}

/** A gateway and its mail server; the CPU of the server is reported separately. */
export async function openRelay(options: GatewayOptions = {}): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  const config = { providers: [toProvider(sink.port)] }
  const gateway = opened.use(await openGateway({ config, workers: WORKERS, ...options }))
  const closing = opened.move()
  return {
    ...withProcess(untilSent(gateway), 'sink', sink.pid),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

const toProvider = (port: number) => ({
  name: 'mail',
  kind: 'smtp',
  settings: { host: '127.0.0.1', port, from: 'Acme <no-reply@acme.example>', connections: CONNECTIONS },
})

const startSink = (): Promise<Peer> => startPeer('the mail server', 'bench/email-sink.ts')
