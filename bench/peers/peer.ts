/** Other systems under the same load, and what a response of theirs means. */
import type { LoadReport } from '../load.ts'
import type { Times } from '../options.ts'

export const PEERS = {
  kannel: {
    name: 'Kannel',
    /** Whether a response means that the message is on disk. */
    durable: false,
    about:
      'file store, which it writes and never syncs; fakesmsc as operator, password in the query; no idempotency, no receipts, no timeline, no encryption',
  },
  bullmq: {
    name: 'Fastify + BullMQ',
    durable: true,
    about:
      'Redis with appendfsync always, which syncs before it answers; worker with a concurrency of 64 in the same process; a repeated key is ignored; no receipts, no timeline, no encryption',
  },
} as const

export type PeerName = keyof typeof PEERS
export const PEER_NAMES = Object.keys(PEERS) as readonly PeerName[]

export type PeerRun = Readonly<{
  load: LoadReport
  /** The output rate; draining an earlier backlog does not count. */
  endToEndPerSecond: number
  /** Of all its processes at the end. */
  rssMb: number
}>

export type MeasurePeer = (times: Times) => Promise<PeerRun>
