/** The thread that sends for one provider: opens it, hands over what it is asked to, and tells what came of it. */
import { isDeepStrictEqual } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { type Instant, instant } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { ProviderContext } from '../kind.ts'
import { openHere } from '../registry.ts'
import type { Asked, Standing, ThreadData, Told } from './wire.ts'

/** Much shorter than the time after which a provider has no room. */
const STANDING_MS = 250
const NONE = { wanted: 0, up: 0 }

if (parentPort === null) throw new Error('apart/thread.ts runs as a worker thread')
const port = parentPort
const tell = (told: Told): void => port.postMessage(told)

const { config, ...about } = workerData as ThreadData
const underWay = new Map<number, Readonly<{ patience: AbortController; over: Promise<void> }>>()
const storing = new Map<number, PromiseWithResolvers<void>>()
let clock = startClock(instant(Date.now()))
let lastReport = 0

const place: ProviderContext = {
  ...about,
  clock: () => clock(),
  sends: true,
  report,
  carrierReferences: { register: noBook, report: noBook },
  log: (...note) => tell({ kind: 'note', note }),
}
const provider = openHere(config, place)
let standing: Standing | undefined
const watching = setInterval(tellStanding, STANDING_MS)

port.on('message', (asked: Asked) => {
  switch (asked.kind) {
    case 'send':
      clock = startClock(asked.now)
      begin(asked)
      return
    case 'give up':
      underWay.get(asked.id)?.patience.abort()
      return
    case 'stored':
      return endReport(asked)
    case 'close':
      void close()
  }
})

function begin({ id, attempt }: Extract<Asked, { kind: 'send' }>): void {
  const patience = new AbortController()
  const over = provider
    .send(attempt, patience.signal)
    .then(
      (outcome) => tell({ kind: 'sent', id, outcome }),
      (error: Error) => tell({ kind: 'broken', id, name: error.name }),
    )
    .finally(() => underWay.delete(id))
  underWay.set(id, { patience, over })
}

/** Resolves once it is stored. */
function report(receipt: Receipt): Promise<void> {
  lastReport += 1
  const waiting = Promise.withResolvers<void>()
  storing.set(lastReport, waiting)
  tell({ kind: 'report', id: lastReport, receipt })
  return waiting.promise
}

function endReport({ id, failure }: Extract<Asked, { kind: 'stored' }>): void {
  const waiting = storing.get(id)
  storing.delete(id)
  if (failure === undefined) waiting?.resolve()
  else waiting?.reject(new Error(failure))
}

function tellStanding(): void {
  const now = { hasRoom: provider.hasRoom?.() ?? true, connections: provider.connections?.() ?? NONE }
  if (isDeepStrictEqual(now, standing)) return
  standing = now
  tell({ kind: 'standing', standing })
}

async function close(): Promise<void> {
  clearInterval(watching)
  await provider[Symbol.asyncDispose]()
  await Promise.all([...underWay.values()].map(({ over }) => over))
  port.close()
}

/** Goes on from a time that we were told. */
function startClock(from: Instant): () => Instant {
  const since = performance.now()
  return () => instant(Math.round(from + performance.now() - since))
}

/** Parts of an SMS that were called by several names are no matter of those who send apart. */
async function noBook(): Promise<never> {
  throw new Error('a provider that sends apart has no book of receipts')
}
