/** Every endpoint gets every event once, in order, whatever happens. Run by webhook-deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CALLBACK } from '../domain/webhooks/endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import type { ChangedMessage, WebhookDeliveries, WebhookDelivery, WebhookDeliveryKey } from './webhook-deliveries.ts'
import {
  addEndpoint,
  LEASE_END,
  NORTH_SHOP,
  type OpenWebhookDeliveries,
  secondsAfter,
  someChange,
  toPosition,
} from './webhook-delivery-samples.contract.ts'

type Stores = Readonly<{ endpoints: Endpoints; webhookDeliveries: WebhookDeliveries }>
/** The range of a delivery: after which position, through which. */
type Range = readonly [after: number, through: number]

const nameOf = ({ subjectId, endpointId }: Pick<WebhookDeliveryKey, 'subjectId' | 'endpointId'>): string =>
  `${subjectId} ${endpointId}`

/** Messages that change, and the ranges delivered to each endpoint. */
class DeliveryLog {
  readonly #webhookDeliveries: WebhookDeliveries
  readonly #messages: readonly ChangedMessage[]
  readonly #newest = new Map<string, number>()
  readonly #delivered = new Map<string, Range[]>()
  #now = 0

  constructor(webhookDeliveries: WebhookDeliveries, messages: number) {
    this.#webhookDeliveries = webhookDeliveries
    this.#messages = Array.from({ length: messages }, (_, nth) => someChange(0, { hasCallback: nth === 0 }))
  }

  tick = () => {
    this.#now += 1
    return secondsAfter(this.#now)
  }

  /** Enqueues a new event of a message; with `again`, its newest event once more. */
  async enqueue(nth: number, again = false): Promise<void> {
    const message = this.#messages[nth % this.#messages.length]
    if (message === undefined) return
    const at = this.tick()
    const position = again ? (this.#newest.get(message.messageId) ?? 0) : this.#now
    if (position === 0) return
    this.#newest.set(message.messageId, position)
    await this.#webhookDeliveries.enqueue([{ ...message, position: toPosition(position), at }])
  }

  async deliver(delivery: WebhookDelivery, through: number): Promise<void> {
    this.#delivered.set(nameOf(delivery), [
      ...(this.#delivered.get(nameOf(delivery)) ?? []),
      [delivery.deliveredThrough, through],
    ])
    await this.#webhookDeliveries.complete(delivery, {
      kind: 'delivered',
      through: toPosition(through),
      status: 200,
      at: this.tick(),
    })
  }

  /** Every endpoint got all events up to the newest, and each range begins where the previous one ended. */
  check(endpoints: readonly string[]): void {
    for (const { messageId, hasCallback } of this.#messages) {
      const newest = this.#newest.get(messageId)
      if (newest === undefined) continue
      for (const endpointId of hasCallback ? [...endpoints, CALLBACK] : endpoints) {
        const ranges = this.#delivered.get(`${messageId} ${endpointId}`) ?? []
        const ends = ranges.map(([, through]) => through)
        assert.deepEqual(
          ranges,
          [0, ...ends.slice(0, -1)].map((after, nth) => [after, ends[nth]]),
        )
        assert.equal(ends.at(-1), newest)
      }
    }
  }
}

type Step = Readonly<{ kind: 'enqueue' | 'again' | 'take' | 'deliver' | 'fail' | 'release'; nth: number }>
const someSteps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>(
      'enqueue',
      'enqueue',
      'again',
      'take',
      'take',
      'deliver',
      'deliver',
      'fail',
      'release',
    ),
    nth: fc.nat(50),
  }),
  { maxLength: 24 },
)

/** Runs one step; `held` are the leased deliveries. */
async function act(
  { webhookDeliveries }: Stores,
  log: DeliveryLog,
  held: WebhookDelivery[],
  { kind, nth }: Step,
): Promise<void> {
  if (kind === 'enqueue' || kind === 'again') return log.enqueue(nth, kind === 'again')
  const at = log.tick()
  if (kind === 'take') {
    const taken = await webhookDeliveries.take(at, LEASE_END, 1 + (nth % 3), 2)
    held.push(...taken.map(({ delivery }) => delivery))
    return
  }
  const [delivery] = held.splice(nth % Math.max(held.length, 1), 1)
  if (delivery === undefined) return
  if (kind === 'release') return webhookDeliveries.release(delivery, at)
  if (kind === 'fail')
    return webhookDeliveries.complete(delivery, { kind: 'failed', error: 'not now', at, again: log.tick() })
  const oneByOne = Math.min(delivery.deliveredThrough + 1 + (nth % 4), delivery.wantedThrough)
  await log.deliver(delivery, nth % 2 === 0 ? delivery.wantedThrough : oneByOne)
}

async function deliverTheRest(
  { webhookDeliveries }: Stores,
  log: DeliveryLog,
  held: readonly WebhookDelivery[],
): Promise<void> {
  for (const delivery of held) await webhookDeliveries.release(delivery, log.tick())
  for (;;) {
    const taken = await webhookDeliveries.take(log.tick(), LEASE_END, 10, 10)
    if (taken.length === 0) return
    for (const { delivery } of taken) await log.deliver(delivery, delivery.wantedThrough)
  }
}

async function clear({ endpoints }: Stores): Promise<void> {
  for (const endpoint of await endpoints.list(NORTH_SHOP)) await endpoints.remove(endpoint)
}

export function webhookDeliveryOrderContract(open: OpenWebhookDeliveries): void {
  test('every endpoint gets all events once and in order, for any sequence of enqueue, take, deliver, fail and release', async () => {
    await using opened = await open()
    const property = fc.asyncProperty(someSteps, async (steps) => {
      const ids = [await addEndpoint(opened.endpoints), await addEndpoint(opened.endpoints)].map(({ id }) => id)
      const log = new DeliveryLog(opened.webhookDeliveries, 3)
      const held: WebhookDelivery[] = []
      for (const step of steps) await act(opened, log, held, step)
      await deliverTheRest(opened, log, held)
      log.check(ids)
      await clear(opened)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test('concurrent workers deliver all events once and in order while new ones are enqueued', async () => {
    await using opened = await open()
    const ids = [await addEndpoint(opened.endpoints), await addEndpoint(opened.endpoints)].map(({ id }) => id)
    const log = new DeliveryLog(opened.webhookDeliveries, 5)
    let isOver = false
    const deliver = async (): Promise<void> => {
      while (!isOver) {
        const taken = await opened.webhookDeliveries.take(log.tick(), LEASE_END, 3, 4)
        for (const { delivery } of taken) await log.deliver(delivery, delivery.wantedThrough)
        await new Promise(setImmediate)
      }
    }
    const workers = Promise.all(Array.from({ length: 6 }, deliver))
    for (let nth = 0; nth < 60; nth += 1) await log.enqueue(nth)
    isOver = true
    await workers
    await deliverTheRest(opened, log, [])
    log.check(ids)
  })
}
