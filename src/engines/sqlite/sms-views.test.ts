import { DatabaseSync } from 'node:sqlite'
import type { Challenges } from '../../ports/challenges.ts'
import type { History } from '../../ports/email-histories.contract.ts'
import { plain } from '../../ports/email-views.contract.ts'
import { type SmsViewStore, smsViewsContract } from '../../ports/sms-views.contract.ts'
import { encodeMessage } from '../shared/codec.ts'
import { challengeTable } from './challenges.ts'
import { encodeEvent } from './messages/event-codec.ts'
import { openMessages } from './messages/filed-messages.fixture.ts'
import { migrate } from './schema.ts'

async function open(): Promise<SmsViewStore> {
  const db = new DatabaseSync(':memory:')
  migrate(db, 'memory')
  const messages = openMessages(db)
  const { begin, claim, conclude } = challengeTable(db).writes
  const challenges: Pick<Challenges, 'begin' | 'claim' | 'conclude'> = {
    begin: async (challenge) => begin(challenge),
    claim: async (ref, at) => claim(ref, at),
    conclude: async (ref, as, at) => conclude(ref, as, at),
  }
  let seq = 0

  function keep({ events, searchable }: History): void {
    const [created] = events
    if (created === undefined) return
    const encoded = events.map((event, nth) => encodeEvent(seq + nth + 1, event, events[nth - 1]?.state))
    seq += events.length
    const facts = encodeMessage(created.state)
    messages.add({ id: created.state.id, facts, events: encoded, searchable, content: undefined })
    messages.flush()
  }

  return {
    challenges,
    write: async (histories) => histories.forEach(keep),
    read: async (view, tenantId) => db.prepare(`select * from ${view} where tenant_id = ?`).all(tenantId).map(toRow),
    [Symbol.asyncDispose]: async () => db.close(),
  }
}

const JSON_COLUMNS = new Set(['metadata', 'payload'])

const toRow = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value]
      return [name, JSON_COLUMNS.has(name) ? JSON.parse(value, (_, text) => toPlain(text)) : plain(value)]
    }),
  )

const toPlain = (value: unknown): unknown => (typeof value === 'string' ? plain(value) : value)

smsViewsContract('sqlite', open)
