/** What tests of the receipt sender share: an engine in memory, and a receiver that answers as told. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { MessageId } from '../../src/domain/ids.ts'
import type { Fact } from '../../src/domain/message/events.ts'
import type { ReceiptRequest } from '../../src/domain/message/receipt-request.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { openPartSealer } from '../../src/engines/crypto/part-sealer.ts'
import { later, millis, seconds } from '../../src/lib/time.ts'
import type { Answer } from '../../src/listeners/smpp/outgoing.ts'
import { COMMANDS, toPdu } from '../../src/listeners/smpp/pdu.ts'
import { ReceiptSender, type ReceiptSenderDeps } from '../../src/listeners/smpp/receipt-sender.ts'
import type { Session } from '../../src/listeners/smpp/session.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  delivered,
  NOON,
  nextEntry,
  someContent,
  someMessage,
} from '../../src/ports/samples.contract.ts'
import { toPdu as readPdu } from '../../src/providers/smpp/pdu.ts'
import { type MemoryEngine, openMemoryEngine } from '../memory/memory.ts'
import { projectAll } from './project.ts'
import { until } from './until.ts'

export const ACCOUNT = { tenantId: someMessage().tenantId, accountId: someMessage().accountId }
export const REQUEST: ReceiptRequest = {
  source: { ton: 5, npi: 0, address: 'Acme' },
  destination: { ton: 1, npi: 1, address: '15550001111' },
  registered: [1],
}
export const DELIVERED = [ATTEMPTED, ACCEPTED, delivered()]

export type World = Awaited<ReturnType<typeof openWorld>>

export type WorldOptions = Readonly<{
  /** How many receipts the receiver takes before it answers. */
  window?: number
  answerWithin?: number
  /** Stands in for parts of the stores. */
  receiptDeliveries?: Partial<ReceiptSenderDeps['receiptDeliveries']>
  partialMessages?: Partial<ReceiptSenderDeps['partialMessages']>
}>

/** A receiver that answers as told, in a later turn. */
function openReceiver(answer: (nth: number) => Answer, initialWindow: number) {
  const texts: string[] = []
  const kinds: (number | undefined)[] = []
  let isBound = true
  let window = initialWindow
  let inFlight = 0
  const session = {
    deliver: async (body: Buffer) => {
      const { fields } = readPdu(toPdu(COMMANDS.deliver_sm, 1, 0, body))
      texts.push(String(fields.short_message))
      kinds.push(fields.esm_class)
      const nth = texts.length
      inFlight += 1
      await new Promise(setImmediate)
      inFlight -= 1
      return answer(nth)
    },
  } as unknown as Session
  const room = (): number => (isBound ? Math.max(0, window - inFlight) : 0)
  return {
    receivers: {
      demands: () => (room() > 0 ? [{ ...ACCOUNT, max: room() }] : []),
      next: () => (room() > 0 ? session : undefined),
    },
    seen: { texts, kinds },
    controls: {
      setBound: (value: boolean) => {
        isBound = value
      },
      setWindow: (value: number) => {
        window = value
      },
    },
  }
}

async function send(
  engine: MemoryEngine,
  facts: readonly Fact[],
  request: Partial<ReceiptRequest> = {},
  receipts: 'final' | 'all' = 'final',
): Promise<MessageId> {
  const message = someMessage({ receipts })
  const content = someContent({ receipt: { ...REQUEST, ...request } })
  let recorded = await append(engine.log, createdEntry(message, content))
  for (const fact of facts) recorded = await append(engine.log, nextEntry(recorded, fact))
  await projectAll(engine)
  return message.id
}

/** A sender with one receiver, and time that only passes when a test says so. */
export async function openWorld(answer: (nth: number) => Answer = () => 0, options: WorldOptions = {}) {
  let now = later(NOON, seconds(3600))
  const engine = openMemoryEngine({ clock: () => now })
  const faults: unknown[] = []
  const warnings: unknown[] = []
  const results: string[] = []
  const leases: number[] = []
  let looks = 0
  const { receivers, seen, controls } = openReceiver(answer, options.window ?? 10)
  const receiptDeliveries = { ...engine.receiptDeliveries, ...options.receiptDeliveries }
  const take: typeof receiptDeliveries.take = (demands, at, leasedUntil) => {
    looks += 1
    leases.push(leasedUntil - at)
    return receiptDeliveries.take(demands, at, leasedUntil)
  }
  const deps: ReceiptSenderDeps = {
    ...engine,
    receiptDeliveries: { ...receiptDeliveries, take },
    partialMessages: { ...engine.partialMessages, ...options.partialMessages },
    partSealer: openPartSealer(new Uint8Array(32)),
    ids: openIds(),
    clock: () => now,
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
    onFault: (error) => void faults.push(error),
    onSmppReceipt: (result) => void results.push(result),
  }
  const sender = new ReceiptSender(deps, receivers, seconds(options.answerWithin ?? 30))
  after(() => sender[Symbol.asyncDispose]())

  return {
    ...{ ...engine, ...seen, ...controls, leases, results, faults, warnings, sender },
    pass: (ms: number) => {
      now = later(now, millis(ms))
    },
    /** Until it has looked for receipts, and recorded what it found. */
    looked: () => {
      const before = looks
      return until('three looks', () => looks >= before + 3)
    },
    send: (facts: readonly Fact[], request?: Partial<ReceiptRequest>, receipts?: 'final' | 'all') =>
      send(engine, facts, request, receipts),
  }
}

export const sent = (world: World, count = 1): Promise<boolean> =>
  until('receipts', () => world.results.length >= count)

/** Whatever was taken is recorded, and nothing more is due. */
export async function settled(world: World): Promise<void> {
  await world.sender[Symbol.asyncDispose]()
  const demands = [{ ...ACCOUNT, max: 10 }]
  assert.deepEqual(await world.receiptDeliveries.take(demands, later(NOON, seconds(90_000)), NOON), [])
}
