/** The tests of the SQL views `email_logs` and `email_events`: they return what domain/ computes from the same events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { failedAtOf, toEmailLog } from '../domain/email/email-log.ts'
import { toEmailEvents } from '../domain/email/pipeline.ts'
import type { TenantId } from '../domain/ids.ts'
import { type History, someHistory } from './email-histories.contract.ts'
import { tenant } from './samples.contract.ts'

export const EMAIL_VIEWS = ['email_logs', 'email_events', 'email_outbox'] as const
type EmailView = (typeof EMAIL_VIEWS)[number]

type Row = Readonly<Record<string, unknown>>

export type ViewStore = AsyncDisposable &
  Readonly<{
    /** Writes the events to the timeline and the latest state to the index, as the projector does. */
    write: (histories: readonly History[]) => Promise<void>
    /** All rows of a view that the tenant can read. */
    read: (view: EmailView, tenantId: TenantId) => Promise<readonly Row[]>
  }>

const TENANTS = ['north', 'south'].map(tenant)

export function emailViewsContract(engine: string, open: () => Promise<ViewStore>): void {
  test(`on ${engine} the email views match the events for any history`, { timeout: 60_000 }, async () => {
    await using store = await open()
    const property = fc.asyncProperty(fc.array(someHistory, { minLength: 5, maxLength: 15 }), async (histories) => {
      await store.write(histories)
      const ids = new Set<unknown>(histories.map(({ events }) => events[0]?.state.id))
      for (const tenantId of TENANTS) {
        const own = histories.filter(({ events }) => events[0]?.state.tenantId === tenantId)
        const logs = (await store.read('email_logs', tenantId)).filter((row) => ids.has(row['outbox_id']))
        assert.deepEqual(byId(logs, 'outbox_id'), byId(own.map(toLogRow), 'outbox_id'))
        const outbox = (await store.read('email_outbox', tenantId)).filter((row) => ids.has(row['id']))
        assert.deepEqual(byId(outbox, 'id'), byId(own.map(toOutboxRow), 'id'))
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
    ...['recipient_id', 'to', 'subject', 'ses_message_id', 'error_code', 'error_category', 'error_reason'],
    ...['duration_ms', 'sent_at', 'failed_at', 'http_request_id'],
  ].map((column) => [column, null]),
)

/** One row for each row of `email_logs`. */
function toOutboxRow(history: History): Row {
  const { outbox_id: id, error_reason, sent_at, failed_at, ...log } = toLogRow(history)
  const { company_id, recipient_id, to, subject, status, attempts, http_request_id, created_at } = log
  const kept = { company_id, recipient_id, to, subject, status, attempts, http_request_id, created_at }
  return { id, ...kept, last_error: error_reason, processed_at: sent_at ?? failed_at }
}

const toEventRows = ({ events }: History): readonly Row[] =>
  toEmailEvents(events).map(({ type, at, durationMs, metadata }) => ({
    email_log_id: events[0]?.state.id,
    company_id: events[0]?.state.tenantId,
    type,
    metadata: toSnakeCase({ ...metadata, durationMs }),
    created_at: at,
  }))

const toSnakeCase = (fields: object): Row =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'string' ? plain(value) : value,
    ]),
  )

/** Databases may replace NUL and lone surrogates, each by a different number of characters. */
export const plain = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replace(/\ufffd+/g, '\ufffd')
