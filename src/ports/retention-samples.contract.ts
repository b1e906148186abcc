/** Engines and messages for the contracts of retention. For tests only. */
import assert from 'node:assert/strict'
import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import type { Message } from '../domain/message/message.ts'
import type { RetentionPolicy } from '../domain/message/retention.ts'
import type { Instant, Millis } from '../lib/time.ts'
import type { Engines } from './engines.ts'
import { contentOf, idsOf, messageOf, type SampleMessage } from './index-samples.contract.ts'
import type { Filter } from './message-index.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  delivered,
  earlier,
  hours,
  NOON,
  nextEntry,
  tenant,
} from './samples.contract.ts'

type Stores = 'log' | 'index' | 'retention' | 'endpoints' | 'webhookDeliveries' | 'webhookAttempts'
type Others = 'suppressions' | 'rules' | 'recipients' | 'templates' | 'erasures'

export type RetainingEngine = AsyncDisposable &
  Pick<Engines, Stores | Others | 'timeline'> &
  /** Resolves once everything that was appended is in the index, the timeline and the webhook deliveries. */
  Readonly<{ catchUp: () => Promise<void> }>

export type OpenRetaining = () => Promise<RetainingEngine>

export const NORTH = tenant('north')
export const SOUTH = tenant('south')
export const days = (count: number): Millis => hours(24 * count)
export const daysAgo = (count: number): Instant => earlier(NOON, days(count))
export const KEPT_30: RetentionPolicy = { days: 30, rules: [] }
export const MANY = 1_000
export const DELIVERED: readonly Fact[] = [ATTEMPTED, ACCEPTED, delivered()]

/** Stores a message with these facts about it, each `pace` after the one before. */
export async function put({ log, catchUp }: RetainingEngine, story: SampleMessage): Promise<Message> {
  const message = messageOf(story)
  let seen = await append(log, createdEntry(message, contentOf(story)))
  for (const fact of story.facts ?? DELIVERED) seen = await append(log, nextEntry(seen, fact, undefined, story.pace))
  await catchUp()
  return message
}

export const putOld = (engine: RetainingEngine, age: number, facts = DELIVERED): Promise<Message> =>
  put(engine, { message: { createdAt: daysAgo(age) }, facts })

export async function happen({ log, catchUp }: RetainingEngine, { id }: Message, fact: Fact): Promise<void> {
  const seen = await log.latest(id)
  assert.ok(seen !== undefined)
  await append(log, nextEntry(seen, fact))
  await catchUp()
}

export async function find(
  { index }: RetainingEngine,
  filter: Filter = {},
  tenantId = NORTH,
): Promise<readonly MessageId[]> {
  return idsOf((await index.search({ tenantId, filter, limit: MANY })).rows)
}
