/** What must be true of every message after any number of kills, read from timelines and from the handsets. */
import { DatabaseSync } from 'node:sqlite'
import type { MessageDetails, TimelineEvent } from '../../src/api/messages/message-schemas.ts'
import { magic, told } from '../support/sms.ts'
import type { Death } from '../support/succession.ts'
import type { Promised } from './kill-load.ts'

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
/** How the recipients of the load end unless the kills use up their attempts. */
const EXPECTED = new Map([
  [magic('0001'), 'failed'],
  [magic('0007'), 'failed'],
])

/** What the simulated handsets hold, read from the simulator's own file while nobody else uses it. */
export function readReceptions(simulatorFile: string): readonly Reception[] {
  using db = new DatabaseSync(simulatorFile, { readOnly: true })
  const rows = db.prepare('select attempt_id, message_id from inbox').all()
  return rows.map((row) => ({ attemptId: String(row['attempt_id']), messageId: String(row['message_id']) }))
}

export function problemsOfKeys(promised: readonly Promised[]): string[] {
  const keys = new Set(promised.map(({ sms }) => sms.idempotency_key))
  const ids = new Set(promised.map(({ id }) => id))
  return keys.size === promised.length && ids.size === keys.size
    ? []
    : [`${promised.length} promises have ${keys.size} keys and ${ids.size} ids`]
}

/** The simulator can be asked about every attempt, so not even doubt is a reason to send twice. */
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
  { sms, id }: Promised,
  message: MessageDetails | undefined,
  deaths: readonly Death[],
): string[] {
  if (message === undefined) return [`${id} was promised and is lost`]
  const { status, events, dead_letter: dead } = message
  const expected = dead ? 'failed' : (EXPECTED.get(sms.to) ?? 'delivered')
  return [
    ...(TERMINAL.has(status) ? [] : [`${id} is ${status}, which is no end`]),
    ...(status === expected ? [] : [`${id} to ${sms.to} is ${status} and not ${expected}`]),
    ...attemptsOf(events).flatMap((attempt) => problemsOfAttempt(attempt, deaths).map((text) => `${id}: ${text}`)),
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

/** An attempt that was open when its gateway died may end with an unknown outcome or by what the provider says of it, and no other way. */
function problemsOfAttempt({ number, begun, ending }: Attempt, deaths: readonly Death[]): string[] {
  if (ending === undefined) return [`attempt ${number} has no ending`]
  const [from, to] = [Date.parse(begun.at), Date.parse(ending.at)]
  const wasCut = deaths.some(({ toldAt, deadAt }) => from <= toldAt && to >= deadAt)
  return !wasCut || isHonest(ending) ? [] : [`attempt ${number} was cut off and pretends ${ending.event_type}`]
}

const isHonest = (ending: TimelineEvent): boolean =>
  ending.event_type === 'HandoffUnknown' || (ending.event_type === 'HandoffAccepted' && told(ending, 'by') !== 'answer')

/** How the doubts of all messages came about, and how they were resolved. */
export function countUnknown(messages: readonly MessageDetails[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  for (const { events } of messages) {
    for (const [place, event] of events.entries()) {
      if (event.event_type !== 'HandoffUnknown') continue
      count(`unknown: ${told(event, 'code')}`)
      const next = events.slice(place + 1).find(({ event_type: kind }) => ENDINGS.has(kind))
      count(`then: ${next === undefined ? 'nothing' : `${next.event_type} ${told(next, 'by') ?? ''}`.trim()}`)
    }
  }
  return counts
}
