/** The tests every store of webhook attempts must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { AccountId, AlertId, EndpointId, MessageId, WebhookAttemptId } from '../domain/ids.ts'
import { lowestUuidV7At } from '../lib/uuid-v7.ts'
import type { Endpoints } from './endpoints.ts'
import { tenant } from './samples.contract.ts'
import { ATTEMPTS_KEPT, type SealedAttempt, type WebhookAttempts } from './webhook-attempts.ts'
import { addEndpoint, endpointKeyOf, NORTH_SHOP, secondsAfter } from './webhook-delivery-samples.contract.ts'

export type OpenWebhookAttempts = () => Promise<
  Readonly<{ endpoints: Endpoints; webhookAttempts: WebhookAttempts }> & AsyncDisposable
>

const ORDERS = { ...NORTH_SHOP, endpointId: 'orders' as EndpointId }
const MANY = { limit: 1_000 }

/** An id of this time. */
const idAt = (second: number): WebhookAttemptId =>
  `${lowestUuidV7At(secondsAfter(second)).slice(0, 24)}${randomUUID().slice(24)}` as WebhookAttemptId

const someAttempt = (second: number, wanted: Partial<SealedAttempt> = {}): SealedAttempt => ({
  ...ORDERS,
  id: idAt(second),
  subjectId: randomUUID() as MessageId,
  sealed: `sealed ${second}`,
  ...wanted,
})

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, nth) => nth + 1)

/** Test events have no subject. */
function someTest(second: number, wanted: Partial<SealedAttempt> = {}): SealedAttempt {
  const { subjectId: _, ...attempt } = someAttempt(second, wanted)
  return attempt
}

export function webhookAttemptsContract(engine: string, open: OpenWebhookAttempts): void {
  describe(`webhook attempts on ${engine}`, { timeout: 120_000 }, () => {
    listContract(open)
    boundContract(open)
    deletionContract(open)
  })
}

function listContract(open: OpenWebhookAttempts): void {
  test('lists the attempts of an endpoint and of one delivery, newest first, page by page', async () => {
    await using opened = await open()
    const { webhookAttempts } = opened
    const subjectId = randomUUID() as MessageId
    const alertId = randomUUID() as AlertId
    const one = someAttempt(1, { subjectId })
    const other = someAttempt(2)
    const two = someAttempt(3, { subjectId })
    const tested = someTest(4)
    const alert = someAttempt(5, { subjectId: alertId })
    await webhookAttempts.record([two, one, tested])
    await webhookAttempts.record([other, alert])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, ...MANY }), [alert, tested, two, other, one])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, subjectId, ...MANY }), [two, one])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, subjectId: alertId, ...MANY }), [alert])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, limit: 2 }), [alert, tested])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, limit: 2, cursor: tested.id }), [two, other])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, subjectId, limit: 9, cursor: two.id }), [one])
  })

  test('finds an attempt only for its own endpoint, account and tenant', async () => {
    await using opened = await open()
    const { webhookAttempts } = opened
    const attempt = someAttempt(1)
    await webhookAttempts.record([attempt])
    assert.deepEqual(await webhookAttempts.find(attempt), attempt)
    assert.equal(await webhookAttempts.find({ ...ORDERS, id: idAt(1) }), undefined)
    const strangers = [
      { ...ORDERS, endpointId: 'others' as EndpointId },
      { ...ORDERS, accountId: 'kiosk' as AccountId },
      { ...ORDERS, tenantId: tenant('south') },
    ]
    for (const stranger of strangers) {
      assert.equal(await webhookAttempts.find({ ...stranger, id: attempt.id }), undefined)
      assert.deepEqual(await webhookAttempts.list({ ...stranger, ...MANY }), [])
    }
  })

  test('records an attempt once, and accepts none', async () => {
    await using opened = await open()
    const { webhookAttempts } = opened
    const attempt = someAttempt(1)
    await webhookAttempts.record([])
    await webhookAttempts.record([attempt])
    await webhookAttempts.record([attempt])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, ...MANY }), [attempt])
  })
}

function boundContract(open: OpenWebhookAttempts): void {
  test('keeps the newest attempts of each delivery', async () => {
    await using opened = await open()
    const { webhookAttempts } = opened
    const subjectId = randomUUID() as MessageId
    const attempts = range(ATTEMPTS_KEPT + 5).map((second) => someAttempt(second, { subjectId }))
    const elsewhere = [{ endpointId: 'others' as EndpointId }, { accountId: 'kiosk' as AccountId }].map((wanted) =>
      someAttempt(1, { subjectId, ...wanted }),
    )
    const old = someAttempt(1)
    await webhookAttempts.record([...elsewhere, old, ...attempts.slice(0, 12)])
    for (const attempt of attempts.slice(12)) await webhookAttempts.record([attempt])
    assert.deepEqual(
      await webhookAttempts.list({ ...ORDERS, subjectId, ...MANY }),
      attempts.slice(-ATTEMPTS_KEPT).toReversed(),
    )
    for (const attempt of [...elsewhere, old]) assert.deepEqual(await webhookAttempts.find(attempt), attempt)
  })

  test('keeps the newest test events of each endpoint', async () => {
    await using opened = await open()
    const { webhookAttempts } = opened
    const tests = range(ATTEMPTS_KEPT + 3).map((second) => someTest(second))
    const others = ['kiosk', 'stand'].map((account) => someTest(1, { accountId: account as AccountId }))
    const delivered = someAttempt(1)
    await webhookAttempts.record([...others, delivered])
    for (const one of tests) await webhookAttempts.record([one])
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, ...MANY }), [
      ...tests.slice(-ATTEMPTS_KEPT).toReversed(),
      delivered,
    ])
    for (const other of others) assert.deepEqual(await webhookAttempts.find(other), other)
  })
}

function deletionContract(open: OpenWebhookAttempts): void {
  test('forgets attempts by age', async () => {
    await using opened = await open()
    const { webhookAttempts } = opened
    const attempts = range(600).map((second) => someAttempt(second))
    await webhookAttempts.record(attempts)
    while (await webhookAttempts.forget(secondsAfter(600)));
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, ...MANY }), attempts.slice(-1))
  })

  test('erasing a message deletes its attempts at all endpoints, and no others', async () => {
    await using opened = await open()
    const { webhookAttempts } = opened
    const subjectId = randomUUID() as MessageId
    const others = { ...ORDERS, endpointId: 'others' as EndpointId }
    const kept = [someAttempt(1), someTest(2)]
    const attempts = [someAttempt(3, { subjectId }), someAttempt(4, { ...others, subjectId })]
    await webhookAttempts.record([...kept, ...attempts])
    await webhookAttempts.erase(subjectId)
    assert.deepEqual(await webhookAttempts.list({ ...ORDERS, ...MANY }), kept.toReversed())
    assert.deepEqual(await webhookAttempts.list({ ...others, ...MANY }), [])
    await webhookAttempts.erase(subjectId)
  })

  test('an endpoint is removed with its attempts, however many', async () => {
    await using opened = await open()
    const { endpoints, webhookAttempts } = opened
    const [removed, left] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    const of = (endpoint: typeof removed) => range(2_100).map((second) => someAttempt(second, endpointKeyOf(endpoint)))
    await webhookAttempts.record(of(removed))
    const [kept] = of(left)
    assert.ok(kept !== undefined)
    await webhookAttempts.record([kept])
    assert.equal(await endpoints.remove(removed), true)
    assert.deepEqual(await webhookAttempts.list({ ...endpointKeyOf(removed), ...MANY }), [])
    assert.deepEqual(await webhookAttempts.list({ ...endpointKeyOf(left), ...MANY }), [kept])
  })
}
