/** What happens to messages and one-time codes while the engine is recorded. Marks tell what a caller knows. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fact } from '../../src/domain/message/events.ts'
import type { Message } from '../../src/domain/message/message.ts'
import type { RetentionPolicy } from '../../src/domain/message/retention.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { isHandoffOver, isProviderOver } from '../../src/domain/message/states.ts'
import { instant, later } from '../../src/lib/time.ts'
import type { Entry } from '../../src/ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  DEAD,
  delivered,
  hours,
  jobOf,
  NOON,
  nextEntry,
  type Seen,
  someContent,
  someMessage,
} from '../../src/ports/samples.contract.ts'
import { Unavailable } from '../../src/ports/unavailable.ts'
import { type Random, randomInteger } from '../support/random.ts'
import { pick } from './choose.ts'
import type { PoweredEngine } from './engine.ts'
import { digestOf, type Mark } from './promises.ts'

/** Longer than the content that stays in memory, and than a page of the database. */
const LONG = 20_000
const JOURNEYS = [[], [ATTEMPTED], [ATTEMPTED, ACCEPTED], [ATTEMPTED, DEAD]]
const LONGEST = [ATTEMPTED, ACCEPTED, delivered('report')]
const LONGER_JOURNEYS = [...JOURNEYS, LONGEST, LONGEST]
const ERASED: Fact = { kind: 'MessageErased' }
const RETENTION: RetentionPolicy = { days: 3, rules: [] }
const PRUNED_AT_ONCE = 3
const MOST_TRIES = 50
const TRY_AGAIN_MS = 10

export type Life = Readonly<{ engine: PoweredEngine; random: Random; ms: number; mark: (mark: Mark) => void }>

type First = Readonly<{ content?: string; isOld?: boolean }>

/** Appends an event to a message. */
async function append({ engine, mark }: Life, entry: Entry, first: First = {}): Promise<Seen> {
  const { event } = entry
  const { id } = event.state
  mark({ kind: 'asked', id, event: event.id, ...first })
  const result = await engine.log.append(entry)
  assert(result.kind === 'appended')
  mark({ kind: 'answered', id, event: event.id })
  return { revision: result.revision, event }
}

/** The newest event then. */
async function appendAll(life: Life, begun: Seen, facts: readonly Fact[]): Promise<Seen> {
  const { random, ms } = life
  let newest = begun
  for (const fact of facts) {
    if (random() < 0.7) await wait(random() * ms * 0.2)
    newest = await append(life, nextEntry(newest, fact))
  }
  return newest
}

async function erase(life: Life, newest: Seen): Promise<void> {
  const { engine, mark } = life
  const { id } = newest.event.state
  mark({ kind: 'erasing', id })
  await insist(() => engine.log.shred(id))
  mark({ kind: 'erased', id })
  if (!isOld(newest.event.state)) await appendAll(life, newest, [ERASED])
}

/** An erasure fails while another connection moves the write-ahead log into its file; whoever wants it tries again. */
async function insist(act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === MOST_TRIES) throw error
      await wait(TRY_AGAIN_MS)
    }
  }
}

/** A message from its first to its last event. */
export async function liveMessage(life: Life): Promise<void> {
  const { random, ms } = life
  const callback = random() < 0.2 ? { callback: true as const } : {}
  const message = someMessage({ createdAt: random() < 0.3 ? NOON : instant(Date.now()), ...callback })
  await wait(random() * ms * 0.6)
  const body = `body of ${message.id}`.padEnd(random() < 0.1 ? LONG : 1, '.')
  const content = someContent({ body })
  const first = { content: digestOf(content), isOld: isOld(message) }
  const begun = await append(life, createdEntry(message, content, jobOf(message)), first)
  const newest = await appendAll(life, begun, pick(random, isOld(message) ? JOURNEYS : LONGER_JOURNEYS))
  if (random() < 0.15) await erase(life, newest)
}

/** A message that was there before goes on. */
export async function liveOn(life: Life, { id, erased }: MessageState): Promise<void> {
  const { engine, random, ms } = life
  await wait(random() * ms * 0.6)
  const begun = await engine.log.latest(id)
  assert(begun !== undefined)
  const newest = await appendAll(life, begun, nextFacts(begun.event.state))
  if (!erased && random() < 0.15) await erase(life, newest)
}

/** It may be gone once it was handed off, so nothing more can happen to it. */
const isOld = ({ createdAt }: Message): boolean => createdAt === NOON

export const mayGoOn = (state: MessageState): boolean => !isOld(state) || !isHandoffOver(state.handoffState)

function nextFacts({ handoffState, providerState, phase }: MessageState): readonly Fact[] {
  switch (handoffState) {
    case 'queued':
      return [ATTEMPTED, ACCEPTED]
    case 'sending':
      return phase === 'closed' ? [ATTEMPTED, DEAD] : [ACCEPTED]
    case 'handed_off':
      return isProviderOver(providerState) ? [] : [delivered('late report')]
    case 'failed':
      return []
  }
}

export async function liveChallenge({ engine, random, ms, mark }: Life): Promise<void> {
  const { id, tenantId, accountId } = someMessage()
  const [ref, now] = [{ tenantId, id }, instant(Date.now())]
  const terms = { maxAttempts: 5, expiresAt: later(now, hours(1)) }
  await wait(random() * ms * 0.6)
  mark({ kind: 'claiming', id, attempts: 0 })
  await engine.challenges.begin({ ...ref, ...terms, accountId, createdAt: now })
  await engine.challenges.arm(ref, { ...terms, hash: 'hash' as never })
  mark({ kind: 'claimed', id, attempts: 0 })
  for (let attempts = 1; attempts <= randomInteger(random, 0, 4); attempts += 1) {
    await wait(random() * ms * 0.1)
    mark({ kind: 'claiming', id, attempts })
    await engine.challenges.claim(ref, now)
    mark({ kind: 'claimed', id, attempts })
  }
}

export async function prune({ engine, random, ms, mark }: Life): Promise<void> {
  await wait(random() * ms)
  mark({ kind: 'pruning' })
  await engine.retention.prune(RETENTION, instant(Date.now()), PRUNED_AT_ONCE)
}
