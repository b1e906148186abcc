/** The tests of the views `email_logs` and `email_events` in SQL: they tell what domain/ tells of the same events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { failedAtOf, toEmailLog } from '../domain/email/email-log.ts'
import { toEmailEvents } from '../domain/email/pipeline.ts'
import type { TenantId } from '../domain/ids.ts'
import { type History, someHistory } from './email-histories.contract.ts'
import { tenant } from './samples.contract.ts'

type Row = Readonly<Record<string, unknown>>

export type ViewStore = AsyncDisposable &
  Readonly<{
    /** Writes events into the timeline and what they came to into the index, as a projector would. */
    keep: (histories: readonly History[]) => Promise<void>
    /** All rows of a view that a tenant sees. */
    read: (view: 'email_logs' | 'email_events', tenantId: TenantId) => Promise<readonly Row[]>
  }>

const TENANTS = ['north', 'south'].map(tenant)

export function emailViewsContract(engine: string, open: () => Promise<ViewStore>): void {
  test(`on ${engine} the views of mail tell what the events tell, whatever happened`, { timeout: 60_000 }, async () => {
    await using store = await open()
    const property = fc.asyncProperty(fc.array(someHistory, { minLength: 5, maxLength: 15 }), async (histories) => {
      await store.keep(histories)
      const ids = new Set<unknown>(histories.map(({ events }) => events[0]?.state.id))
      for (const tenantId of TENANTS) {
        const own = histories.filter(({ events }) => events[0]?.state.tenantId === tenantId)
        const logs = (await store.read('email_logs', tenantId)).filter((row) => ids.has(row['outbox_id']))
        assert.deepEqual(byId(logs, 'outbox_id'), byId(own.map(toLogRow), 'outbox_id'))
        const events = (await store.read('email_events', tenantId)).filter((row) => ids.has(row['email_log_id']))
        assert.deepEqual(byId(events, 'email_log_id'), byId(own.flatMap(toEventRows), 'email_log_id'))
      }
    })
    await fc.assert(property, { numRuns: 25, endOnFailure: true })
  })
}

const byId = (rows: readonly Row[], id: string): readonly Row[] =>
  rows.toSorted((one, other) => (String(one[id]) < String(other[id]) ? -1 : Number(one[id] !== other[id])))

function toLogRow({ events, searchable }: History): Row {
  const state = events.at(-1)?.state
  assert.ok(state !== undefined)
  const log = toEmailLog(state, searchable, failedAtOf(events))
  return { ...NOTHING, ...toSnakeCase(log) }
}

const NOTHING = Object.fromEntries(
  [
    ...['recipient_id', 'to', 'subject', 'ses_message_id', 'error_code', 'error_reason', 'duration_ms'],
    ...['sent_at', 'failed_at'],
  ].map((column) => [column, null]),
)

/** Which kind an error is of is not in the views. */
const toEventRows = ({ events }: History): readonly Row[] =>
  toEmailEvents(events).map(({ type, at, durationMs, metadata: { errorCategory: _, ...told } }) => ({
    email_log_id: events[0]?.state.id,
    company_id: events[0]?.state.tenantId,
    type,
    metadata: toSnakeCase({ ...told, durationMs }),
    created_at: at,
  }))

const toSnakeCase = (fields: object): Row =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'string' ? plain(value) : value,
    ]),
  )

/** No database has to know NUL or halves of characters, or for how many bytes it does not. */
export const plain = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replace(/\ufffd+/g, '\ufffd')
