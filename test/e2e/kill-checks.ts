/** Checks every message after the kills, by its timeline and by the handsets. */
import { DatabaseSync } from 'node:sqlite'
import type { MessageDetails, TimelineEvent } from '../../src/api/messages/message-schemas.ts'
import type { Kill } from '../support/restartable-gateway.ts'
import { magic, payloadField } from '../support/sms.ts'
import type { AcceptedMessage } from './kill-load.ts'

export type Reception = Readonly<{ attemptId: string; messageId: string }>

const ENDINGS = new Set([
  'HandoffAccepted',
  'HandoffUnknown',
  'RetryScheduled',
  'HandoffFailed',
  'DeadLettered',
  'MessageExpired',
])
const TERMINAL = new Set(['delivered', 'failed', 'expired'])
/** The final status by recipient, unless the kills use up the attempts. */
const EXPECTED = new Map([
  [magic('0001'), 'failed'],
  [magic('0007'), 'failed'],
])

/** The messages on the simulated handsets, read from the simulator's file while no process uses it. */
export function readReceptions(simulatorFile: string): readonly Reception[] {
  using db = new DatabaseSync(simulatorFile, { readOnly: true })
  const rows = db.prepare('select attempt_id, message_id from inbox').all()
  return rows.map((row) => ({ attemptId: String(row['attempt_id']), messageId: String(row['message_id']) }))
}

export function problemsOfKeys(accepted: readonly AcceptedMessage[]): string[] {
  const keys = new Set(accepted.map(({ sms }) => sms.idempotency_key))
  const ids = new Set(accepted.map(({ id }) => id))
  return keys.size === accepted.length && ids.size === keys.size
    ? []
    : [`${accepted.length} messages have ${keys.size} keys and ${ids.size} ids`]
}

/** The simulator has a lookup, so not even an unknown outcome may cause a duplicate. */
export function problemsOfReceptions(receptions: readonly Reception[], messages: readonly MessageDetails[]): string[] {
  const known = new Map(messages.map((message) => [message.id, message]))
  const received = new Set(receptions.map(({ messageId }) => messageId))
  return [
    ...repeated(receptions.map(({ attemptId }) => attemptId)).map((id) => `attempt ${id} was received twice`),
    ...repeated(receptions.map(({ messageId }) => messageId)).map((id) => `message ${id} was received twice`),
    ...[...received].filter((id) => !known.has(id)).map((id) => `message ${id} was received and never sent`),
    ...messages
      .filter(({ id, status }) => status === 'delivered' && !received.has(id))
      .map(({ id }) => `message ${id} is delivered and was never received`),
  ]
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.filter((name) => seen.size === seen.add(name).size)
}

export function problemsOfMessage(
  { sms, id }: AcceptedMessage,
  message: MessageDetails | undefined,
  kills: readonly Kill[],
): string[] {
  if (message === undefined) return [`${id} was accepted and is lost`]
  const { status, events, dead_letter: dead } = message
  const expected = dead ? 'failed' : (EXPECTED.get(sms.to) ?? 'delivered')
  return [
    ...(TERMINAL.has(status) ? [] : [`${id} is ${status}, which is not final`]),
    ...(status === expected ? [] : [`${id} to ${sms.to} is ${status}, expected ${expected}`]),
    ...attemptsOf(events).flatMap((attempt) => problemsOfAttempt(attempt, kills).map((text) => `${id}: ${text}`)),
  ]
}

type Attempt = Readonly<{ number: number; begun: TimelineEvent; ending: TimelineEvent | undefined }>

const attemptsOf = (events: readonly TimelineEvent[]): Attempt[] =>
  events
    .filter(({ event_type: kind }) => kind === 'HandoffAttempted')
    .map((begun) => ({
      number: begun.payload.attempt,
      begun,
      ending: events.find(
        ({ event_type: kind, payload }) => ENDINGS.has(kind) && payload.attempt === begun.payload.attempt,
      ),
    }))

/** An attempt in flight during a kill may only end with an unknown outcome or by the provider's report. */
function problemsOfAttempt({ number, begun, ending }: Attempt, kills: readonly Kill[]): string[] {
  if (ending === undefined) return [`attempt ${number} has no ending`]
  const [from, to] = [Date.parse(begun.at), Date.parse(ending.at)]
  const wasInterrupted = kills.some(({ requestedAt, exitedAt }) => from <= requestedAt && to >= exitedAt)
  return !wasInterrupted || isAllowed(ending)
    ? []
    : [`attempt ${number} was interrupted and records ${ending.event_type}`]
}

const isAllowed = (ending: TimelineEvent): boolean =>
  ending.event_type === 'HandoffUnknown' ||
  (ending.event_type === 'HandoffAccepted' && payloadField(ending, 'by') !== 'answer')

/** How often outcomes were unknown, and how they were resolved. */
export function countUnknown(messages: readonly MessageDetails[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  for (const { events } of messages) {
    for (const [index, event] of events.entries()) {
      if (event.event_type !== 'HandoffUnknown') continue
      count(`unknown: ${payloadField(event, 'code')}`)
      const next = events.slice(index + 1).find(({ event_type: kind }) => ENDINGS.has(kind))
      count(`then: ${next === undefined ? 'nothing' : `${next.event_type} ${payloadField(next, 'by') ?? ''}`.trim()}`)
    }
  }
  return counts
}
