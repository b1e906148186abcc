/** The tests every engine must pass that counts what accounts have sent. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { AccountId, ProviderName, TenantId } from '../domain/ids.ts'
import type { Country } from '../domain/message/country.ts'
import type { Fact } from '../domain/message/events.ts'
import type { Message } from '../domain/message/message.ts'
import { dayOf } from '../domain/message/usage.ts'
import { type Instant, later, type Millis } from '../lib/time.ts'
import type { Engines } from './engines.ts'
import { daysAgo, KEPT_30, MANY } from './retention-samples.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  hours,
  NOON,
  nextEntry,
  retryAt,
  type Seen,
  someEmail,
  someMessage,
  tenant,
} from './samples.contract.ts'
import type { UsageQuery, UsageRecord } from './usage-records.ts'

export type UsageRecordsEngine = AsyncDisposable &
  Pick<Engines, 'log' | 'retention' | 'usageRecords'> &
  Readonly<{
    /** Resolves once everything that was appended is counted. */
    catchUp: () => Promise<void>
    /** Rebuilds what is derived from the log. */
    rebuild: () => Promise<void>
  }>

export type OpenUsageRecords = () => Promise<UsageRecordsEngine>

const ALL_DAYS = { from: dayOf(daysAgo(400)), to: dayOf(later(NOON, hours(240))) } as const
const TODAY = dayOf(NOON)
const RESENT: Fact = { kind: 'ResendRequested', by: 'resend' }

const someTenant = (): TenantId => tenant(randomUUID())
const attemptedBy = (provider: string): Fact => ({ ...ATTEMPTED, provider: provider as ProviderName }) as Fact

/** Appends a message with these facts about it. */
async function put(
  { log }: UsageRecordsEngine,
  message: Partial<Message>,
  facts: readonly Fact[] = [],
  pace?: Millis,
): Promise<Seen> {
  const mail = message.channel === 'email' ? someEmail(0) : undefined
  let seen = await append(log, createdEntry(someMessage(message), mail))
  for (const fact of facts) seen = await append(log, nextEntry(seen, fact, undefined, pace))
  return seen
}

async function list(
  { usageRecords, catchUp }: UsageRecordsEngine,
  query: Partial<UsageQuery> & Pick<UsageQuery, 'tenantId'>,
): Promise<readonly UsageRecord[]> {
  await catchUp()
  return usageRecords.list({ ...ALL_DAYS, groupBy: [], limit: MANY, ...query })
}

const record = (
  key: UsageRecord['key'],
  [messages, segments, sentMessages, sentSegments]: readonly [number, number, number, number],
): UsageRecord => ({ key, messages, segments, sentMessages, sentSegments })

const at = (createdAt: Instant): Partial<Message> => ({ createdAt })
const account = (name: string): AccountId => name as AccountId
const country = (code: string): Country => code as Country

export function usageRecordsContract(engine: string, open: OpenUsageRecords): void {
  describe(`usage records on ${engine}`, { timeout: 120_000 }, () => {
    countingContract(open)
    keepingContract(open)
  })
}

function countingContract(open: OpenUsageRecords): void {
  test('messages count by account, channel, country, provider and day', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    assert.deepEqual(await list(engine, { tenantId }), [])
    const shop = { tenantId, accountId: account('shop') }
    await put(engine, { ...shop, segments: 3, country: country('PT') }, [attemptedBy('acme'), ACCEPTED, delivered()])
    await put(engine, { ...shop, segments: 2, country: country('BR') }, [attemptedBy('acme'), DEAD])
    await put(engine, { ...shop, channel: 'email', kind: 'email' }, [attemptedBy('relay'), ACCEPTED])
    await put(engine, { tenantId, accountId: account('bank'), country: country('PT'), ...at(daysAgo(2)) })
    await put(engine, { tenantId: someTenant() }, [ATTEMPTED, ACCEPTED])

    const query = { tenantId, groupBy: ['account', 'channel', 'country', 'provider', 'day'] } as const
    assert.deepEqual(await list(engine, query), [
      record(['bank', 'sms', 'PT', '', TODAY - 2], [1, 1, 0, 0]),
      record(['shop', 'email', '', '', TODAY], [1, 1, 0, 0]),
      record(['shop', 'email', '', 'relay', TODAY], [0, 0, 1, 1]),
      record(['shop', 'sms', 'BR', '', TODAY], [1, 2, 0, 0]),
      record(['shop', 'sms', 'PT', '', TODAY], [1, 3, 0, 0]),
      record(['shop', 'sms', 'PT', 'acme', TODAY], [0, 0, 1, 3]),
    ])
    assert.deepEqual(await list(engine, { tenantId }), [record([], [4, 7, 2, 4])])
    assert.deepEqual(await list(engine, { tenantId, groupBy: ['country'] }), [
      record([''], [1, 1, 1, 1]),
      record(['BR'], [1, 2, 0, 0]),
      record(['PT'], [2, 4, 1, 3]),
    ])
    assert.deepEqual(await list(engine, { tenantId, accountId: account('bank') }), [record([], [1, 1, 0, 0])])
    const [from, to] = [dayOf(daysAgo(3)), dayOf(daysAgo(1))]
    assert.deepEqual(await list(engine, { tenantId, from, to }), [record([], [1, 1, 0, 0])])
    assert.deepEqual(await list(engine, { tenantId, from: dayOf(NOON), to: dayOf(NOON) }), [record([], [3, 6, 2, 4])])
  })

  test('pages continue after a key', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    for (const name of ['a', 'é', 'z', 'b', 'a"b']) await put(engine, { tenantId, accountId: account(name) })
    const groupBy = ['account', 'day'] as const
    const all = await list(engine, { tenantId, groupBy })
    assert.deepEqual(
      all.map(({ key }) => key[0]),
      ['a', 'a"b', 'b', 'z', 'é'],
    )
    const paged: UsageRecord[] = []
    for (let page = await list(engine, { tenantId, groupBy, limit: 2 }); page.length > 0; ) {
      paged.push(...page)
      const after = page.at(-1)?.key ?? []
      page = await list(engine, { tenantId, groupBy, limit: 2, after })
    }
    assert.deepEqual(paged, all)
  })

  test('a message counts as sent each time a provider takes it, on the day it does', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    const facts = [attemptedBy('acme'), retryAt(NOON), attemptedBy('other'), ACCEPTED, RESENT, attemptedBy('acme')]
    await put(engine, { tenantId, segments: 2 }, [...facts, ACCEPTED, delivered()], hours(10))
    const groupBy = ['day', 'provider'] as const
    assert.deepEqual(await list(engine, { tenantId, groupBy }), [
      record([TODAY, ''], [1, 2, 0, 0]),
      record([TODAY + 2, 'other'], [0, 0, 1, 2]),
      record([TODAY + 3, 'acme'], [0, 0, 1, 2]),
    ])
  })

  test('a message that is sent after it was counted counts once more', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    let seen = await put(engine, { tenantId })
    assert.deepEqual(await list(engine, { tenantId }), [record([], [1, 1, 0, 0])])
    seen = await append(engine.log, nextEntry(seen, ATTEMPTED))
    assert.deepEqual(await list(engine, { tenantId }), [record([], [1, 1, 0, 0])])
    seen = await append(engine.log, nextEntry(seen, ACCEPTED))
    assert.deepEqual(await list(engine, { tenantId }), [record([], [1, 1, 1, 1])])
    for (const fact of [delivered(), RESENT, ATTEMPTED, ACCEPTED]) {
      seen = await append(engine.log, nextEntry(seen, fact))
      await engine.catchUp()
    }
    assert.deepEqual(await list(engine, { tenantId }), [record([], [1, 1, 2, 2])])
  })
}

function keepingContract(open: OpenUsageRecords): void {
  test('usage stays when messages are erased or deleted, and when the index is rebuilt', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    const sent = [ATTEMPTED, ACCEPTED, delivered()]
    for (const age of [40, 40, 20]) {
      await put(engine, { tenantId, segments: 2, country: country('PT'), ...at(daysAgo(age)) }, sent)
    }
    const erased = await put(engine, { tenantId, country: country('PT') }, [...sent, { kind: 'MessageErased' }])
    await engine.log.shred(erased.event.state.id)
    const query = { tenantId, groupBy: ['day', 'country', 'provider'] } as const
    const before = await list(engine, query)
    assert.deepEqual(before[0], record([TODAY - 40, 'PT', ''], [2, 4, 0, 0]))

    await engine.rebuild()
    assert.deepEqual(await list(engine, query), before)
    assert.equal(await engine.retention.prune(KEPT_30, NOON, MANY), 2)
    assert.deepEqual(await list(engine, query), before)
    await engine.rebuild()
    assert.deepEqual(await list(engine, query), before)

    await put(engine, { tenantId, segments: 2, country: country('PT'), ...at(daysAgo(40)) }, sent)
    const [first] = await list(engine, query)
    assert.deepEqual(first, record([TODAY - 40, 'PT', ''], [3, 6, 0, 0]))
    assert.equal(await engine.retention.prune(KEPT_30, NOON, MANY), 1)
    assert.deepEqual((await list(engine, query))[0], first)
  })
}
