/**
 * Receipts on their way to the worker that made the attempt: requests on the broker, which stores nothing of them. The
 * receipts of one turn of the event loop for one worker are one request.
 */
import type { Msg } from '@nats-io/transport-node'
import type { Receipt } from '../../ports/provider.ts'
import type { Applied, ReceiptForwarding } from '../../ports/receipt-forwarding.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Connection } from './connection.ts'
import type { Names } from './subjects.ts'

export type ReceiptForwardingOptions = Readonly<{
  connection: Connection
  names: Names
  /** How long a worker may take; it applies a receipt within a few milliseconds. */
  timeoutMs?: number
}>

/** The answers to a request, in the order of its receipts. */
type Answers = readonly (Applied | undefined)[]
type Batch = { readonly receipts: Receipt[]; readonly answers: Promise<Answers> }

const TIMEOUT_MS = 1_000
/** Keeps a request far below the broker's limit of a megabyte. */
const MOST_RECEIPTS = 256
/** Worker names come back in URLs that anyone may call. */
const WORKER = /^[0-9a-f]{1,32}$/
const NONE: Answers = []

export function natsReceiptForwarding(options: ReceiptForwardingOptions): ReceiptForwarding {
  const { connection, names, timeoutMs = TIMEOUT_MS } = options
  const open = new Map<string, Batch>()

  async function send(worker: string, receipts: readonly Receipt[]): Promise<Answers> {
    try {
      const reply = await connection.request(names.forwarded(worker), JSON.stringify(receipts), undefined, timeoutMs)
      return reply.json<(Applied | null)[]>().map((answer) => answer ?? undefined)
    } catch (error) {
      if (error instanceof Unavailable) return NONE
      throw error
    }
  }

  function openBatch(worker: string): Batch {
    const receipts: Receipt[] = []
    const { promise: answers, resolve } = Promise.withResolvers<Answers>()
    const batch = { receipts, answers }
    open.set(worker, batch)
    setImmediate(() => {
      if (open.get(worker) === batch) open.delete(worker)
      resolve(send(worker, receipts))
    })
    return batch
  }

  return {
    serve(worker, apply) {
      const subscription = connection.subscribe(names.forwarded(worker), (request) => {
        void answer(connection, request, apply)
      })
      return {
        async [Symbol.asyncDispose]() {
          if (connection.isUp) await subscription.drain().catch(() => undefined)
        },
      }
    },

    async forward(worker, receipt) {
      if (!WORKER.test(worker)) return undefined
      const current = open.get(worker)
      const batch = current === undefined || current.receipts.length >= MOST_RECEIPTS ? openBatch(worker) : current
      const at = batch.receipts.push(receipt) - 1
      return (await batch.answers)[at]
    },
  }
}

/** A receipt that fails here is applied by the process that received it, which also reports why it fails. */
async function answer(
  connection: Connection,
  request: Msg,
  apply: (receipt: Receipt) => Promise<Applied>,
): Promise<void> {
  const receipts = request.json<readonly Receipt[]>()
  const answers = await Promise.all(receipts.map((receipt) => apply(receipt).catch(() => null)))
  // If the broker is unreachable by now, the other process has stopped waiting.
  if (connection.isUp && request.reply !== undefined) connection.send(request.reply, JSON.stringify(answers))
}
