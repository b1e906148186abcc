/** That whatever happens in whatever order, everybody is told everything, once. Run with webhook deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CALLBACK } from '../domain/webhooks/endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import type { Changed, WebhookDeliveries, WebhookDelivery, WebhookDeliveryKey } from './webhook-deliveries.ts'
import {
  addEndpoint,
  LEASE_END,
  NORTH_SHOP,
  type OpenWebhookDeliveries,
  place,
  someChange,
  soon,
} from './webhook-delivery-samples.contract.ts'

type Stores = Readonly<{ endpoints: Endpoints; webhookDeliveries: WebhookDeliveries }>
/** From which position, without it, through which a webhook delivery was told. */
type Range = readonly [after: number, through: number]

const nameOf = ({ messageId, endpointId }: Pick<WebhookDeliveryKey, 'messageId' | 'endpointId'>): string =>
  `${messageId} ${endpointId}`

/** Messages that change, and what was told of them to whom. */
class Telling {
  readonly #webhookDeliveries: WebhookDeliveries
  readonly #messages: readonly Changed[]
  readonly #newest = new Map<string, number>()
  readonly #told = new Map<string, Range[]>()
  #now = 0

  constructor(webhookDeliveries: WebhookDeliveries, messages: number) {
    this.#webhookDeliveries = webhookDeliveries
    this.#messages = Array.from({ length: messages }, (_, nth) => someChange(0, { hasCallback: nth === 0 }))
  }

  tick = () => {
    this.#now += 1
    return soon(this.#now)
  }

  /** One more event of a message; `again` is one that is told of for a second time. */
  async want(nth: number, again = false): Promise<void> {
    const message = this.#messages[nth % this.#messages.length]
    if (message === undefined) return
    const at = this.tick()
    const position = again ? (this.#newest.get(message.messageId) ?? 0) : this.#now
    if (position === 0) return
    this.#newest.set(message.messageId, position)
    await this.#webhookDeliveries.enqueue([{ ...message, position: place(position), at }])
  }

  async tell(delivery: WebhookDelivery, through: number): Promise<void> {
    this.#told.set(nameOf(delivery), [...(this.#told.get(nameOf(delivery)) ?? []), [delivery.told, through]])
    await this.#webhookDeliveries.complete(delivery, {
      kind: 'told',
      through: place(through),
      status: 200,
      at: this.tick(),
    })
  }

  /** Everybody was told from the beginning to the newest, each range beginning where the one before it ended. */
  check(endpoints: readonly string[]): void {
    for (const { messageId, hasCallback } of this.#messages) {
      const newest = this.#newest.get(messageId)
      if (newest === undefined) continue
      for (const endpointId of hasCallback ? [...endpoints, CALLBACK] : endpoints) {
        const ranges = this.#told.get(`${messageId} ${endpointId}`) ?? []
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

type Step = Readonly<{ kind: 'enqueue' | 'again' | 'take' | 'tell' | 'fail' | 'giveBack'; nth: number }>
const someSteps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>(
      'enqueue',
      'enqueue',
      'again',
      'take',
      'take',
      'tell',
      'tell',
      'fail',
      'giveBack',
    ),
    nth: fc.nat(50),
  }),
  { maxLength: 24 },
)

/** What somebody does of it all; `hands` are the webhook deliveries that are being told. */
async function act(
  { webhookDeliveries }: Stores,
  telling: Telling,
  hands: WebhookDelivery[],
  { kind, nth }: Step,
): Promise<void> {
  if (kind === 'enqueue' || kind === 'again') return telling.want(nth, kind === 'again')
  const at = telling.tick()
  if (kind === 'take') {
    const taken = await webhookDeliveries.take(at, LEASE_END, 1 + (nth % 3), 2)
    hands.push(...taken.map(({ delivery }) => delivery))
    return
  }
  const [delivery] = hands.splice(nth % Math.max(hands.length, 1), 1)
  if (delivery === undefined) return
  if (kind === 'giveBack') return webhookDeliveries.release(delivery, at)
  if (kind === 'fail')
    return webhookDeliveries.complete(delivery, { kind: 'failed', error: 'not now', at, again: telling.tick() })
  const oneByOne = Math.min(delivery.told + 1 + (nth % 4), delivery.wanted)
  await telling.tell(delivery, nth % 2 === 0 ? delivery.wanted : oneByOne)
}

async function tellTheRest(
  { webhookDeliveries }: Stores,
  telling: Telling,
  hands: readonly WebhookDelivery[],
): Promise<void> {
  for (const delivery of hands) await webhookDeliveries.release(delivery, telling.tick())
  for (;;) {
    const taken = await webhookDeliveries.take(telling.tick(), LEASE_END, 10, 10)
    if (taken.length === 0) return
    for (const { delivery } of taken) await telling.tell(delivery, delivery.wanted)
  }
}

async function clear({ endpoints }: Stores): Promise<void> {
  for (const endpoint of await endpoints.list(NORTH_SHOP)) await endpoints.remove(endpoint)
}

export function webhookDeliveryOrderContract(open: OpenWebhookDeliveries): void {
  test('whatever is wanted, taken, told, failed and handed back in whatever order, every endpoint is told all, in order and once', async () => {
    await using opened = await open()
    const property = fc.asyncProperty(someSteps, async (steps) => {
      const ids = [await addEndpoint(opened.endpoints), await addEndpoint(opened.endpoints)].map(({ id }) => id)
      const telling = new Telling(opened.webhookDeliveries, 3)
      const hands: WebhookDelivery[] = []
      for (const step of steps) await act(opened, telling, hands, step)
      await tellTheRest(opened, telling, hands)
      telling.check(ids)
      await clear(opened)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test('many who tell at once, while there are news, tell all in order and once', async () => {
    await using opened = await open()
    const ids = [await addEndpoint(opened.endpoints), await addEndpoint(opened.endpoints)].map(({ id }) => id)
    const telling = new Telling(opened.webhookDeliveries, 5)
    let isOver = false
    const tell = async (): Promise<void> => {
      while (!isOver) {
        const taken = await opened.webhookDeliveries.take(telling.tick(), LEASE_END, 3, 4)
        for (const { delivery } of taken) await telling.tell(delivery, delivery.wanted)
        await new Promise(setImmediate)
      }
    }
    const tellers = Promise.all(Array.from({ length: 6 }, tell))
    for (let nth = 0; nth < 60; nth += 1) await telling.want(nth)
    isOver = true
    await tellers
    await tellTheRest(opened, telling, [])
    telling.check(ids)
  })
}
