/** The tests of the SQL views of SMS and one-time codes: they return what domain/ computes from the same events. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AccountId, MessageId, TenantId } from '../domain/ids.ts'
import type { Country } from '../domain/message/country.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import { toStatus } from '../domain/message/states.ts'
import type { CodeHash } from '../domain/otp/challenge.ts'
import { instant } from '../lib/time.ts'
import type { Challenges } from './challenges.ts'
import { type History, someSteps, toEvents } from './email-histories.contract.ts'
import { plain } from './email-views.contract.ts'
import { someMessage, tenant } from './samples.contract.ts'

export const SMS_VIEWS = ['sms_requests', 'sms_events', 'otp_challenges'] as const
type SmsView = (typeof SMS_VIEWS)[number]
type Row = Readonly<Record<string, unknown>>

export type SmsViewStore = AsyncDisposable &
  Readonly<{
    challenges: Pick<Challenges, 'begin' | 'claim' | 'conclude'>
    /** Writes the events to the timeline and the latest state to the index, as the projector does. */
    write: (histories: readonly History[]) => Promise<void>
    /** All rows of a view that the tenant can read. */
    read: (view: SmsView, tenantId: TenantId) => Promise<readonly Row[]>
  }>

const TENANTS = ['north', 'south'].map(tenant)
const SEARCHABLE = { to: '+*******4321', toKey: 'key', tags: [], metadata: { order: 'A-17', city: 'São Paulo' } }

const someSms = fc
  .tuple(fc.uuid(), fc.constantFrom(...TENANTS), fc.constantFrom('PT', undefined), someSteps)
  .map(([id, tenantId, country, steps]): History => {
    const place = country === undefined ? {} : { country: country as Country }
    const events = toEvents(someMessage({ id: id as MessageId, tenantId, segments: 2, ...place }), steps)
    return events.at(-1)?.state.erased ? { events } : { events, searchable: SEARCHABLE }
  })

export function smsViewsContract(engine: string, open: () => Promise<SmsViewStore>): void {
  test(`on ${engine} the views of SMS match the events for any history`, { timeout: 60_000 }, async () => {
    await using store = await open()
    const property = fc.asyncProperty(fc.array(someSms, { minLength: 5, maxLength: 15 }), async (histories) => {
      await store.write(histories)
      const ids = new Set<unknown>(histories.map(({ events }) => events[0]?.state.id))
      for (const tenantId of TENANTS) {
        const own = histories.filter(({ events }) => events[0]?.state.tenantId === tenantId)
        const requests = (await store.read('sms_requests', tenantId)).filter(({ id }) => ids.has(id))
        assert.deepEqual(byId(requests, 'id'), byId(own.map(toRequestRow), 'id'))
        const events = (await store.read('sms_events', tenantId)).filter((row) => ids.has(row['request_id']))
        const found = events.toSorted((one, other) => Number(one['id']) - Number(other['id']))
        assert.equal(new Set(found.map(({ id }) => id)).size, found.length)
        const withoutIds = found.map(({ id: _, ...row }) => row)
        assert.deepEqual(byId(withoutIds, 'request_id'), byId(own.flatMap(toEventRows), 'request_id'))
      }
    })
    await fc.assert(property, { numRuns: 12, endOnFailure: true })
  })

  test(`on ${engine} the view of one-time codes has their challenges, without their hashes`, async () => {
    await using store = await open()
    const { challenges } = store
    const [now, tenantId] = [Date.now(), tenant('north')]
    const begin = async (endsIn: number) => {
      const [message] = toEvents(someMessage({ tenantId, lane: 'otp' }), [])
      assert.ok(message !== undefined)
      const { id } = message.state
      const terms = { maxAttempts: 2, createdAt: instant(now - 60_000), expiresAt: instant(now + endsIn) }
      const accountId = 'shop' as AccountId
      assert.ok(await challenges.begin({ id, tenantId, accountId, ...terms, hash: 'secret' as CodeHash }))
      await store.write([{ events: [message], searchable: SEARCHABLE }])
      return { id, tenantId }
    }
    const [pending, verified, exhausted, expired, canceled] = [
      await begin(60_000),
      await begin(60_000),
      await begin(60_000),
      await begin(-1),
      await begin(60_000),
    ]
    await challenges.conclude(verified, 'verified', instant(now - 5))
    await challenges.conclude(canceled, 'canceled', instant(now - 7))
    for (const _ of [1, 2]) await challenges.claim(exhausted, instant(now - 9))
    const rows = await store.read('otp_challenges', tenantId)
    const toRow = ({ id }: typeof pending, status: string, row: Row): Row => ({
      id,
      to_number: SEARCHABLE.to,
      otp_hash: null,
      sms_request_id: id,
      ttl_expires_at: now + 60_000,
      attempts: 0,
      max_attempts: 2,
      status,
      created_at: now - 60_000,
      updated_at: now - 60_000,
      tenant_id: tenantId,
      account_id: 'shop',
      ...row,
    })
    const expected = [
      toRow(pending, 'pending', {}),
      toRow(verified, 'verified', { updated_at: now - 5 }),
      toRow(exhausted, 'exhausted', { attempts: 2 }),
      toRow(expired, 'expired', { ttl_expires_at: now - 1 }),
      toRow(canceled, 'canceled', { updated_at: now - 7 }),
    ]
    assert.deepEqual(byId(rows, 'id'), byId(expected, 'id'))
    const orphan = { id: randomUUID() as MessageId, tenantId: tenant('south') }
    const terms = {
      accountId: 'shop' as AccountId,
      maxAttempts: 1,
      createdAt: instant(now),
      expiresAt: instant(now + 9),
    }
    await challenges.begin({ ...orphan, ...terms })
    assert.deepEqual(
      (await store.read('otp_challenges', orphan.tenantId)).map((row) => [row['id'], row['to_number']]),
      [[orphan.id, null]],
    )
  })
}

const byId = (rows: readonly Row[], id: string): readonly Row[] =>
  rows.toSorted((one, other) => (String(one[id]) < String(other[id]) ? -1 : Number(one[id] !== other[id])))

const orNull = (text: string | undefined): string | null => (text === undefined ? null : plain(text))

function toRequestRow({ events, searchable }: History): Row {
  const state = events.at(-1)?.state
  assert.ok(state !== undefined)
  return {
    id: state.id,
    idempotency_key: null,
    to_number: searchable?.to ?? null,
    message_hash: null,
    sender_id: null,
    metadata: searchable?.metadata ?? null,
    provider: state.provider ?? null,
    status: toStatus(state),
    error_code: orNull(state.errorCode),
    error_detail: orNull(state.errorDetail),
    provider_message_id: orNull(state.providerMessageId),
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    tenant_id: state.tenantId,
    account_id: state.accountId,
    segments: state.segments,
    country: state.country ?? null,
  }
}

const toEventRows = ({ events }: History): readonly Row[] =>
  events.map(({ state, fact, cycle, attempt, at }) => ({
    request_id: state.id,
    event_type: fact.kind,
    payload: { status: toStatus(state), cycle, attempt, ...toPayload(fact) },
    created_at: at,
    tenant_id: state.tenantId,
  }))

const INTERNAL = new Set(['kind', 'owner'])

const toPayload = (fact: MessageEvent['fact']): Row =>
  Object.fromEntries(
    Object.entries(fact)
      .filter(([name]) => !INTERNAL.has(name))
      .map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        typeof value === 'string' ? plain(value) : value,
      ]),
  )
