/** The tests of what deleting a message leaves behind: nothing of it, and everything else. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { EmailAddress } from '../domain/email/address.ts'
import type { EndpointId, MessageId, WebhookAttemptId } from '../domain/ids.ts'
import type { Message } from '../domain/message/message.ts'
import { later, seconds } from '../lib/time.ts'
import { someErasure } from './erasures.contract.ts'
import { START } from './event-log.ts'
import type { SampleMessage } from './index-samples.contract.ts'
import type { Filter } from './message-index.ts'
import {
  daysAgo,
  find,
  happen,
  KEPT_30,
  MANY,
  NORTH,
  type OpenRetaining,
  put,
  putOld,
  type RetainingEngine,
} from './retention-samples.contract.ts'
import { ATTEMPTED, forever, hours, NOON, phone, present, someContent } from './samples.contract.ts'
import { someSuppression } from './suppressions.contract.ts'
import type { SealedAttempt } from './webhook-attempts.ts'
import { addEndpoint, NORTH_SHOP } from './webhook-delivery-samples.contract.ts'

const EVA = 'eva@example.com' as EmailAddress
const MAIL: SampleMessage = {
  message: { createdAt: daysAgo(40), callback: true },
  mail: { subject: 'Invoice', tags: ['unpaid'], metadata: { order: 'A-17' }, cc: [{ address: EVA }] },
}

const ORDERS = { ...NORTH_SHOP, endpointId: 'orders' as EndpointId }

const toAttempt = ({ id: subjectId }: Message): SealedAttempt => ({
  ...ORDERS,
  id: randomUUID() as WebhookAttemptId,
  subjectId,
  sealed: 'sealed',
})

/** Everything by which a message could still be found. */
async function traces(
  engine: RetainingEngine,
  { id }: Message,
  personal: readonly Filter[],
): Promise<readonly string[]> {
  const { log, timeline, webhookDeliveries, webhookAttempts } = engine
  const found = await Promise.all(personal.map((filter) => find(engine, filter)))
  const { webhookDeliveries: sent } = await webhookDeliveries.list({ ...NORTH_SHOP, subjectId: id, limit: MANY })
  const attempts = await webhookAttempts.list({ ...ORDERS, subjectId: id, limit: MANY })
  const isListed = personal.filter((_, nth) => found[nth]?.includes(id)).map((filter) => JSON.stringify(filter))
  return [
    ...isListed,
    ...((await log.latest(id)) === undefined ? [] : ['latest']),
    ...((await log.load(id)) === undefined ? [] : ['load']),
    ...((await log.read(id)).length === 0 ? [] : ['read']),
    ...(((await timeline?.read(NORTH, id)) ?? []).length === 0 ? [] : ['timeline']),
    ...(sent.length === 0 ? [] : ['webhook deliveries']),
    ...(attempts.length === 0 ? [] : ['webhook attempts']),
  ]
}

/** How the index finds a message and who got copies of it. */
async function personalOf({ index }: RetainingEngine, { id }: Message): Promise<readonly Filter[]> {
  const { rows } = await index.search({ tenantId: NORTH, filter: { id }, limit: 1 })
  const { toKey, copyKeys = [] } = rows[0]?.searchable ?? assert.fail('nothing is searchable')
  const keys = [toKey, ...copyKeys].map((key) => ({ toKey: key }))
  return [{ id }, {}, { text: 'unpaid' }, { text: 'a-17' }, { tag: 'unpaid' }, { providerMessageId: 'SM1' }, ...keys]
}

export function retentionDeletingContract(open: OpenRetaining): void {
  test('deletes everything that is stored about a message', async () => {
    await using engine = await open()
    const { retention, log } = engine
    await addEndpoint(engine.endpoints, { createdAt: daysAgo(100) })
    const [old, young] = [await put(engine, MAIL), await put(engine, { ...MAIL, message: { createdAt: daysAgo(1) } })]
    await engine.webhookAttempts.record([old, young].map(toAttempt))
    const filters = await personalOf(engine, old)
    const before = await traces(engine, old, filters)
    const isTimed = engine.timeline !== undefined
    assert.equal(before.length, filters.length + (isTimed ? 6 : 5), `missing before: ${before}`)

    assert.equal(await retention.prune(KEPT_30, NOON, MANY), 1)
    assert.deepEqual(await traces(engine, old, filters), [])
    assert.equal((await traces(engine, young, filters)).length, before.length - 1, 'all but the id of the other')
    const remaining = (await log.tip()) > START ? await firstFollowed(engine) : undefined
    assert.equal(remaining, young.id)
  })

  test('leaves suppressions, limits, recipients, templates, erasures and endpoints alone', async () => {
    await using engine = await open()
    const { suppressions, rules, recipients, templates, erasures, endpoints } = engine
    const at = { createdAt: daysAgo(400), updatedAt: daysAgo(400) }
    const message = await putOld(engine, 400)
    const suppression = someSuppression({ messageId: message.id, createdAt: at.createdAt })
    await suppressions.add(suppression)
    const rule = { limit: 3, window: seconds(60), algorithm: 'fixed' as const }
    const limit = await present(
      rules.set({
        tenantId: NORTH,
        scope: 'user',
        key: '7',
        setBy: 'tenant',
        rule,
        shown: '7',
        updatedAt: at.updatedAt,
      }),
    )
    const entry = { id: randomUUID() as never, tenantId: NORTH, externalId: '7', phone: phone('+5511987654321'), ...at }
    await recipients.add(entry)
    const texts = { text: 'Hi' }
    const template = await present(
      templates.add({
        ...{ tenantId: NORTH, name: 'welcome', locale: 'en', channel: 'sms', texts },
        createdAt: at.createdAt,
      }),
    )
    const erasure = await erasures.start(someErasure({ requestedAt: at.createdAt }))
    const endpoint = await addEndpoint(endpoints, at)

    assert.equal(await engine.retention.prune({ days: 3, rules: [] }, NOON, MANY), 1)
    assert.deepEqual(await suppressions.find(NORTH, [suppression.address], NOON), [suppression])
    assert.deepEqual(await rules.find(limit), limit)
    assert.deepEqual(await recipients.find(NORTH, { id: entry.id }), entry)
    assert.deepEqual(await templates.find(NORTH, 'welcome', ['en']), template)
    assert.deepEqual(await erasures.find(NORTH, erasure.id), erasure)
    assert.deepEqual(await endpoints.find(endpoint), endpoint)
  })

  test('erasing a deleted message does nothing', async () => {
    await using engine = await open()
    const { retention, log, index } = engine
    const old = await put(engine, MAIL)
    const filters = await personalOf(engine, old)
    await retention.prune(KEPT_30, NOON, MANY)
    await log.shred(old.id)
    await index.tombstone(old.id)
    await engine.catchUp()
    assert.deepEqual(await traces(engine, old, filters), [])
  })
}

async function firstFollowed({ log }: RetainingEngine): Promise<MessageId | undefined> {
  for await (const [first] of log.follow(START, 1, forever())) return first?.messageId
  return undefined
}

export function retentionReusingContract(open: OpenRetaining): void {
  for (const [name, shred] of [
    ['a deleted message', undefined],
    ['a deleted message whose content was erased before', 'searchable'],
    ['a deleted message that was erased before', 'everything'],
  ] as const) {
    test(`an idempotency key may name a new message with the id of ${name}`, async () => {
      await using engine = await open()
      const { log, retention } = engine
      const old = await put(engine, { message: { createdAt: daysAgo(40) }, content: { tags: ['old'] } })
      if (shred !== undefined) await erase(engine, old, shred)
      assert.equal(await retention.prune(KEPT_30, later(NOON, hours(2)), MANY), 1)

      const again = { ...old, createdAt: NOON }
      const content = { to: phone('+351912345678'), tags: ['new'] }
      await put(engine, { message: again, content, facts: [ATTEMPTED] })
      assert.deepEqual((await log.load(old.id))?.content, someContent(content))
      assert.deepEqual(await find(engine, { tag: 'new' }), [old.id])
      assert.deepEqual(await find(engine, { tag: 'old' }), [])
      const facts = (await log.read(old.id)).map(({ event }) => event.fact.kind)
      assert.deepEqual(facts, ['MessageCreated', 'HandoffAttempted'])
      const kept = await engine.timeline?.read(NORTH, old.id)
      if (kept !== undefined)
        assert.deepEqual(
          kept.map(({ fact }) => fact.kind),
          facts,
        )
      assert.equal(await retention.prune(KEPT_30, later(NOON, hours(2)), MANY), 0)
    })
  }
}

async function erase(engine: RetainingEngine, message: Message, what: 'searchable' | 'everything'): Promise<void> {
  const { log, index } = engine
  if (what === 'searchable') await log.shred(message.id, 'searchable')
  else await log.shred(message.id)
  await happen(
    engine,
    message,
    what === 'searchable' ? { kind: 'MessageErased', kept: 'recipient' } : { kind: 'MessageErased' },
  )
  if (what === 'everything') await index.tombstone(message.id)
}
