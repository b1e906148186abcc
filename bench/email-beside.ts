/**
 * (k2): how emails with the largest HTML affect accepting SMS. The emails are stored, checked and sent to the simulator
 * meanwhile.
 */
import { toOpenLoop } from './accept.ts'
import { toLargeMail } from './email-mails.ts'
import type { LoadReport } from './load.ts'
import { type LoadPlan, type Measured, measure, openLoad } from './measure.ts'
import type { Options, Times } from './options.ts'
import { drained } from './profile.ts'
import { type Gateway, openGateway } from './server.ts'

/** Accepting, while emails were sent. */
export type BesideMails = Readonly<{ accept: Measured; mails: LoadReport }>

/** Alternating, at the same rate. */
export type Together = Readonly<{ alone: readonly Measured[]; beside: readonly BesideMails[] }>

/** 2.5 MB of HTML per second. Checking it takes half a core. */
const MAILS_PER_SECOND = 5
/** Few, because each connection holds the bytes of an email. */
const CONNECTIONS = 8
const WORKERS = ['store', 'reader', 'simulator', 'html']

/** All on the same warm and idle gateway, so that only the emails make a difference. */
export async function measureTogether(rate: number, options: Options): Promise<Together> {
  await using gateway = await openGateway({ workers: WORKERS })
  await measureBeside(gateway, rate, { warmUpSeconds: 0, seconds: options.warmUpSeconds + 1 })
  const [alone, beside]: [Measured[], BesideMails[]] = [[], []]
  for (let run = 1; run <= options.runs; run += 1) {
    await drained(gateway)
    alone.push(await measure(gateway, toOpenLoop(gateway, rate, options)))
    beside.push(await measureBeside(gateway, rate, options))
  }
  return { alone, beside }
}

async function measureBeside(gateway: Gateway, rate: number, times: Times): Promise<BesideMails> {
  // Starts slightly earlier and ends later.
  const seconds = times.warmUpSeconds + times.seconds + 2
  await using sending = await openLoad({ ...toMails(gateway, seconds), ports: gateway.ports })
  await sending.started
  const accept = await measure(gateway, toOpenLoop(gateway, rate, times))
  return { accept, mails: await sending.report }
}

const toMails = (gateway: Gateway, seconds: number): LoadPlan => ({
  request: toLargeMail(gateway.token),
  connections: CONNECTIONS,
  pace: { kind: 'open', rate: MAILS_PER_SECOND, arrivals: 'even' },
  warmUpSeconds: 0,
  seconds,
})
