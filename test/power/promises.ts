/**
 * What callers were promised, from the marks that the workload leaves in the recording: after any cut, what was
 * answered must be there, what was only asked for may be, and nothing else.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Content } from '../../src/domain/message/message.ts'
import type { Written } from '../../src/engines/sqlite/messages/earlier-database.fixture.ts'
import type { Step } from './recording.ts'

export type Mark = Readonly<
  /** An event was given to the log. The first one has the content; an old message may be pruned once it is over. */
  | { kind: 'asked'; id: string; event: string; content?: string; isOld?: boolean }
  | { kind: 'answered'; id: string; event: string }
  | { kind: 'erasing' | 'erased'; id: string }
  | { kind: 'pruning' }
  /** A one-time code: how often an attempt was claimed. */
  | { kind: 'claiming' | 'claimed'; id: string; attempts: number }
  /** After opening the files again: all events there are, by message. They stay, and no other comes back. */
  | { kind: 'found'; events: Readonly<Record<string, readonly string[]>> }
>

export type MessagePromise = Readonly<{
  content: string
  asked: readonly string[]
  /** How many of them were answered. */
  answered: number
  erasure: 'none' | 'asked' | 'answered'
  isOld: boolean
  /** As an earlier release wrote it. */
  earlier?: EarlierMessage
}>

/** Webhook deliveries of events up to this position were queued by that release. */
export type EarlierMessage = Written & Readonly<{ queuedThrough: number }>

/** How many attempts were claimed. */
export type ChallengePromise = Readonly<{ asked: number; answered: number }>

export type Promised = Readonly<{
  messages: ReadonlyMap<string, MessagePromise>
  challenges: ReadonlyMap<string, ChallengePromise>
  /** Old messages may have been deleted. */
  isPruned: boolean
}>

export const NOTHING: Promised = { messages: new Map(), challenges: new Map(), isPruned: false }

/** Tells contents apart. */
export const digestOf = (content: Content | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify(content) ?? '')
    .digest('hex')
    .slice(0, 16)

/** What is promised after these steps, if `before` was before them. */
export function promisedAfter(before: Promised, steps: readonly Step[]): Promised {
  const promised: Notes = { ...before, messages: new Map(before.messages), challenges: new Map(before.challenges) }
  for (const step of steps) if (step.kind === 'marked') note(promised, JSON.parse(step.text) as Mark)
  return promised
}

/** Whether a message may be gone as a whole. One that waits for a worker may not. */
const mayBeGone = ({ isOld, asked }: MessagePromise, { isPruned }: Pick<Promised, 'isPruned'>): boolean =>
  isPruned && isOld && asked.some((event) => /HandoffAccepted|DeadLettered/.test(event))

type Notes = {
  readonly messages: Map<string, MessagePromise>
  readonly challenges: Map<string, ChallengePromise>
  isPruned: boolean
}

function note(notes: Notes, mark: Mark): void {
  const { messages, challenges } = notes
  switch (mark.kind) {
    case 'asked': {
      const message = messages.get(mark.id) ?? newMessage(mark)
      messages.set(mark.id, { ...message, asked: [...message.asked, mark.event] })
      break
    }
    case 'answered': {
      const message = known(messages, mark.id)
      messages.set(mark.id, { ...message, answered: message.asked.indexOf(mark.event) + 1 })
      break
    }
    case 'erasing':
      messages.set(mark.id, { ...known(messages, mark.id), erasure: 'asked' })
      break
    case 'erased':
      messages.set(mark.id, { ...known(messages, mark.id), erasure: 'answered' })
      break
    case 'pruning':
      notes.isPruned = true
      break
    case 'claiming':
      challenges.set(mark.id, { answered: challenges.get(mark.id)?.answered ?? -1, asked: mark.attempts })
      break
    case 'claimed':
      challenges.set(mark.id, { answered: mark.attempts, asked: mark.attempts })
      break
    case 'found':
      for (const [id, message] of messages) messages.set(id, afterFinding(message, mark.events[id] ?? [], notes))
      break
  }
}

const newMessage = ({ content = '', isOld = false }: Extract<Mark, { kind: 'asked' }>): MessagePromise => ({
  content,
  asked: [],
  answered: 0,
  erasure: 'none',
  isOld,
})

function afterFinding(message: MessagePromise, found: readonly string[], notes: Notes): MessagePromise {
  assertKept(message, found, notes)
  return { ...message, asked: found, answered: found.length }
}

/** Everything answered is there, in order, and nothing that was not asked for. */
export function assertKept(message: MessagePromise, found: readonly string[], after: Pick<Promised, 'isPruned'>): void {
  if (found.length === 0 && mayBeGone(message, after)) return
  const { asked, answered } = message
  assert.deepEqual(found.slice(0, answered), asked.slice(0, answered), 'everything answered is there, in order')
  assert.deepEqual(found, asked.slice(0, found.length), 'and nothing that was not asked for')
}

const known = (messages: Notes['messages'], id: string): MessagePromise =>
  messages.get(id) ?? assert.fail('only what was asked for is answered')
